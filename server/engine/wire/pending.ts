import Type, { type Static } from 'typebox'
import {
  Nullable,
  NullableObject,
  NullableTimestamp,
  Ref,
  StrictObject,
  StringEnum,
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
  { description: 'Who may answer: each of the users, and whoever has one of the roles.' },
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
}

/** @public */
export const PendingCall = Type.Object(
  {
    id: Type.String({ description: 'Id of the request; a decision sends it as `pending_id`.' }),
    kind: StringEnum(['input', 'approval'] as const, {
      description: '`input`: a question. `approval`: an action that awaits a go-ahead.',
    }),
    prompt: Type.String({ description: 'The question, or a short summary of the action.' }),
    call_id: Type.String({ description: 'The tool call that asks.' }),
    ...callFields,
  },
  { $id: 'PendingCall', description: 'One of several calls of a turn that await a human.' },
)

/** The fields of a pending request. */
const pendingFields = {
  id: Type.String({ description: 'Id of the request; send it back as `pending_id`.' }),
  kind: StringEnum(['input', 'approval', 'budget'] as const, {
    description:
      '`input`: a question. `approval`: an action that awaits a go-ahead. `budget`: the next model call has no ' +
      'room; only where `limits.on_cost` of the workflow or `on_cap` of a budget is `ask`.',
  }),
  prompt: Type.String({
    description: 'The question, or a short summary of the action or of the cost.',
  }),
  ...callFields,
  step_order: Type.Integer({ description: 'Position of the step that asks.' }),
  role: Type.String({ description: 'Role of the agent that asks.' }),
  call_id: Type.Optional(
    Type.String({ description: 'The tool call that asks; the kind `budget` has none.' }),
  ),
  cost: Type.Optional(
    Type.Object(
      {
        spent_usd: Type.Number({
          description: 'What was spent: by the run, or in the window of the budget.',
        }),
        limit_usd: Type.Number({
          description: 'What may be: `limits.max_cost_usd`, or the cap of the budget.',
        }),
        estimate_usd: Type.Number({
          description: 'What the next call may cost: the whole prompt and the longest answer.',
        }),
        run_cost_usd: Type.Number({ description: 'What the run has cost.' }),
        budget: Type.Optional(
          Type.Object(
            {
              id: Type.String({ description: 'Budget id.' }),
              name: Type.String({ description: 'Its name.' }),
              window: Type.String({ description: '`day`, `week` or `month`.' }),
              ends_at: Type.String({
                format: 'date-time',
                description: 'When it begins anew.',
              }),
            },
            { description: "The budget that asks; absent where the run's own limit does." },
          ),
        ),
      },
      { description: 'Kind `budget` only: why the run asks.' },
    ),
  ),
  approvers,
  case_id: Type.Optional(
    Type.String({
      description:
        'Only where several calls of a turn wait, or did: the id of their case, which stays while they are decided one by ' +
        'one. It names the case in `/v1/pending/{id}`, not in an answer.',
    }),
  ),
  calls: Type.Optional(
    Type.Array(Ref(PendingCall), {
      description:
        'Only where several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Each is ' +
        'decided by `decisions`, or by an answer with its id as `pending_id`.',
    }),
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

export const Pending = Nullable({
  ...Type.Object(pendingFields),
  description: 'The request that awaits a human; null unless the status is `waiting_input`.',
})

const absentable = (maxLength: number, description: string) =>
  Type.Optional(Nullable(Type.String({ maxLength, description })))

const answerFields = {
  input: absentable(16_000, 'The answer; required when the action is `input`, refused otherwise.'),
  reason: absentable(2_000, 'Kept with the decision; the agent gets that of a rejection.'),
  pending_id: absentable(100, 'The request that is answered; another one is refused with 409.'),
  tool_input: Type.Optional(
    NullableObject("With `approve`: arguments in place of the agent's, kept as edited."),
  ),
}

const CallDecision = StrictObject(
  {
    call_id: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The call: one of `pending.calls`, or that of `pending` itself.',
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
          '`decisions`. Of several calls that wait it answers the first, or that of `pending_id`.',
      }),
    ),
    ...answerFields,
    max_cost_usd: Type.Optional(
      Nullable(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 1_000_000,
          description:
            'With `approve` of a pending budget, and required there: what this run may cost in all, over what it ' +
            'has cost.',
        }),
      ),
    ),
    decisions: Type.Optional(
      Type.Array(CallDecision, {
        minItems: 1,
        maxItems: 32,
        description:
          'In place of all other fields: a decision for each of these calls of `pending.calls`, all or some. They take ' +
          'effect together, or none does.',
      }),
    ),
  },
  {
    $id: 'RespondToRun',
    examples: [{ action: 'approve', pending_id: 'pnd_01ktbz3v9se0c9x1hm8q5gkxvn' }],
    description: 'The answer to what a run waits for. Null and "" count as absent.',
  },
)
export type RespondToRun = Static<typeof RespondToRun>

const approvals = Type.Optional(
  Type.Object(
    {
      given: Type.Integer({ description: 'How many people have approved.' }),
      required: Type.Integer({ description: 'How many have to.' }),
    },
    { description: 'Where others have to approve as well.' },
  ),
)

export const RespondedRun = Type.Object(
  {
    id: Type.String({ description: 'Run id.' }),
    status: StringEnum(['running', 'waiting_input', 'failed'] as const, {
      description:
        '`running`: it goes on, and waits again where others of its calls are left. `waiting_input`: others have to approve as well. `failed`: it ended, because a ' +
        'pending budget was rejected.',
    }),
    approvals,
    decisions: Type.Optional(
      Type.Array(
        Type.Object({
          call_id: Type.String({ description: 'The call.' }),
          decision: StringEnum(callDecisions, { description: 'What was decided.' }),
          approvals,
        }),
        { description: 'After `decisions`: what became of each, in their order.' },
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
    input_preview: Type.String({
      description: 'The first 120 characters of the input of the run, on one line.',
    }),
    pending: Type.Object(pendingFields, { description: 'What it waits for.' }),
  },
  { $id: 'WaitingRun', description: 'A request that awaits a human.' },
)
export type WaitingRun = Static<typeof WaitingRun>
