import Type, { type Static } from 'typebox'
import {
  Nullable,
  Ref,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
  optional,
} from '../wire-types.ts'
import { jobStatuses } from './providers/contract.ts'
import { maxTrainingBytes } from './training/limits.ts'
import type { JobRow } from './store.ts'

export const Hyperparameters = StrictObject(
  optional({
    epochs: Type.Integer({ minimum: 1, maximum: 50, description: 'Passes over the data; OpenAI.' }),
    training_steps: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Training steps; Mistral.',
    }),
    learning_rate: Type.Number({
      minimum: 1e-8,
      maximum: 1,
      description: 'Learning rate; Mistral.',
    }),
  }),
  { $id: 'Hyperparameters', description: "Omitted fields have the provider's defaults." },
)
export type Hyperparameters = Static<typeof Hyperparameters>

const name = Text(120, 'Display name.')
const baseModel = Text(200, 'Id of the model to tune.')
const suffix = Type.String({
  maxLength: 18,
  pattern: '^[A-Za-z0-9-]{1,18}$',
  description: '1 to 18 characters of A-Z a-z 0-9 -, part of the tuned id',
})
const source = StringEnum(['upload', 'runs'] as const, {
  description: 'Where the examples come from.',
})
const text = (description: string) => Type.String({ description })

/** Fields that do not apply or are not known yet are left out. */
const known = optional({
  suffix,
  provider_status: text("The provider's own name for the status."),
  source_workflow_id: text('Workflow whose runs are the examples.'),
  source_role: text('The role whose steps are used.'),
  provider_job_id: text("The provider's id of the job."),
  cost_usd: Type.Number({
    description: 'Cost in US dollars; omitted if the rate is unknown.',
  }),
  training_rate: Type.Number({
    description: 'US dollars per 1,000,000 trained tokens, if known.',
  }),
  started_at: Timestamp('When training began.'),
  finished_at: Timestamp('When the job ended.'),
  last_synced_at: Timestamp('When the provider last reported its status.'),
})

export const FineTune = Type.Object(
  {
    id: text('Fine-tune id.'),
    name,
    provider: text('Who trains.'),
    provider_label: text('Its display name.'),
    base_model: baseModel,
    base_model_label: text('Its display name.'),
    status: StringEnum(jobStatuses, {
      description: '`succeeded`, `failed`, `cancelled` are final.',
    }),
    source,
    example_count: Type.Integer({ description: 'Number of examples.' }),
    training_bytes: Type.Integer({ description: 'Size of the training set as sent.' }),
    hyperparameters: Ref(Hyperparameters),
    fine_tuned_model: Nullable(text('Model id for workflows and agents; null until succeeded.')),
    trained_tokens: Nullable(Type.Integer({ description: 'Tokens trained; null until known.' })),
    inference_rate: Nullable(
      Type.Object(
        {
          in: Type.Number({ description: 'Input tokens.' }),
          out: Type.Number({ description: 'Output tokens.' }),
        },
        { description: 'US dollars per 1,000,000 tokens of the tuned model; null if unknown.' },
      ),
    ),
    error: Nullable(text('Why it failed; null unless failed.')),
    created_at: Timestamp('When the job was created.'),
    ...known,
  },
  { $id: 'FineTune', description: 'A training job at a provider.' },
)
export type FineTune = Static<typeof FineTune>

/** A job as the API shows it. */
export function toFineTune(row: JobRow): FineTune {
  const { inference_rate_in: rateIn, inference_rate_out: rateOut } = row
  const rate = rateIn === null || rateOut === null ? null : { in: rateIn, out: rateOut }
  const shown = Object.keys(FineTune.properties)
    .map((name) => [name, (row as Record<string, unknown>)[name]] as const)
    .filter(([name, value]) => value !== null || !(name in known))
  return { ...Object.fromEntries(shown), inference_rate: rate } as FineTune
}

export const CreateFineTune = StrictObject(
  {
    name,
    base_model: baseModel,
    source,
    ...optional({
      training_data: Type.String({
        maxLength: maxTrainingBytes,
        description:
          'With `upload`: JSONL of at most 20 MB and at least 10 lines, each with chat-format `messages` or an ' +
          '`input` and an `output`.',
      }),
      workflow_id: Type.String({ maxLength: 100, description: 'With `runs`: the workflow.' }),
      role: Text(60, 'With `runs`: only the steps of this role; recommended.'),
      suffix,
      hyperparameters: Ref(Hyperparameters),
    }),
  },
  {
    $id: 'CreateFineTune',
    examples: [
      {
        name: 'Support tone',
        base_model: 'gpt-4.1-mini-2025-04-14',
        source: 'runs',
        workflow_id: 'wf_01ktbz3v9se0c9x1hm8q5gkxvn',
        role: 'writer',
      },
    ],
    description: 'The training job to create.',
  },
)
export type CreateFineTune = Static<typeof CreateFineTune>

export const FineTuneEvent = Type.Object(
  {
    at: Timestamp('When it happened.'),
    level: text('`info`, `warn` or `error`.'),
    message: text("The provider's message."),
  },
  { $id: 'FineTuneEvent', description: "An entry of the provider's log." },
)
export type FineTuneEvent = Static<typeof FineTuneEvent>

const message = Type.Object(
  {
    role: text('Who the message is from.'),
    content: Type.Optional(Nullable(text('Content of the message.'))),
  },
  { description: 'One message.', additionalProperties: true },
)

export const FineTunePreview = Type.Object(
  {
    example_count: Type.Integer({ description: 'Usable lines.' }),
    token_count: Type.Integer({
      description: "Tokens of one pass; an estimate unless the tokenizer is OpenAI's.",
    }),
    training_bytes: Type.Integer({ description: 'Size of the training set as it would be sent.' }),
    estimated_cost_usd: Nullable(
      Type.Number({ description: 'Estimate in US dollars; null if the rate is unknown.' }),
    ),
    examples: Type.Array(
      Type.Object(
        { messages: Type.Array(message, { description: 'The conversation.' }) },
        { description: 'One example.' },
      ),
      { description: 'The first three examples.' },
    ),
    problems: Type.Array(
      Type.Object(
        {
          line: Nullable(
            Type.Integer({ description: 'Line number from 1; null for the whole set.' }),
          ),
          message: text('The problem.'),
        },
        { description: 'One problem.' },
      ),
      {
        description: 'The first ten problems; with any of them, creating the fine-tune is refused.',
      },
    ),
  },
  { $id: 'FineTunePreview', description: 'The examples that would be used for training.' },
)
export type FineTunePreview = Static<typeof FineTunePreview>
