import Type, { type Static } from 'typebox'
import { runsQuery } from '../engine/wire/runs-query.ts'
import { author } from '../engine/wire/step.ts'
import { listedStatuses } from '../engine/wire/runs-query.ts'
import { runErrorCodes } from '../engine/run/run.ts'
import { NullableTimestamp, Ref, StrictObject, StringEnum, Text, Timestamp } from '../wire-types.ts'

export const maxRuns = 10_000
export const bulkActions = ['cancel', 'retry'] as const
export type BulkAction = (typeof bulkActions)[number]

export const BulkFilter = StrictObject(
  {
    ...runsQuery,
    status: Type.Optional(
      Type.Array(StringEnum(listedStatuses, { description: 'A status.' }), {
        minItems: 1,
        maxItems: 20,
        description: 'Only runs in one of these statuses.',
      }),
    ),
    error_code: Type.Optional(
      Type.Array(StringEnum(runErrorCodes, { description: 'A code.' }), {
        minItems: 1,
        maxItems: 100,
        description: 'Only runs that failed with one of these codes.',
      }),
    ),
    run_ids: Type.Optional(
      Type.Array(Text(100, 'Run id.'), {
        minItems: 1,
        maxItems: maxRuns,
        description: 'Exactly these runs, without any other field of the filter.',
      }),
    ),
  },
  {
    $id: 'BulkFilter',
    description: 'The filters of `GET /v1/runs`, with arrays for lists. At least one is needed.',
  },
)
export type BulkFilter = Static<typeof BulkFilter>

export const CreateBulkOperation = StrictObject(
  {
    action: StringEnum(bulkActions, { description: 'What is done to each run.' }),
    filter: Ref(BulkFilter),
    dry_run: Type.Optional(Type.Boolean({ description: 'Only count the runs.' })),
  },
  {
    $id: 'CreateBulkOperation',
    examples: [{ action: 'cancel', filter: { status: ['queued', 'running'] }, dry_run: true }],
    description: 'What to do to which runs.',
  },
)
export type CreateBulkOperation = Static<typeof CreateBulkOperation>

export const BulkOperation = Type.Object(
  {
    id: Type.String({ description: 'Id of the operation; empty for a dry run.' }),
    action: StringEnum(bulkActions, { description: 'What is done to each run.' }),
    status: StringEnum(['dry_run', 'running', 'completed'] as const, {
      description: 'How far it is.',
    }),
    matched: Type.Integer({ description: 'Runs that matched the filter when it was started.' }),
    done: Type.Integer({ description: 'Runs that were cancelled or retried.' }),
    skipped: Type.Integer({
      description:
        'Runs left as they are: they had ended, or had not failed, or were retried before, or their workflow ' +
        'cannot take them.',
    }),
    created_by: author('Who started it.'),
    created_at: Timestamp('When it was started.'),
    finished_at: NullableTimestamp('When it was over; null before.'),
  },
  { $id: 'BulkOperation', description: 'One action on many runs.' },
)
export type BulkOperation = Static<typeof BulkOperation>
