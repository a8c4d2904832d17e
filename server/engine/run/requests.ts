import { createHash } from 'node:crypto'
import { canonical, type Tool } from '../../tools/contract.ts'
import { boundedOutput } from './messages.ts'
import { notMade, toolEvent, type ToolCall } from './ledger.ts'
import { runEvent, type RunEvent } from './step.ts'

/**
 * The state machine of calls that are requested of the account's workers, pure. A call is `executing` in the ledger
 * while its request is open; the statement that closes the request writes the outcome into the ledger.
 *
 *     requested ⇄ claimed → succeeded | failed | unknown
 *         └─────────┴─────→ failed | unknown | cancelled
 *
 * A claim gives the call to one worker until its lease ends. A worker may lose a call that only reads: it is given out
 * again. Another call becomes `unknown`, and a person decides; the decision to repeat it requests it anew.
 */
export const requestStatuses = [
  'requested',
  'claimed',
  'succeeded',
  'failed',
  'unknown',
  'cancelled',
] as const
export type RequestStatus = (typeof requestStatuses)[number]

/** How often a call is given out in its time, at most, if workers report that nothing happened. */
const maxTries = 5

/** What a worker reports about a call. */
export type Report =
  | { kind: 'output'; output: unknown }
  | { kind: 'error'; message: string; isRetryable: boolean }

export interface RequestState {
  status: RequestStatus
  /** How often it was given out since it was requested last. */
  tries: number
  isInTime: boolean
  /** Its run has failed, so that nobody decides about an unknown outcome any more. */
  isRunOver: boolean
  /** A person has not decided about it, if its outcome is unknown. */
  isUndecided: boolean
  lease: string | null
  /** Hash of the report that closed it; null for none. */
  reportHash: string | null
}

export type Judgement =
  | { kind: 'repeated' | 'again' | 'settle' }
  | {
      kind: 'refused'
      code: 'tool_call_answered' | 'tool_call_expired' | 'tool_call_cancelled' | 'lease_lost'
    }

/**
 * What becomes of a report: it is `repeated`, gives the call out `again`, `settle`s it, or is refused. A report needs no
 * lease, because the first outcome of a call counts, whoever knows it; but only its holder can say that a claimed call
 * may be given to another.
 */
export function judgeReport(
  state: RequestState,
  report: Report,
  lease: string | undefined,
): Judgement {
  if (state.reportHash !== null) {
    const isSame = state.reportHash === hashReport(report)
    return isSame ? { kind: 'repeated' } : refuse('tool_call_answered')
  }
  if (state.status === 'cancelled' || state.isRunOver) return refuse('tool_call_cancelled')
  if (state.status === 'failed' || !state.isInTime) return refuse('tool_call_expired')
  if (state.status === 'unknown' && !state.isUndecided) return refuse('tool_call_answered')
  if (report.kind === 'output' || !report.isRetryable) return { kind: 'settle' }
  if (state.status === 'claimed' && state.lease !== lease) return refuse('lease_lost')
  return { kind: state.tries >= maxTries ? 'settle' : 'again' }
}

function refuse(code: (Judgement & { kind: 'refused' })['code']): Judgement {
  return { kind: 'refused', code }
}

export function hashReport(report: Report): string {
  const content = report.kind === 'output' ? { output: report.output } : { error: report.message }
  return createHash('sha256').update(canonical(content)).digest('hex')
}

/** The text of a report for the agent: text as it is, anything else as JSON. */
export function textOfReport(report: Report): string {
  if (report.kind === 'error') return report.message
  return typeof report.output === 'string' ? report.output : JSON.stringify(report.output)
}

/** What becomes of a request whose lease or time has ended. */
export type Lapse =
  | { kind: 'again' }
  | { kind: 'failed'; output: string }
  | { kind: 'unknown'; reason: string }

export function lapse({
  status,
  sensitive,
  isInTime,
  timeoutSeconds,
}: {
  status: 'requested' | 'claimed'
  sensitive: boolean
  isInTime: boolean
  timeoutSeconds: number
}): Lapse {
  if (status === 'requested') {
    return { kind: 'failed', output: `${notMade}no worker took it in ${timeoutSeconds} s.` }
  }
  if (!sensitive && isInTime) return { kind: 'again' }
  const why = isInTime
    ? 'its worker did not answer before its lease ended'
    : `its worker did not answer within ${timeoutSeconds} s`
  if (sensitive) return { kind: 'unknown', reason: why }
  return { kind: 'failed', output: boundedOutput(`The call failed: ${why}.`) }
}

/** A call that goes to the account's workers. */
export interface RequestedCall {
  call: Pick<ToolCall, 'id' | 'turn' | 'position' | 'sensitive' | 'tool' | 'input' | 'timesMade'>
  request: NonNullable<Tool['request']>
}

/** The connectors' tools of a step, as in its toolbox. */
interface Tools {
  tool(id: string): Pick<Tool, 'request'> | undefined
}

/** Those of the calls that go to the account's workers. */
export function requestsOf(tools: Tools, calls: readonly ToolCall[]): RequestedCall[] {
  return calls.flatMap((call) => {
    const request = tools.tool(call.tool)?.request
    return request === undefined ? [] : [{ call, request }]
  })
}

/** The events of calls that go out at this time. */
export function startEvents(
  runId: string,
  { step, box }: { step: { position: number; role: string }; box: Tools },
  calls: readonly ToolCall[],
  at: Date,
): RunEvent[] {
  return calls.map((call) => {
    const [requested] = requestsOf(box, [call])
    return requested === undefined
      ? toolEvent(runId, 'tool.started', step, call)
      : requestedEvent(runId, step, requested, at)
  })
}

function requestedEvent(
  runId: string,
  step: { position: number; role: string },
  { call: { id, tool, input, timesMade }, request: { name, timeoutSeconds } }: RequestedCall,
  at: Date,
): RunEvent {
  const data = {
    order: step.position,
    role: step.role,
    tool,
    call_id: id,
    run_id: runId,
    name,
    input,
    expires_at: new Date(at.getTime() + timeoutSeconds * 1_000).toISOString(),
  }
  return runEvent(runId, 'tool.requested', data, `${id} ${timesMade}`)
}

/** Why a run is held while its calls are requested. */
export function heldForWorkers(names: readonly string[]): string {
  return `It waits for the result of ${[...new Set(names)].join(', ')} from a worker of the account`
}
