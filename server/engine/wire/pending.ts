import Type, { type Static, type TObject } from 'typebox'
import {
  Nullable,
  NullableObject,
  NullableTimestamp,
  Ref,
  StrictObject,
  StringEnum,
  TimeFilter,
  Timestamp,
} from '../../wire-types.ts'
import { callDecisions } from '../run/ledger.ts'
import { Approval } from './step.ts'

export const approvers = StrictObject(
  {
    users: Type.Array(Type.String({ minLength: 1, maxLength: 80, description: 'A user id.' }), {
      maxItems: 50,
      description: 'People of the account, by id.',
    }),
    roles: Type.Array(
      StringEnum(['approver', 'member', 'admin'] as const, { description: 'A role.' }),
      { maxItems: 3, description: 'Roles, of people and keys.' },
    ),
  },
  { description: 'Who may answer: each of the users, and everyone with one of the roles.' },
)

/** The fields of a request that describe the call. */
const callFields = {
  tool: Type.Optional(Type.String({ description: 'Approvals only: the action.' })),
  tool_input: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Approvals only: the exact arguments.',
    }),
  ),
  tool_version: Type.Optional(
    Type.String({
      description:
        'Approvals only: what the approval is bound to besides the arguments. If the action or its connection ' +
        'changes before the call is made, a new approval is requested.',
    }),
  ),
  tool_changed: Type.Optional(
    Type.Object(
      {
        description: Type.String({ description: 'Its current description.' }),
        input_schema: Nullable(
          Type.Unsafe<object>({
            type: 'object',
            additionalProperties: true,
            description: "Its arguments' current JSON Schema; null if it is over 8 KB.",
          }),
        ),
      },
      { description: 'Set if the action or its connection changed after the agent asked.' },
    ),
  ),
  approvals: Type.Optional(
    Type.Object(
      {
        required: Type.Integer({ description: 'How many different people have to approve.' }),
        given: Type.Integer({ description: 'How many have approved.' }),
        by: Type.Array(Ref(Approval), { description: 'Who has approved.' }),
      },
      { description: 'Approvals only: the approvals so far.' },
    ),
  ),
}

/**
 * The fields that only some kinds of requests have, "?" where not always. The service sends all kinds by one schema;
 * generated clients make a type of each kind.
 */
const approvalFields = [
  'call_id',
  'tool',
  'tool_input',
  'tool_version?',
  'tool_changed?',
  'approvals?',
]

/** @public */
export const PendingCall = Type.Object(
  {
    id: Type.String({ description: 'Id of the request; send it as `pending_id` of a decision.' }),
    kind: StringEnum(['input', 'approval'] as const, {
      description: '`input`: a question. `approval`: an action that needs approval.',
    }),
    prompt: Type.String({ description: 'The question, or a short summary of the action.' }),
    call_id: Type.String({ description: 'The tool call of the request.' }),
    ...callFields,
  },
  {
    $id: 'PendingCall',
    description: 'One of several calls of a turn that wait for a human.',
    'x-variants': {
      name: 'PendingCall',
      by: 'kind',
      only: { input: ['call_id'], approval: approvalFields },
    },
  },
)

/** The fields of a pending request. */
const pendingFields = {
  id: Type.String({ description: 'Id of the request; send it as `pending_id`.' }),
  kind: StringEnum(['input', 'approval', 'budget'] as const, {
    description:
      '`input`: a question. `approval`: an action that needs approval. `budget`: the next model call exceeds a ' +
      "limit; only if the workflow's `limits.on_cost` or a budget's `on_cap` is `ask`.",
  }),
  prompt: Type.String({
    description: 'The question, or a short summary of the action or of the cost.',
  }),
  ...callFields,
  step_order: Type.Integer({ description: 'Position of the step that asks.' }),
  role: Type.String({ description: 'Role of the agent that asks.' }),
  call_id: Type.Optional(
    Type.String({ description: 'The tool call of the request; the kind `budget` has none.' }),
  ),
  cost: Type.Optional(
    Type.Object(
      {
        spent_usd: Type.Number({
          description: "The amount spent by the run, or in the budget's window.",
        }),
        limit_usd: Type.Number({
          description: "The limit: `limits.max_cost_usd`, or the budget's cap.",
        }),
        estimate_usd: Type.Number({
          description: 'Maximum cost of the next call: the whole prompt and the longest answer.',
        }),
        run_cost_usd: Type.Number({ description: 'The cost of the run so far.' }),
        budget: Type.Optional(
          Type.Object(
            {
              id: Type.String({ description: 'Budget id.' }),
              name: Type.String({ description: 'Its name.' }),
              window: Type.String({ description: '`day`, `week` or `month`.' }),
              ends_at: Type.String({
                format: 'date-time',
                description: 'When the next window begins.',
              }),
            },
            { description: "The budget that asks; absent if the run's own limit asks." },
          ),
        ),
      },
      { description: 'Kind `budget` only: the amounts.' },
    ),
  ),
  approvers,
  case_id: Type.Optional(
    Type.String({
      description:
        'Only if several calls of a turn wait or waited: the id of their case, which stays the same while they ' +
        'are decided one by one. Use it in `/v1/pending/{id}`, not in an answer.',
    }),
  ),
  calls: Type.Optional(
    Type.Array(Ref(PendingCall), {
      description:
        'Only if several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Decide ' +
        'each with `decisions`, or with an answer that has its id as `pending_id`.',
    }),
  ),
  excluded: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Ids of keys and users who may not approve because they triggered the run and the account's policy is " +
        'four eyes; absent otherwise, and in webhooks.',
    }),
  ),
  created_at: Timestamp('When the run began to wait.'),
  expires_at: NullableTimestamp('When the request expires; null means never.'),
}

const kindsOfPending = {
  name: 'Pending',
  by: 'kind',
  only: { input: ['call_id'], approval: approvalFields, budget: ['cost'] },
}

/** Filters of the list of waiting requests. */
export const pendingQuery = {
  workflow_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only requests of this workflow.' }),
  ),
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Only approvals of this action, such as `email.send`; `input` and `budget` find that kind.',
    }),
  ),
  assignee: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Only requests that are assigned to this user.',
    }),
  ),
  created_before: TimeFilter('only requests that wait since then or longer'),
  q: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: 200,
      description:
        "Only requests with this text in their workflow's name, role, prompt, arguments or the first 1,000 " +
        "characters of the run's input, ignoring the case of A to Z.",
    }),
  ),
}
export type PendingQuery = Static<TObject<typeof pendingQuery>>

export const Pending = Nullable({
  ...Type.Object(pendingFields),
  description: 'The waiting request; null unless the status is `waiting_input`.',
  'x-variants': kindsOfPending,
})

const absentable = (maxLength: number, description: string) =>
  Type.Optional(Nullable(Type.String({ maxLength, description })))

const answerFields = {
  input: absentable(16_000, 'The answer; required when the action is `input`, refused otherwise.'),
  reason: absentable(2_000, 'Stored with the decision; for a rejection, the agent sees it.'),
  pending_id: absentable(
    100,
    'The request to answer; if another one is waiting, the answer is refused with 409.',
  ),
  tool_input: Type.Optional(
    NullableObject("With `approve`: arguments that replace the agent's, recorded as edited."),
  ),
}

const CallDecision = StrictObject(
  {
    call_id: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The call: one of `pending.calls`, or the call of `pending` itself.',
    }),
    action: StringEnum(['input', 'approve', 'reject'] as const, {
      description: '`input` answers a question; `approve` and `reject` decide an approval.',
    }),
    ...answerFields,
  },
  { description: 'A decision about one call.' },
)

export const RespondToRun = StrictObject(
  {
    action: Type.Optional(
      StringEnum(['input', 'approve', 'reject'] as const, {
        description:
          '`input` answers a question; `approve` and `reject` decide an approval or a budget. Required without ' +
          '`decisions`. If several calls wait, it applies to the first, or to the one named by `pending_id`.',
      }),
    ),
    ...answerFields,
    max_cost_usd: Type.Optional(
      Nullable(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 1_000_000,
          description:
            "Required with `approve` of a pending budget: the run's new total limit, above what it has cost.",
        }),
      ),
    ),
    decisions: Type.Optional(
      Type.Array(CallDecision, {
        minItems: 1,
        maxItems: 32,
        description:
          'Replaces all other fields: decisions for some or all calls of `pending.calls`. Either all of them take ' +
          'effect, or none.',
      }),
    ),
  },
  {
    $id: 'RespondToRun',
    examples: [{ action: 'approve', pending_id: 'pnd_01ktbz3v9se0c9x1hm8q5gkxvn' }],
    description: 'The answer to a waiting request. Null and "" count as absent.',
  },
)
export type RespondToRun = Static<typeof RespondToRun>

const approvals = Type.Optional(
  Type.Object(
    {
      given: Type.Integer({ description: 'How many people have approved.' }),
      required: Type.Integer({ description: 'How many have to approve.' }),
    },
    { description: 'Set if others have to approve too.' },
  ),
)

export const RespondedRun = Type.Object(
  {
    id: Type.String({ description: 'Run id.' }),
    status: StringEnum(['running', 'waiting_input', 'failed'] as const, {
      description:
        '`running`: it continues, and waits again if other calls are left. `waiting_input`: others have to ' +
        'approve too. `failed`: it ended because a pending budget was rejected.',
    }),
    approvals,
    decisions: Type.Optional(
      Type.Array(
        Type.Object({
          call_id: Type.String({ description: 'The call.' }),
          decision: StringEnum(callDecisions, { description: 'The decision.' }),
          approvals,
        }),
        { description: 'After `decisions`: the result of each, in order.' },
      ),
    ),
  },
  { $id: 'RespondedRun', description: 'The result of an answer.' },
)
export type RespondedRun = Static<typeof RespondedRun>

export const WaitingRun = Type.Object(
  {
    run_id: Type.String({ description: 'The run that waits.' }),
    workflow_id: Type.String({ description: 'Its workflow.' }),
    workflow_name: Type.String({ description: 'Name of the workflow.' }),
    input_preview: Type.String({
      description: "The first 120 characters of the run's input, on one line.",
    }),
    pending: Type.Object(pendingFields, {
      description: 'The waiting request.',
      'x-variants': kindsOfPending,
    }),
  },
  { $id: 'WaitingRun', description: 'A run that waits for a human.' },
)
export type WaitingRun = Static<typeof WaitingRun>
