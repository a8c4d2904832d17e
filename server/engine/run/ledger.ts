import { ownTools } from '../../tools/own-tools.ts'
import { mailAction } from '../../tools/contract.ts'
import type { ApprovalsFloor, HumanInTheLoop } from './definition.ts'
import { boundedOutput, messages } from './messages.ts'
import type { RuleDecision } from './rule.ts'
import { runEvent, type RunEvent } from './step.ts'

/**
 * The ledger of what agents want to do, its pure half: what may follow what, and which message an agent gets.
 *
 *     proposed → executing → succeeded | failed | unknown
 *         ↓          ↑                              ↓
 *         ├──→ approved ←───────────────────────────┘
 *         └──→ rejected
 *
 * `executing` is committed before the call goes out, so a call found there after a crash may have
 * been made. One that only reads is made again. Any other is `unknown`: a person decides whether to
 * repeat it, or, where no person is asked, the agent decides. A call is open until it has an output.
 * Its run's end settles it: what did not go out is `rejected`, also after an approval.
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
  /** Place within the turn. */
  position: number
  /** The model's own id, unique within the step. */
  providerCallId: string
  tool: string
  sensitive: boolean
  /** What an approval is bound to besides the arguments (`Tool.version`); null for Muster's own tools. */
  toolVersion: string | null
  /** That changed after the agent asked. */
  toolChanged: boolean
  /** How often it has gone out. */
  timesMade: number
  /** Null when the model wrote no JSON object. */
  input: Record<string, unknown> | null
  status: CallStatus
  output: string | null
  /** Why its outcome is unknown, in words; null if the outcome is known, or if there is no reason to give. */
  unknownReason: string | null
  decision: CallDecision | null
  /** The rule that decided when it was proposed, as `policies/rules.ts` has it; left out where none did. */
  rule?: object | null
}

/** Calls of one turn that are under way together. */
export const maxCallsAtOnce = 8

/** What the transitions below change. Each is pure; the SQL of `journal/ledger.ts` repeats their guards. */
export type CallState = Pick<ToolCall, 'status' | 'output' | 'decision'>
type Call = Pick<ToolCall, 'tool' | 'sensitive' | 'unknownReason'> & CallState

interface Rules {
  policy: HumanInTheLoop
  floor: ApprovalsFloor
  underWay: number
  /** Whether it may have been done already, and the database has lost that. */
  isDoubted?: boolean
  /** Of the rule that decides; left out where none does. */
  rule?: { decision: RuleDecision; reason: string | null } | undefined
}

/** A new call: it goes out, waits for a person, or is answered at once because it may not be made. */
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
      // What goes out later is not yet under way, should a crash come between; mails are counted then.
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

/** A new call that cannot be made as it was asked for. */
export function proposeFaulty(why: string): CallState {
  const output = boundedOutput(`This call was not made: ${why}.`)
  return { status: 'failed', output, decision: null }
}

/** A call goes out. */
export function begin(call: Call): CallState {
  assertIs(call, 'begin', 'approved')
  return { status: 'executing', output: null, decision: call.decision }
}

/**
 * A call with an effect that has not gone out may have, in a past that the database has lost. In SQL:
 * `safety/epochs.ts`.
 */
export function doubt(call: Call): CallState {
  assertIs(call, 'doubt', 'proposed', 'approved')
  return { status: 'unknown', output: null, decision: null }
}

/** A call that was to go out may not. */
export function refuse(call: Call, output: string): CallState {
  assertIs(call, 'refuse', 'approved')
  return { status: 'rejected', output, decision: call.decision ?? 'refused' }
}

/** Whether what a person was asked for, or will be, is not what the action is now. */
export function isOutdated(
  { toolVersion, status, output, decision }: CallState & Pick<ToolCall, 'toolVersion'>,
  now: string,
): boolean {
  const isAsked = status === 'proposed' || status === 'unknown' || decision !== null
  return output === null && isAsked && toolVersion !== now
}

/**
 * An outdated call does not go out: whatever was decided is void, and a person is asked anew. `wrong` is
 * why its arguments no longer fit, if so: then the agent is told. `isDoubted` as in `propose`.
 */
export function askAnew(
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
 * A call came back. If its outcome is unknown it stays open where a person may be asked, else the agent gets a
 * message.
 */
export function settle(
  call: Call,
  result: { status: 'succeeded' | 'failed' | 'unknown'; output: string },
  { asksPeople }: { asksPeople: boolean },
): CallState & Pick<ToolCall, 'unknownReason'> {
  assertIs(call, 'settle', 'executing', 'unknown')
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

/** A person answered. */
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

/** Nobody answered in time; that is never a person's rejection. */
export function expire(call: Call): CallState & { decision: CallDecision } {
  assertIs(call, 'expire', 'proposed', 'unknown')
  if (call.status === 'unknown') {
    return { decision: 'expired', status: 'unknown', output: messages.unknown(call.unknownReason) }
  }
  const output = call.tool === ownTools.request_input.id ? messages.noAnswer : messages.expired
  return { decision: 'expired', status: 'rejected', output }
}

/**
 * The run ends while a call is open. What did not go out was not done; what became of one in flight that
 * may have written is unknown. In SQL: `journal/record.ts`.
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

export type JudgedOutcome = 'execute' | 'ask' | 'refuse'

/**
 * What becomes of a call under the settings of its workflow and its account's floor: the stricter holds. A rule takes the
 * place of the workflow's `approvals`, and does not lower the floor.
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
