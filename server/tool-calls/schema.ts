import Type, { type Static } from 'typebox'
import { requestStatuses } from '../engine/run/requests.ts'
import { NullableAuthor, author } from '../engine/wire/step.ts'
import {
  Nullable,
  NullableText,
  NullableTimestamp,
  Ref,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
} from '../wire-types.ts'

const namePattern = '^[a-z][a-z0-9_]{0,39}$'

const shared = {
  id: Type.String({ description: 'Tool call id.' }),
  run_id: Type.String({ description: 'The run.' }),
  workflow_id: Type.String({ description: 'Its workflow.' }),
  step_order: Type.Integer({ description: 'Position of the step, from 0.' }),
  agent_id: NullableText('The standing agent that asks; null for a plain entry.'),
  name: Type.String({ description: 'Name of the tool, without `app.`.' }),
  input: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: "The arguments, which fit the tool's `input_schema`.",
  }),
  try: Type.Integer({ description: 'How often the call was given to a worker.' }),
  requested_at: Timestamp('When it was requested.'),
  expires_at: Timestamp('When the time for a result is over.'),
}

export const RequestedCall = Type.Object(
  {
    ...shared,
    sensitive: Type.Boolean({
      description: 'Whether it may have an effect, and is therefore never repeated by itself.',
    }),
    status: StringEnum(requestStatuses, {
      description:
        '`requested`: open to claims. `claimed`: a worker has it. `unknown`: it may have been done; a person decides ' +
        'whether to repeat it. `cancelled`: its run ended before. The others are final.',
    }),
    lease_expires_at: NullableTimestamp('When the claim ends; null unless claimed.'),
    claimed_by: NullableAuthor('Who claimed it last; null if no one did.'),
    claimed_at: NullableTimestamp('When it was claimed last; null if it was not.'),
    output: Type.Unsafe<unknown>({
      description:
        'The reported output; of one over 64 KB, which is a file of the run, the first 64 KB as text. Null before.',
    }),
    error: NullableText('The reported error; null if there is none.'),
    finished_at: NullableTimestamp('When the outcome was known; null before.'),
  },
  { $id: 'RequestedCall', description: "A call of a caller's tool." },
)
export type RequestedCall = Static<typeof RequestedCall>

export const ClaimedCall = Type.Object(
  {
    ...shared,
    lease_expires_at: Timestamp('When the claim ends, unless it is renewed.'),
    lease: Type.String({ description: 'Token of the claim.' }),
  },
  { $id: 'ClaimedCall', description: 'A call that its claimer executes.' },
)
export type ClaimedCall = Static<typeof ClaimedCall>

const leaseSeconds = Type.Optional(
  Type.Integer({
    minimum: 5,
    maximum: 600,
    default: 60,
    description: 'How long the claim holds, from now.',
  }),
)

export const ClaimCalls = StrictObject(
  {
    names: Type.Optional(
      Type.Array(
        Type.String({
          minLength: 1,
          maxLength: 40,
          pattern: namePattern,
          description: 'Name of a tool, without `app.`.',
        }),
        {
          minItems: 1,
          maxItems: 100,
          description: 'Only calls of these tools; by default of any.',
        },
      ),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 50,
        default: 1,
        description: 'Maximum number of calls.',
      }),
    ),
    lease_seconds: leaseSeconds,
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30,
        default: 0,
        description: 'How long to wait for a call if there is none.',
      }),
    ),
  },
  {
    $id: 'ClaimCalls',
    examples: [{ names: ['lookup_order'], limit: 1, lease_seconds: 60 }],
    description: 'Which calls to claim.',
  },
)
export type ClaimCalls = Static<typeof ClaimCalls>

const lease = Text(100, 'The token of the claim.')

export const ExtendClaim = StrictObject(
  { lease, lease_seconds: leaseSeconds },
  {
    $id: 'ExtendClaim',
    examples: [{ lease: 'lease of the claim', lease_seconds: 60 }],
    description: 'The claim to renew.',
  },
)
export type ExtendClaim = Static<typeof ExtendClaim>

export const ReportResult = StrictObject(
  {
    lease: Type.Optional(lease),
    output: Type.Optional(
      Type.Unsafe<unknown>({ description: 'The output, any JSON up to 1 MB; null for none.' }),
    ),
    error: Type.Optional(
      StrictObject(
        {
          message: Text(10_000, 'What went wrong, for the agent.'),
          retryable: Type.Optional(
            Type.Boolean({
              description:
                'Nothing happened, and another try may work: the call is given out again, up to 5 times in its time.',
            }),
          ),
        },
        { description: 'Why the call failed, instead of an output.' },
      ),
    ),
  },
  {
    $id: 'ReportResult',
    examples: [{ output: { status: 'shipped' } }],
    description: 'The output of a call, or its error.',
  },
)
export type ReportResult = Static<typeof ReportResult>

export const callsQuery = {
  status: Type.Optional(StringEnum(requestStatuses, { description: 'Only calls in this status.' })),
  name: Type.Optional(Text(40, 'Only calls of this tool, without `app.`.')),
  run_id: Type.Optional(Text(100, 'Only calls of this run.')),
}

export const ToolWorker = Type.Object(
  {
    id: Type.String({ description: 'Identifies the entry.' }),
    key: author('The key or user that asks for calls.'),
    names: Nullable(
      Type.Array(Type.String({ description: 'Name of a tool.' }), {
        description: 'The tools that it serves; null for all.',
      }),
    ),
    address: NullableText('Its network address.'),
    since: Timestamp('Since when it has asked for calls without a long break.'),
    last_seen_at: Timestamp('When it asked last, to about ten seconds.'),
  },
  { $id: 'ToolWorker', description: "Someone who executes callers' tools." },
)
export type ToolWorker = Static<typeof ToolWorker>

export const ClaimedCalls = Type.Array(Ref(ClaimedCall), {
  description: 'The claimed calls, the oldest first; empty if there is none.',
})
