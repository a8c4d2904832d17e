import Type, { type Static } from 'typebox'
import { maxItems } from './limits.ts'
import { CreateRun } from '../../engine/wire/run.ts'
import { author } from '../../engine/wire/step.ts'
import {
  Nullable,
  NullableObject,
  NullableText,
  NullableTimestamp,
  Ref,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
} from '../../wire-types.ts'

const maxConcurrency = 1_000

export const BatchItemInput = StrictObject(
  {
    key: Type.Optional(
      Text(
        200,
        'Your own identifier of the item, unique in the batch and included in the results.',
      ),
    ),
    ...CreateRun.properties,
  },
  { $id: 'BatchItemInput', description: 'The input of one run of a batch.' },
)
export type BatchItemInput = Static<typeof BatchItemInput>

export const CreateBatch = StrictObject(
  {
    items: Type.Optional(
      Type.Array(Ref(BatchItemInput), {
        minItems: 1,
        maxItems,
        description: 'One run for each item. Set either `items` or `files`.',
      }),
    ),
    files: Type.Optional(
      Type.Array(Text(100, 'File id.'), {
        minItems: 1,
        maxItems,
        description:
          'One run for each file, with its name as key; further files of one name get ` (2)` and so on behind it.',
      }),
    ),
    input: Type.Optional(
      Text(
        16_000,
        'Input of items without `input` and `data`; by default a reference to the file.',
      ),
    ),
    name: Type.Optional(Text(200, 'Display name.')),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxConcurrency,
        description: "Maximum runs in progress at once; half of the account's slots by default.",
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ description: 'Only validate the items and estimate cost and time.' }),
    ),
  },
  {
    $id: 'CreateBatch',
    examples: [
      {
        items: [
          { key: 'a', input: 'The first text.' },
          { key: 'b', input: 'The second one.' },
        ],
      },
    ],
    description: 'The batch to start.',
  },
)
export type CreateBatch = Static<typeof CreateBatch>

const batchStatuses = ['running', 'cancelling', 'cancelled', 'completed'] as const
export const itemStatuses = [
  'queued',
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
] as const
export type ItemStatus = (typeof itemStatuses)[number]

const count = (what: string) => Type.Integer({ description: `Items ${what}.` })

const unpriced = (runs: string) =>
  Type.Integer({
    description: `Model calls of ${runs} with a model whose price is unknown; the cost counts them as 0.`,
  })

export const Batch = Type.Object(
  {
    id: Type.String({ description: 'Batch id. Its runs have it as the tag `batch`.' }),
    workflow_id: Type.String({ description: 'The workflow.' }),
    name: NullableText('Display name.'),
    concurrency: Type.Integer({ description: 'Maximum runs in progress at once.' }),
    status: StringEnum(batchStatuses, {
      description: '`completed` once every item has ended, even if some failed.',
    }),
    held: NullableText('Why no further item can start at present; null otherwise.'),
    total: count('in all'),
    queued: count('that have not started'),
    running: count('whose run is in progress'),
    waiting: count('whose run waits for a person'),
    completed: count('whose run completed'),
    completed_with_warnings: count(
      'of these whose run has warnings, such as an action that failed',
    ),
    failed: count('that failed'),
    cancelled: count('that were cancelled'),
    cost_usd: Type.Number({ description: 'Cost of its finished runs, in US dollars.' }),
    calls_without_price: unpriced('its finished runs'),
    created_by: author('Who started it.'),
    created_at: Timestamp('When it was started.'),
    finished_at: NullableTimestamp('When its last item ended; null before.'),
  },
  { $id: 'Batch', description: 'One workflow run on many inputs, with one run for each.' },
)
export type Batch = Static<typeof Batch>

const range = (what: string) =>
  Nullable(Type.Number({ description: `${what}; null where no run has completed yet.` }))

export const BatchEstimate = Type.Object(
  {
    total: count('in all'),
    sampled_runs: Type.Integer({
      description: 'Completed runs on which the estimate is based, up to 100.',
    }),
    cost_usd_p50: range('Cost in US dollars, if each item costs as much as the median run'),
    cost_usd_p95: range('The same with the 95th percentile'),
    calls_without_price: unpriced('these runs'),
    seconds_p50: range('Seconds until the last item ends, if each takes as long as the median run'),
    seconds_p95: range('The same with the 95th percentile'),
  },
  {
    $id: 'BatchEstimate',
    description: "Estimated cost and time of a batch, from the workflow's latest runs.",
  },
)
export type BatchEstimate = Static<typeof BatchEstimate>

export const BatchOrEstimate = Type.Unsafe<Batch | BatchEstimate>({
  oneOf: [Ref(Batch), Ref(BatchEstimate)],
  $id: 'BatchOrEstimate',
  description:
    'The batch, or with `dry_run` its estimate. The request says which, so no field does; only a batch has an `id`.',
})

export const BatchItem = Type.Object(
  {
    position: Type.Integer({ description: 'Position in the batch, from 0.' }),
    key: NullableText('Your own identifier, or the name of its file, made unique in the batch.'),
    file: NullableText('Name of its first file when the batch was started; null for none.'),
    file_id: NullableText('Id of that file.'),
    status: StringEnum(itemStatuses, { description: 'As of the last check of its run.' }),
    run_id: NullableText('Its run; null before it has started.'),
    retry_of: NullableText("The item's previous, failed run."),
    output_json: NullableObject(
      'The structured output of its run, up to 4 KB of JSON; null for larger ones, which are in the results.',
    ),
    error: NullableText('Why it failed, or why its start is tried again.'),
    run_has_warnings: Type.Boolean({
      description: 'Whether its run completed with warnings, such as an action that failed.',
    }),
    cost_usd: Type.Number({ description: 'Cost of its runs, in US dollars.' }),
    calls_without_price: unpriced('its runs'),
  },
  { $id: 'BatchItem', description: 'An item of a batch.' },
)
export type BatchItem = Static<typeof BatchItem>
