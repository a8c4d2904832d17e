import Type, { type Static } from 'typebox'
import { Nullable, NullableTimestamp, Ref, StrictObject, Timestamp, Words } from '../http/schema.ts'
import { runErrorCodes, runStatuses } from './run.ts'

const usage = {
  tokens_in: Type.Integer({ description: "Input tokens, by the provider's count." }),
  tokens_out: Type.Integer({ description: "Output tokens, by the provider's count." }),
  cost_usd: Type.Number({ description: 'Cost in US dollars, by the prices of the catalog.' }),
}

const text = (description: string) => Nullable(Type.String({ description }))

export const Step = Type.Object(
  {
    id: Type.String({ description: 'Step id.' }),
    order: Type.Integer({ description: 'Position in the crew, from 0.' }),
    role: Type.String({ description: 'Role of the agent.' }),
    agent_id: text('Standing agent that was linked; null for a plain entry.'),
    model: Type.String({ description: 'Model that was used.' }),
    input: Type.String({ description: 'Prompt of the agent: the run input, then prior outputs.' }),
    output: text('What the agent wrote; null if unfinished or failed.'),
    error: text('Why the step failed; null otherwise.'),
    ...usage,
    reused_from: text('Run whose finished step was taken over by a retry; it cost nothing here.'),
    started_at: NullableTimestamp('When the step began.'),
    finished_at: NullableTimestamp('When the step ended; null while in progress.'),
  },
  { $id: 'Step', description: 'One agent at work.' },
)
export type Step = Static<typeof Step>

const Pending = Type.Unsafe<null>({
  type: ['object', 'null'],
  additionalProperties: true,
  description: 'The request that awaits a human; null unless the status is `waiting_input`.',
})

const fields = {
  id: Type.String({ description: 'Run id.' }),
  workflow_id: Type.String({ description: 'Workflow that was run.' }),
  status: Words(runStatuses, { description: '`completed` and `failed` are final.' }),
  input: Type.String({ description: 'The text that the run was given.' }),
  output: text("The last agent's output; null until completed."),
  error: text('Why the run failed, naming the step; null unless failed.'),
  error_code: Type.Unsafe<(typeof runErrorCodes)[number] | null>({
    type: ['string', 'null'],
    enum: [...runErrorCodes, null],
    description: 'Kind of the failure; null unless failed.',
  }),
  total_steps: Type.Integer({ description: 'Finished steps, a failed one included.' }),
  ...usage,
  retry_of: text('Run that this one retries.'),
  pending: Pending,
  created_at: Timestamp('When the run was triggered.'),
  started_at: NullableTimestamp('When execution began; null while queued.'),
  finished_at: NullableTimestamp('When the run ended; null before.'),
}

export const Run = Type.Object(fields, {
  $id: 'Run',
  description: 'One execution of a workflow, without its steps.',
})
export type Run = Static<typeof Run>

export const RunWithSteps = Type.Object(
  {
    ...fields,
    steps: Type.Array(Ref(Step), { description: 'Steps in the order of execution.' }),
  },
  { $id: 'RunWithSteps', description: 'One execution of a workflow.' },
)
export type RunWithSteps = Static<typeof RunWithSteps>

export const CreateRun = StrictObject(
  {
    input: Type.String({
      minLength: 1,
      maxLength: 16_000,
      description: 'The text that the crew works on.',
    }),
  },
  { $id: 'CreateRun', description: 'A run to trigger.' },
)
export type CreateRun = Static<typeof CreateRun>

export const RunEventBody = Type.Object(
  {
    id: Type.String({ description: 'Event id.' }),
    type: Type.String({ description: 'Event type, such as `step.completed`.' }),
    sequence: Type.Integer({ description: 'Number within the run, from 1, without gaps.' }),
    run_id: Type.String({ description: 'The run.' }),
    created_at: Timestamp('When it happened.'),
    data: Type.Record(Type.String(), Type.Unknown(), { description: 'Details by type.' }),
  },
  { $id: 'RunEvent', description: 'One entry of the event log of a run.' },
)
