import Type, { type Static } from 'typebox'
import {
  Nullable,
  NullableTimestamp,
  Ref,
  StrictObject,
  Timestamp,
  StringEnum,
  TimeFilter,
} from '../http/schema.ts'
import { callDecisions, callStatuses } from '../engine/state/ledger.ts'
import { runErrorCodes, runStatuses } from '../engine/state/run.ts'
import { approvers } from '../workflows/schema.ts'
import { tagsToFind, TagsOfRun, TagsToSet } from './tags.ts'

const usage = {
  tokens_in: Type.Integer({ description: "Input tokens, by the provider's count." }),
  tokens_out: Type.Integer({ description: "Output tokens, by the provider's count." }),
  cost_usd: Type.Number({ description: 'Cost in US dollars, by the prices of the catalog.' }),
}

const text = (description: string) => Nullable(Type.String({ description }))

const author = (description: string) =>
  Nullable(
    Type.Object(
      {
        type: StringEnum(['key', 'user'] as const, { description: 'What they are.' }),
        id: Type.String({ description: 'Their id.' }),
        name: Type.String({ description: 'Their name at that time.' }),
      },
      { description },
    ),
  )

export const Approval = Type.Object(
  {
    id: Type.String({ description: 'User id.' }),
    name: Type.String({ description: 'Their name at that time.' }),
    reason: text('Why, where they said so.'),
    at: Type.String({ format: 'date-time', description: 'When they approved.' }),
  },
  { $id: 'Approval', description: "A person's approval of an action that needs several." },
)
export type Approval = Static<typeof Approval>

export const ToolCall = Type.Object(
  {
    id: Type.String({ description: 'Tool call id.' }),
    tool: Type.String({ description: 'The action, such as `email.send`, or a built-in tool.' }),
    tool_version: text(
      'What an approval is bound to besides the arguments: it changes with the action and its ' +
        'connection; null for tools of Muster itself.',
    ),
    input: Type.Unsafe<unknown>({
      description: 'The exact arguments; null when the model wrote no JSON object.',
    }),
    proposed_input: Type.Unsafe<unknown>({
      description: 'What the model wrote, when a person edited it; null otherwise.',
    }),
    status: StringEnum(callStatuses, {
      description:
        '`unknown`: it may or may not have been done, and is not repeated without a person.',
    }),
    output: text(
      'What the agent was told; null while open. With the run, its first 2,000 characters; whole in ' +
        'the turns of the step.',
    ),
    output_bytes: Nullable(Type.Integer({ description: 'Size of the whole output, as UTF-8.' })),
    decision: Type.Unsafe<(typeof callDecisions)[number] | null>({
      type: ['string', 'null'],
      enum: [...callDecisions, null],
      description:
        'How it was decided: by a person (`approved`, `edited`, `rejected`, `answered`), by the ' +
        'end of the wait (`expired`) or by policy (`refused`); null where nobody was asked.',
    }),
    decided_by: text('API key or user that decided; null where no person did.'),
    decider: author('Who decided; null where no person did.'),
    reason: text('Why, where whoever decided said so.'),
    approvals: Type.Array(Ref(Approval), {
      description: 'Who approved it, where one approval was not enough; empty otherwise.',
    }),
    decided_at: NullableTimestamp('When it was decided.'),
    started_at: NullableTimestamp('When the call went out; null if it never did.'),
    finished_at: NullableTimestamp('When its outcome was known.'),
  },
  { $id: 'ToolCall', description: 'What an agent wanted to do and what became of it.' },
)
export type ToolCall = Static<typeof ToolCall>

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
    tool_calls: Type.Array(Ref(ToolCall), { description: 'In the order of the calls.' }),
    memory: Type.Array(Type.String(), {
      description: 'Ids of the memory entries that the agent was shown.',
    }),
    reused_from: text('Run whose finished step was taken over by a retry; it cost nothing here.'),
    started_at: NullableTimestamp('When the step began.'),
    finished_at: NullableTimestamp('When the step ended; null while in progress.'),
  },
  { $id: 'Step', description: 'One agent at work.' },
)
export type Step = Static<typeof Step>

export const Turn = Type.Object(
  {
    number: Type.Integer({ description: 'Number within the step, from 0.' }),
    model: Type.String({ description: 'Model that answered.' }),
    messages: Type.Array(
      Type.Object(
        {
          role: StringEnum(['system', 'user'] as const, { description: 'Whose words they are.' }),
          text: Type.String({ description: 'The text.' }),
        },
        { description: 'A message.' },
      ),
      {
        description:
          'What the model was sent at first: its instructions with the memory, and the prompt. Each ' +
          'later turn is sent all of the turns before as well, with the outputs of their calls; its ' +
          'list is empty.',
      },
    ),
    tools: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'As the model sees it.' }),
          description: Type.String({ description: 'What it says of itself.' }),
          input_schema: Type.Unsafe<object>({
            type: 'object',
            additionalProperties: true,
            description: 'JSON Schema of its arguments.',
          }),
        },
        { description: 'A tool.' },
      ),
      { description: 'Tools that the model was offered.' },
    ),
    text: text('What the model wrote; null where it was deleted by age.'),
    reasoning: text('What the model gave of its reasoning; null for none.'),
    calls: Type.Array(Ref(ToolCall), {
      description: 'What it asked for, with the whole output of each, as the next turn got it.',
    }),
    ...usage,
    duration_ms: Nullable(Type.Integer({ description: 'Time of the model call that answered.' })),
    request_id: text("The provider's id of the request, where it gave one."),
  },
  { $id: 'Turn', description: 'One answer of a model: what it was sent and what it said.' },
)
export type Turn = Static<typeof Turn>

const pendingFields = {
  id: Type.String({ description: 'Id of the request; send it back as `pending_id`.' }),
  kind: StringEnum(['input', 'approval'] as const, {
    description: '`input`: a question. `approval`: an action that awaits a go-ahead.',
  }),
  prompt: Type.String({ description: 'The question, or a short summary of the action.' }),
  tool: Type.Optional(Type.String({ description: 'Approvals only: the action.' })),
  tool_input: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Approvals only: the exact arguments.',
    }),
  ),
  tool_version: Type.Optional(
    Type.String({
      description:
        'Approvals only: what the approval is bound to besides the arguments. Where the action or ' +
        'its connection changes before it is done, it is asked for anew.',
    }),
  ),
  tool_changed: Type.Optional(
    Type.Object(
      {
        description: Type.String({ description: 'What it says of itself now.' }),
        input_schema: Nullable(
          Type.Unsafe<object>({
            type: 'object',
            additionalProperties: true,
            description: 'JSON Schema of its arguments now; null where it is over 8 KB.',
          }),
        ),
      },
      { description: 'Only where the action or its connection changed after the agent asked.' },
    ),
  ),
  step_order: Type.Integer({ description: 'Position of the step that asks.' }),
  role: Type.String({ description: 'Role of the agent that asks.' }),
  call_id: Type.String({ description: 'The tool call that asks.' }),
  approvers,
  approvals: Type.Optional(
    Type.Object(
      {
        required: Type.Integer({ description: 'How many different people have to approve.' }),
        given: Type.Integer({ description: 'How many have.' }),
        by: Type.Array(Ref(Approval), { description: 'Those who have.' }),
      },
      { description: 'Approvals only: how far it is.' },
    ),
  ),
  excluded: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Ids of keys and users who may not approve, because they triggered the run and the account ' +
        'demands four eyes; absent otherwise, and in webhooks.',
    }),
  ),
  created_at: Timestamp('When the run began to wait.'),
  expires_at: NullableTimestamp('When the wait expires; null means never.'),
}

const pendingObject = Type.Object(pendingFields)
const Pending = Type.Unsafe<Static<typeof pendingObject> | null>({
  ...pendingObject,
  type: ['object', 'null'],
  description: 'The request that awaits a human; null unless the status is `waiting_input`.',
})

const fields = {
  id: Type.String({ description: 'Run id.' }),
  workflow_id: Type.String({ description: 'Workflow that was run.' }),
  status: StringEnum(runStatuses, { description: '`completed` and `failed` are final.' }),
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
  triggered_by: author('Who triggered or retried it; null where nobody did.'),
  tags: TagsOfRun,
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

const heldObject = Type.Object({
  reason: StringEnum(['provider_unavailable', 'account_at_limit', 'no_worker'] as const, {
    description: 'More may come.',
  }),
  since: NullableTimestamp('Since when; null where that is not known.'),
  next_try_at: NullableTimestamp('When it is tried again; null where that is up to others.'),
  message: Type.String({ description: 'The same in words.' }),
})
export type Held = Static<typeof heldObject>

export const RunWithSteps = Type.Object(
  {
    ...fields,
    waited_ms: Type.Integer({
      description:
        'Time since it began in which it waited, for people, for workers or to repeat a model call, ' +
        'and did not work.',
    }),
    held: Type.Unsafe<Held | null>({
      ...heldObject,
      type: ['object', 'null'],
      description:
        'Why the run cannot go on by itself at present; null where it can, where it has ended and ' +
        'where it waits for a person. Lists do not have it.',
    }),
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
    tags: Type.Optional(TagsToSet),
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

export const AccountEvent = Type.Union(
  [
    Type.Object(
      {
        type: Type.Literal('run.changed', { description: 'A run moved.' }),
        run_id: Type.String({ description: 'The run.' }),
        status: StringEnum(runStatuses, { description: 'As it stands now.' }),
        sequence: Type.Integer({ description: 'Number of its newest event.' }),
      },
      { description: 'A run began, moved or ended.' },
    ),
    Type.Object(
      {
        type: Type.Literal('pending.changed', { description: 'What a run waits for changed.' }),
        run_id: Type.String({ description: 'The run.' }),
        pending_id: Nullable(
          Type.String({ description: 'What it waits for now; null when for nothing.' }),
        ),
      },
      { description: 'A run waits for a person, or no longer does.' },
    ),
  ],
  { $id: 'AccountEvent', description: 'A hint to read something again.' },
)

export type AccountEvent = Static<typeof AccountEvent>

const absentable = (maxLength: number, description: string) =>
  Type.Optional(Nullable(Type.String({ maxLength, description })))

export const RespondToRun = StrictObject(
  {
    action: StringEnum(['input', 'approve', 'reject'] as const, {
      description: '`input` answers a question; `approve` and `reject` decide an approval.',
    }),
    input: absentable(
      16_000,
      'The answer; required when the action is `input`, refused otherwise.',
    ),
    reason: absentable(2_000, 'Kept with the decision; the agent gets that of a rejection.'),
    pending_id: absentable(100, 'The request that is answered; another one is refused with 409.'),
    tool_input: Type.Optional(
      Type.Unsafe<Record<string, unknown> | null>({
        type: ['object', 'null'],
        additionalProperties: true,
        description: "With `approve`: arguments in place of the agent's, kept as edited.",
      }),
    ),
  },
  {
    $id: 'RespondToRun',
    description: 'The answer to what a run waits for. Null and "" count as absent.',
  },
)
export type RespondToRun = Static<typeof RespondToRun>

export const RespondedRun = Type.Object(
  {
    id: Type.String({ description: 'Run id.' }),
    status: StringEnum(['running', 'waiting_input'] as const, {
      description: '`running`: it goes on. `waiting_input`: others have to approve as well.',
    }),
    approvals: Type.Optional(
      Type.Object(
        {
          given: Type.Integer({ description: 'How many people have approved.' }),
          required: Type.Integer({ description: 'How many have to.' }),
        },
        { description: 'Where others have to approve as well.' },
      ),
    ),
  },
  { $id: 'RespondedRun', description: 'What an answer did to its run.' },
)
export type RespondedRun = Static<typeof RespondedRun>

export const WaitingRun = Type.Object(
  {
    run_id: Type.String({ description: 'The run that waits.' }),
    workflow_id: Type.String({ description: 'Its workflow.' }),
    workflow_name: Type.String({ description: 'Name of the workflow.' }),
    pending: Type.Object(pendingFields, { description: 'What it waits for.' }),
  },
  { $id: 'WaitingRun', description: 'A request that awaits a human.' },
)
export type WaitingRun = Static<typeof WaitingRun>

const words = (known: readonly string[], description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: `${description}: ${known.join(', ')}, with commas between.`,
    }),
  )

/** Filters of the list of all runs. */
export const runsQuery = {
  status: words(runStatuses, 'Only runs in one of these statuses'),
  error_code: words(runErrorCodes, 'Only runs that failed with one of these codes'),
  workflow_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only runs of this workflow.' }),
  ),
  agent_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Only runs in which this agent has begun a step.',
    }),
  ),
  tag: Type.Optional(tagsToFind),
  min_cost_usd: Type.Optional(
    Type.Number({ minimum: 0, description: 'Only runs that cost at least this, in US dollars.' }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: 200,
      description:
        'The start of a run id, or words of the error and the values of tags: whole words in any ' +
        'case, of which a run has all. Up to 5 words count.',
    }),
  ),
  created_after: TimeFilter('only later runs'),
  created_before: TimeFilter('only earlier runs'),
}
