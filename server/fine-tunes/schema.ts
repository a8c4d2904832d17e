import Type, { type Static } from 'typebox'
import { Nullable, Ref, StrictObject, Timestamp, StringEnum } from '../http/schema.ts'
import { jobStatuses } from './job.ts'

const sources = ['upload', 'runs'] as const

export const Hyperparameters = StrictObject(
  {
    epochs: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, description: 'Passes over the data; OpenAI.' }),
    ),
    training_steps: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Training steps; Mistral.' }),
    ),
    learning_rate: Type.Optional(
      Type.Number({ minimum: 1e-8, maximum: 1, description: 'Learning rate; Mistral.' }),
    ),
  },
  { $id: 'Hyperparameters', description: "Fields left out have the provider's defaults." },
)
export type Hyperparameters = Static<typeof Hyperparameters>

const name = Type.String({ minLength: 1, maxLength: 120, description: 'Name for people.' })
const baseModel = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Id of the model to tune.',
})
const suffix = Type.String({
  pattern: '^[A-Za-z0-9-]{1,18}$',
  description: '1 to 18 characters of A-Z a-z 0-9 -, part of the tuned id',
})
const source = StringEnum(sources, { description: 'Where the examples come from.' })

// Fields that do not apply, or are not known yet, are left out.
export const FineTune = Type.Object(
  {
    id: Type.String({ description: 'Fine-tune id.' }),
    name,
    provider: Type.String({ description: 'Who trains.' }),
    provider_label: Type.String({ description: 'Its name for people.' }),
    base_model: baseModel,
    base_model_label: Type.String({ description: 'Its name for people.' }),
    suffix: Type.Optional(suffix),
    status: StringEnum(jobStatuses, {
      description: '`succeeded`, `failed`, `cancelled` are final.',
    }),
    provider_status: Type.Optional(
      Type.String({ description: "The provider's own name for the status." }),
    ),
    source,
    source_workflow_id: Type.Optional(
      Type.String({ description: 'Workflow whose runs are the examples.' }),
    ),
    source_role: Type.Optional(Type.String({ description: 'The one role whose steps they are.' })),
    example_count: Type.Integer({ description: 'Number of examples.' }),
    training_bytes: Type.Integer({ description: 'Size of the training set as it was sent.' }),
    hyperparameters: Ref(Hyperparameters),
    provider_job_id: Type.Optional(Type.String({ description: "The provider's id of the job." })),
    fine_tuned_model: Nullable(
      Type.String({ description: 'Model id for workflows and agents; null until succeeded.' }),
    ),
    trained_tokens: Nullable(Type.Integer({ description: 'Tokens trained; null until known.' })),
    cost_usd: Type.Optional(
      Type.Number({ description: 'Cost in US dollars; left out where the rate is not known.' }),
    ),
    inference_rate: Type.Unsafe<{ in: number; out: number } | null>({
      type: ['object', 'null'],
      properties: {
        in: { type: 'number', description: 'Input tokens.' },
        out: { type: 'number', description: 'Output tokens.' },
      },
      required: ['in', 'out'],
      description: 'US dollars per 1,000,000 tokens of the tuned model; null if unknown.',
    }),
    training_rate: Type.Optional(
      Type.Number({ description: 'US dollars per 1,000,000 trained tokens, if known.' }),
    ),
    error: Nullable(Type.String({ description: 'Why it failed; null unless failed.' })),
    created_at: Timestamp('When the job was made.'),
    started_at: Type.Optional(Timestamp('When training began.')),
    finished_at: Type.Optional(Timestamp('When the job ended.')),
    last_synced_at: Type.Optional(Timestamp('When the provider last told its state.')),
  },
  { $id: 'FineTune', description: 'A training job at a provider.' },
)
export type FineTune = Static<typeof FineTune>

export const CreateFineTune = StrictObject(
  {
    name,
    base_model: baseModel,
    source,
    training_data: Type.Optional(
      Type.String({
        description:
          'With `upload`: JSONL of at most 20 MB, a chat-format `messages` or an `input` and an `output` on each line, 10 lines at least.',
      }),
    ),
    workflow_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'With `runs`: the workflow.' }),
    ),
    role: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        description: 'With `runs`: only the steps of this role; recommended.',
      }),
    ),
    suffix: Type.Optional(suffix),
    hyperparameters: Type.Optional(Ref(Hyperparameters)),
  },
  { $id: 'CreateFineTune', description: 'A training job to make.' },
)
export type CreateFineTune = Static<typeof CreateFineTune>

export const FineTuneEvent = Type.Object(
  {
    at: Timestamp('When it happened.'),
    level: Type.String({ description: '`info`, `warn` or `error`.' }),
    message: Type.String({ description: "The provider's words." }),
  },
  { $id: 'FineTuneEvent', description: "An entry of the provider's log." },
)
export type FineTuneEvent = Static<typeof FineTuneEvent>

const message = Type.Object(
  {
    role: Type.String({ description: 'Who the message is from.' }),
    content: Type.Optional(Nullable(Type.String({ description: 'Content of the message.' }))),
  },
  { description: 'One message.', additionalProperties: true },
)

export const FineTunePreview = Type.Object(
  {
    example_count: Type.Integer({ description: 'Lines that can be used.' }),
    token_count: Type.Integer({
      description: "Tokens of one pass; an estimate where the tokenizer is not OpenAI's.",
    }),
    training_bytes: Type.Integer({ description: 'Size of the training set as it would be sent.' }),
    estimated_cost_usd: Nullable(
      Type.Number({ description: 'Estimate in US dollars; null where the rate is not known.' }),
    ),
    examples: Type.Array(
      Type.Object(
        { messages: Type.Array(message, { description: 'The conversation.' }) },
        { description: 'One example.' },
      ),
      { description: 'The first three.' },
    ),
    problems: Type.Array(
      Type.Object(
        {
          line: Nullable(Type.Integer({ description: 'From 1; null for the set as a whole.' })),
          message: Type.String({ description: 'What is wrong.' }),
        },
        { description: 'One problem.' },
      ),
      { description: 'The first ten; with any of them a create is refused.' },
    ),
  },
  { $id: 'FineTunePreview', description: 'What would be trained on.' },
)
export type FineTunePreview = Static<typeof FineTunePreview>
