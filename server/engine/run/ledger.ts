import { ownTools } from '../../tools/own-tools.ts'
import { mailAction } from '../../tools/contract.ts'
import type { ApprovalsFloor, HumanInTheLoop, RuleDecision } from './definition.ts'
import { boundedOutput, messages } from './messages.ts'
import { runEvent, type RunEvent } from './step.ts'

/**
 * The state machine of tool calls, pure: which status may follow which, and the message that the
 * agent gets.
 *
 *     proposed → executing → succeeded | failed | unknown
 *         ↓          ↑                              ↓
 *         ├──→ approved ←───────────────────────────┘
 *         └──→ rejected
 *
 * `executing` is committed before the call goes out, so a call that is found in it after a crash
 * may have been made. A call that only reads is made again. Any other becomes `unknown`: a person
 * decides whether to repeat it, or, if the workflow asks no person, the agent does. A call is open
 * until it has an output. The call of a caller's tool is executing while it is requested of workers
 * (`requests.ts`). The end of its run settles it: a call that did not go out is `rejected`,
 * even if it was approved.
 */
export const callStatuses = [
  'proposed',
  'approved',
  'rejected',
  'executing',
  'succeeded',
  'failed',
  'unknown',
] as const
export type CallStatus = (typeof callStatuses)[number]

export const callDecisions = [
  'approved',
  'edited',
  'rejected',
  'answered',
  'expired',
  'refused',
] as const
export type CallDecision = (typeof callDecisions)[number]

export interface ToolCall {
  id: string
  turn: number
  /** Index within the turn. */
  position: number
  /** The model's own id, unique within the step. */
  providerCallId: string
  tool: string
  sensitive: boolean
  /**
   * What an approval is bound to besides the arguments (`Tool.version`); null for Muster's own
   * tools.
   */
  toolVersion: string | null
  /** The tool's version changed after the agent proposed the call. */
  toolChanged: boolean
  /** How often it has gone out. */
  timesMade: number
  /** Null if the model's arguments were not a JSON object. */
  input: Record<string, unknown> | null
  status: CallStatus
  output: string | null
  /** Why the outcome is unknown, for people; null if it is known, or if no reason was given. */
  unknownReason: string | null
  decision: CallDecision | null
  /**
   * The rule that decided when the call was proposed, as in `policies/rules.ts`; left out if there
   * was none.
   */
  rule?: object | null
}

/** Maximum calls of one turn that run in parallel. */
export const maxCallsAtOnce = 8

/**
 * The part of a call that the transitions below change. Each is pure; the SQL of
 * `journal/calls.ts` repeats their guards.
 */
export type CallState = Pick<ToolCall, 'status' | 'output' | 'decision'>
type Call = Pick<ToolCall, 'tool' | 'sensitive' | 'unknownReason'> & CallState

interface Rules {
  policy: HumanInTheLoop
  floor: ApprovalsFloor
  underWay: number
  /** The call may have been made before, in data that the database has lost. */
  isDoubted?: boolean
  /** The rule that decides; left out if there is none. */
  rule?: { decision: RuleDecision; reason: string | null } | undefined
}

/**
 * A new call: it goes out, waits for a person, or is answered at once because it is not allowed.
 */
export function propose(
  call: Pick<ToolCall, 'tool' | 'sensitive'>,
  { policy, floor, underWay, isDoubted = false, rule }: Rules,
): CallState {
  const open = { output: null, decision: null }
  switch (judgeCall(call, policy, floor, rule?.decision)) {
    case 'execute': {
      if (isDoubted && call.sensitive) {
        return {
          ...open,
          status: 'unknown',
          output: policy.enabled ? null : messages.unknown(null),
        }
      }
      // A call beyond the parallel limit starts as approved, so that a crash does not make it look
      // started. So do emails, which are counted when they go out.
      const isNow = underWay < maxCallsAtOnce && call.tool !== mailAction
      return { status: isNow ? 'executing' : 'approved', ...open }
    }
    case 'ask':
      return { status: isDoubted && call.sensitive ? 'unknown' : 'proposed', ...open }
    case 'refuse':
      return {
        status: 'rejected',
        output: rule?.decision === 'block' ? messages.blocked(rule.reason) : messages.refused,
        decision: 'refused',
      }
  }
}

/** How the result of a call begins that could not be made. */
export const notMade = 'This call was not made: '

/** A new call that cannot be made with these arguments. */
export function proposeFaulty(why: string): CallState {
  const output = boundedOutput(`${notMade}${why}.`)
  return { status: 'failed', output, decision: null }
}

/** A call goes out. */
export function begin(call: Call): CallState {
  assertIs(call, 'begin', 'approved')
  return { status: 'executing', output: null, decision: call.decision }
}

/**
 * A call with an effect that is not recorded as made may have been made, in data that the database
 * has lost. In SQL: `journal/epochs.ts`.
 */
export function markInDoubt(call: Call): CallState {
  assertIs(call, 'doubt', 'proposed', 'approved')
  return { status: 'unknown', output: null, decision: null }
}

/** An approved call is not allowed to go out after all. */
export function refuse(call: Call, output: string): CallState {
  assertIs(call, 'refuse', 'approved')
  return { status: 'rejected', output, decision: call.decision ?? 'refused' }
}

/**
 * Whether the action has changed since the call was proposed, and a person has to decide, or has
 * decided, about the old one.
 */
export function isOutdated(
  { toolVersion, status, output, decision }: CallState & Pick<ToolCall, 'toolVersion'>,
  now: string,
): boolean {
  const isAsked = status === 'proposed' || status === 'unknown' || decision !== null
  return output === null && isAsked && toolVersion !== now
}

/**
 * An outdated call does not go out: earlier decisions are void, and a person is asked again. If its
 * arguments no longer fit (`wrong` says why), the agent gets that as the answer. `isInDoubt` as in
 * `propose`.
 */
export function askAgain(
  call: Call & Pick<ToolCall, 'timesMade'>,
  wrong: string | undefined,
  isDoubted = false,
): CallState {
  assertIs(call, 'ask anew for', 'proposed', 'approved', 'executing', 'unknown')
  const { decision } = call
  const isUnknown =
    call.status === 'unknown' || (call.sensitive && (isDoubted || call.timesMade > 0))
  if (wrong === undefined) {
    return { status: isUnknown ? 'unknown' : 'proposed', output: null, decision: null }
  }
  if (isUnknown)
    return { status: 'unknown', output: messages.unknown(call.unknownReason), decision }
  return { ...proposeFaulty(`${call.tool} ${changed}, and ${wrong}`), decision }
}

const changed = 'or its connection has changed since this was asked for'

/**
 * The result of a call arrived. If its outcome is unknown the call stays open if a person can be
 * asked; else the agent gets a message.
 */
export function complete(
  call: Call,
  result: { status: 'succeeded' | 'failed' | 'unknown'; output: string },
  { asksPeople }: { asksPeople: boolean },
): CallState & Pick<ToolCall, 'unknownReason'> {
  assertIs(call, 'complete', 'executing', 'unknown')
  const { decision } = call
  if (result.status !== 'unknown') return { ...result, unknownReason: null, decision }
  const unknownReason = result.output === '' ? call.unknownReason : result.output
  const output = asksPeople ? null : messages.unknown(unknownReason)
  return { status: 'unknown', output, unknownReason, decision }
}

export type Answer =
  | { action: 'input'; input: string }
  | { action: 'approve'; isEdited: boolean }
  | { action: 'reject'; reason: string | undefined }

/** A person's answer to a call. */
export function decide(call: Call, answer: Answer): CallState & { decision: CallDecision } {
  assertIs(call, 'decide', 'proposed', 'unknown')
  const isRepeat = call.status === 'unknown'
  switch (answer.action) {
    case 'input':
      return { decision: 'answered', status: 'succeeded', output: answer.input }
    case 'approve':
      if (isRepeat && answer.isEdited)
        throw new Error('Cannot decide a call: a repeat is not edited')
      return {
        decision: answer.isEdited ? 'edited' : 'approved',
        status: 'approved',
        output: null,
      }
    case 'reject':
      return isRepeat
        ? {
            decision: 'rejected',
            status: 'unknown',
            output: messages.notRepeated(answer.reason, call.unknownReason),
          }
        : { decision: 'rejected', status: 'rejected', output: messages.rejected(answer.reason) }
  }
}

/** A call's deadline passed without an answer. This is never recorded as a person's rejection. */
export function expire(call: Call): CallState & { decision: CallDecision } {
  assertIs(call, 'expire', 'proposed', 'unknown')
  if (call.status === 'unknown') {
    return { decision: 'expired', status: 'unknown', output: messages.unknown(call.unknownReason) }
  }
  const output = call.tool === ownTools.request_input.id ? messages.noAnswer : messages.expired
  return { decision: 'expired', status: 'rejected', output }
}

/**
 * The run ends while a call is open. A call that did not go out was not done; the outcome of one in
 * flight is unknown if it may have written. In SQL: `journal/record.ts`.
 */
export function abandon(call: Call): CallState {
  assertIs(call, 'abandon', 'proposed', 'approved', 'executing', 'unknown')
  const { decision } = call
  switch (call.status) {
    case 'executing':
      return { status: call.sensitive ? 'unknown' : 'failed', output: messages.inFlight, decision }
    case 'unknown':
      return { status: 'unknown', output: messages.unknown(call.unknownReason), decision }
    default:
      return { status: 'rejected', output: messages.ended, decision }
  }
}

function assertIs({ status, output }: Call, verb: string, ...from: CallStatus[]): void {
  if (from.includes(status) && output === null) return
  throw new Error(`Cannot ${verb} a call: it is ${status}${output === null ? '' : ' and answered'}`)
}

/**
 * Whether a call that was found open when its run is resumed is settled as unknown: it may have been made, or its
 * outcome is unknown and no person may be asked about it. `isRepeatable`: making it twice has the effect of once.
 */
export function isStale(
  { status, sensitive }: Pick<Call, 'status' | 'sensitive'>,
  { asksPeople, isRepeatable }: { asksPeople: boolean; isRepeatable: boolean },
): boolean {
  if (!sensitive) return false
  return (status === 'executing' && !isRepeatable) || (status === 'unknown' && !asksPeople)
}

export type JudgedOutcome = 'execute' | 'ask' | 'refuse'

/**
 * What a call needs under its workflow's settings and its account's floor, whichever is stricter. A
 * rule replaces the workflow's `approvals`, but cannot go below the floor.
 */
export function judgeCall(
  call: Pick<ToolCall, 'tool' | 'sensitive'>,
  { enabled, approvals }: HumanInTheLoop,
  floor: ApprovalsFloor,
  rule?: RuleDecision,
): JudgedOutcome {
  if (call.tool === ownTools.request_input.id) return 'ask'
  if (rule === 'block') return 'refuse'
  const covers = (least: typeof approvals | typeof floor): boolean =>
    least === 'all' || (least === 'sensitive' && call.sensitive)
  if (rule !== undefined) {
    if (rule === 'allow' && !covers(floor)) return 'execute'
    return enabled ? 'ask' : 'refuse'
  }
  if (enabled) return covers(approvals) || covers(floor) ? 'ask' : 'execute'
  const isRefused = covers(floor) || (call.sensitive && approvals !== 'never')
  return isRefused ? 'refuse' : 'execute'
}

export function toolEvent(
  runId: string,
  type: 'tool.started' | 'tool.completed',
  step: { position: number; role: string },
  call: Pick<ToolCall, 'id' | 'tool' | 'status' | 'timesMade'>,
): RunEvent {
  const { id, tool, status, timesMade } = call
  const data = { order: step.position, role: step.role, call_id: id, tool }
  const what = `${id} ${timesMade}`
  return runEvent(runId, type, type === 'tool.started' ? data : { ...data, status }, what)
}
