import Type, { type TObject, type TProperties } from 'typebox'
import { Nullable, NullableText, Ref, StringEnum, Timestamp } from '../../wire-types.ts'
import { callDecisions, callStatuses } from '../run/ledger.ts'
import { runErrorCodes } from '../run/run.ts'
import { finishReasons, type RunEventType } from '../run/step.ts'
import { author } from './step.ts'
import { TagsOfRun } from './tags.ts'

/**
 * The event log of a run on the wire: one schema for each type of event, and their union `RunEvent`.
 * Clients rely on them; the service itself sends events as they are stored.
 */
function event(type: RunEventType, $id: string, description: string, data: TProperties): TObject {
  return Type.Object(
    {
      id: Type.String({ description: 'Event id.' }),
      type: Type.Literal(type, { description: 'Type of the event.' }),
      sequence: Type.Integer({ description: 'Number within the run, from 1, without gaps.' }),
      run_id: Type.String({ description: 'The run.' }),
      created_at: Timestamp('When it happened.'),
      tags: TagsOfRun,
      data: Type.Object(data, { description: 'The details.' }),
    },
    { $id, description },
  )
}

const step = {
  order: Type.Integer({ description: 'Position of the step, from 0.' }),
  role: Type.String({ description: 'Role of its agent.' }),
}
const stepOfModel = { ...step, model: Type.String({ description: 'Model id.' }) }
const counted = {
  tokens_in: Type.Integer({ description: 'Input tokens of the step.' }),
  tokens_out: Type.Integer({ description: 'Output tokens of the step.' }),
  cost_usd: Type.Number({ description: 'Cost of the step in US dollars.' }),
  calls_without_price: Type.Optional(
    Type.Integer({ description: 'Model calls that `cost_usd` counts as 0; absent for none.' }),
  ),
}
const call = {
  ...step,
  call_id: Type.String({ description: 'The tool call.' }),
  tool: Type.String({ description: 'Its tool.' }),
}
const requestId = Type.String({ description: 'Id of the request.' })
const reason = Type.Optional(Type.String({ description: 'The reason, if given.' }))
const request = {
  pending_id: requestId,
  kind: StringEnum(['input', 'approval', 'budget'] as const, { description: 'Its kind.' }),
  tool: Type.Optional(Type.String({ description: 'Approvals only: the action.' })),
  call_id: Type.Optional(
    Type.String({ description: 'The tool call; the kind `budget` has none.' }),
  ),
}
const decision = {
  pending_id: requestId,
  call_id: Type.Optional(
    Type.String({ description: 'The tool call; absent for a request of the kind `budget`.' }),
  ),
  decision: StringEnum([...callDecisions, 'withdrawn'] as const, {
    description:
      'The decision; `withdrawn` if the budget that asked was raised or deleted, or if a worker reported the outcome ' +
      'that was unknown.',
  }),
  reason,
}
const decided = {
  ...decision,
  given: Type.Optional(
    Type.Integer({ description: 'Approvals so far; only if others have to approve too.' }),
  ),
  required: Type.Optional(Type.Integer({ description: 'Approvals required.' })),
  decided_by: NullableText('The key or user that decided; null if the request expired.'),
  decisions: Type.Optional(
    Type.Array(
      Type.Object(
        {
          ...decision,
          given: Type.Optional(Type.Integer({ description: 'Approvals so far.' })),
          required: Type.Optional(Type.Integer({ description: 'Approvals required.' })),
          decided_by: Type.Optional(NullableText('Null if the request expired.')),
        },
        { description: 'One decision.' },
      ),
      { description: 'All decisions, if several requests were decided together.' },
    ),
  ),
}

/** @public */
export const RunQueuedEvent = event('run.queued', 'RunQueuedEvent', 'A run was triggered.', {
  tags: Type.Optional(TagsOfRun),
  retry_of: Type.Optional(Type.String({ description: 'The run that this one retries.' })),
  forked_from: Type.Optional(
    Type.String({ description: 'The run that this one was forked from.' }),
  ),
  from_step: Type.Optional(Type.Integer({ description: 'The step at which a fork begins.' })),
})

/** @public */
export const RunStartedEvent = event('run.started', 'RunStartedEvent', 'A run began.', {})

/** @public */
export const StepStartedEvent = event(
  'step.started',
  'StepStartedEvent',
  'A step began.',
  stepOfModel,
)

/** @public */
export const StepCutEvent = event(
  'step.cut',
  'StepCutEvent',
  'The output of a step was cut off at the limit of output tokens.',
  {
    ...stepOfModel,
    max_tokens: Nullable(
      Type.Integer({ description: "The agent's limit; null for the model's own." }),
    ),
  },
)

/** @public */
export const StepCompletedEvent = event(
  'step.completed',
  'StepCompletedEvent',
  'A step completed.',
  {
    ...stepOfModel,
    ...counted,
    finish_reason: Type.Optional(
      StringEnum(finishReasons, { description: 'Why the model stopped.' }),
    ),
  },
)

/** @public */
export const StepFailedEvent = event('step.failed', 'StepFailedEvent', 'A step failed.', {
  ...stepOfModel,
  ...counted,
  error: Type.String({ description: 'Why it failed.' }),
})

/** @public */
export const ToolStartedEvent = event(
  'tool.started',
  'ToolStartedEvent',
  'A tool call began.',
  call,
)

/** @public */
export const ToolRequestedEvent = event(
  'tool.requested',
  'ToolRequestedEvent',
  "A call of a caller's tool was requested of the account's workers.",
  {
    ...call,
    run_id: Type.String({ description: 'The run.' }),
    name: Type.String({ description: 'Name of the tool, without `app.`.' }),
    input: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'The arguments.',
    }),
    expires_at: Type.String({
      format: 'date-time',
      description: 'When the time for a result is over.',
    }),
  },
)

/** @public */
export const ToolCompletedEvent = event(
  'tool.completed',
  'ToolCompletedEvent',
  'A tool call ended.',
  { ...call, status: StringEnum(callStatuses, { description: 'Status of the call.' }) },
)

/** @public */
export const FileWrittenEvent = event(
  'file.written',
  'FileWrittenEvent',
  'An agent wrote a file.',
  {
    ...step,
    file_id: Type.String({ description: 'The file.' }),
    name: Type.String({ description: 'Its name.' }),
    bytes: Type.Integer({ description: 'Its size.' }),
    call_id: call.call_id,
  },
)

/** @public */
export const MemoryEvictedEvent = event(
  'memory.evicted',
  'MemoryEvictedEvent',
  'A new memory entry replaced the oldest unpinned one.',
  {
    entry_id: Type.String({ description: 'The entry that was replaced.' }),
    made_room_for: Type.String({ description: 'The new entry.' }),
  },
)

/** @public */
export const RunWaitingInputEvent = event(
  'run.waiting_input',
  'RunWaitingInputEvent',
  'A run began to wait for a person.',
  {
    ...request,
    ...step,
    calls: Type.Optional(
      Type.Array(Type.Object(request, { description: 'One request.' }), {
        description: 'All requests, if several calls wait; the first is also in the event itself.',
      }),
    ),
    prompt: Type.Optional(
      Type.String({ description: 'The question; only for the kind `budget`.' }),
    ),
  },
)

/** @public */
export const RunApprovalGivenEvent = event(
  'run.approval_given',
  'RunApprovalGivenEvent',
  'A person approved, and others have to approve too.',
  decided,
)

/** @public */
export const RunResumedEvent = event(
  'run.resumed',
  'RunResumedEvent',
  'A waiting run continues: its request was answered, withdrawn, or expired.',
  {
    ...decided,
    decider: Type.Optional(author('Requests of the kind `budget`: who decided.')),
    max_cost_usd: Type.Optional(
      Type.Number({ description: 'Requests of the kind `budget`: the new limit.' }),
    ),
  },
)

/** @public */
export const RunCompletedEvent = event(
  'run.completed',
  'RunCompletedEvent',
  'A run completed. The last event of its log.',
  {},
)

/** @public */
export const RunFailedEvent = event(
  'run.failed',
  'RunFailedEvent',
  'A run failed or was cancelled. The last event of its log.',
  {
    error: Type.String({ description: 'Why it failed.' }),
    error_code: StringEnum(runErrorCodes, { description: 'Code of the failure.' }),
  },
)

/** @public The schema of each type. */
export const schemaOf: Record<RunEventType, TObject> = {
  'run.queued': RunQueuedEvent,
  'run.started': RunStartedEvent,
  'step.started': StepStartedEvent,
  'step.cut': StepCutEvent,
  'step.completed': StepCompletedEvent,
  'step.failed': StepFailedEvent,
  'tool.started': ToolStartedEvent,
  'tool.requested': ToolRequestedEvent,
  'tool.completed': ToolCompletedEvent,
  'file.written': FileWrittenEvent,
  'memory.evicted': MemoryEvictedEvent,
  'run.waiting_input': RunWaitingInputEvent,
  'run.approval_given': RunApprovalGivenEvent,
  'run.resumed': RunResumedEvent,
  'run.completed': RunCompletedEvent,
  'run.failed': RunFailedEvent,
}

export const RunEvent = Type.Unsafe<object>({
  oneOf: Object.values(schemaOf).map(Ref),
  $id: 'RunEvent',
  description: 'One entry of the event log of a run. Types may be added: ignore unknown ones.',
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(
      Object.entries(schemaOf).map(([type, one]) => [
        type,
        `#/components/schemas/${String((one as { $id?: string }).$id)}`,
      ]),
    ),
  },
})
