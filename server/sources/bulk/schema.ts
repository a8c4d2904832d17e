import Type, { type Static } from 'typebox'
import { runsFilter } from '../../engine/wire/runs-query.ts'
import { author } from '../../engine/wire/step.ts'
import {
  NullableText,
  NullableTimestamp,
  Ref,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
} from '../../wire-types.ts'

export const maxRuns = 10_000
export const bulkActions = ['cancel', 'retry'] as const
export type BulkAction = (typeof bulkActions)[number]

export const BulkFilter = StrictObject(
  {
    ...runsFilter,
    run_ids: Type.Optional(
      Type.Array(Text(100, 'Run id.'), {
        minItems: 1,
        maxItems: maxRuns,
        description: 'Only these runs; no other filter may be set.',
      }),
    ),
  },
  {
    $id: 'BulkFilter',
    description: 'The filters of `GET /v1/runs`, with arrays for lists. At least one is required.',
  },
)
export type BulkFilter = Static<typeof BulkFilter>

export const CreateBulkOperation = StrictObject(
  {
    action: StringEnum(bulkActions, { description: 'The action on each run.' }),
    filter: Ref(BulkFilter),
    dry_run: Type.Optional(Type.Boolean({ description: 'Only count the runs.' })),
  },
  {
    $id: 'CreateBulkOperation',
    examples: [{ action: 'cancel', filter: { status: ['queued', 'running'] }, dry_run: true }],
    description: 'The action and the runs it applies to.',
  },
)
export type CreateBulkOperation = Static<typeof CreateBulkOperation>

export const BulkOperation = Type.Object(
  {
    id: Type.String({ description: 'Id of the operation; empty for a dry run.' }),
    action: StringEnum(bulkActions, { description: 'The action on each run.' }),
    status: StringEnum(['dry_run', 'running', 'completed'] as const, {
      description: 'Status of the operation.',
    }),
    matched: Type.Integer({ description: 'Runs that matched the filter at the start.' }),
    done: Type.Integer({ description: 'Runs that were cancelled or retried.' }),
    skipped: Type.Integer({
      description:
        'Skipped runs: they had ended, had not failed, were already retried, or cannot be retried.',
    }),
    held: NullableText(
      'Why the remaining runs wait, such as a paused workflow; null if none does.',
    ),
    problems: Type.Array(
      Type.Object({
        run_id: Type.String({ description: 'The skipped run.' }),
        why: Type.String({ description: 'Why it was skipped.' }),
      }),
      { description: 'The first skipped runs, about 100, with the reasons.' },
    ),
    created_by: author('Who started it.'),
    created_at: Timestamp('When it was started.'),
    finished_at: NullableTimestamp('When it finished; null before.'),
  },
  { $id: 'BulkOperation', description: 'One action on many runs.' },
)
export type BulkOperation = Static<typeof BulkOperation>
