import type { ErrorCode } from '../../errors.ts'
import type { Identity } from '../../identity.ts'
import { requestsOf } from './case.ts'
import { decide, type Answer, type CallDecision, type CallState, type ToolCall } from './ledger.ts'
import { promptOf, type Approval, type PendingRequest } from './pending.ts'
import type { RunStatus } from './run.ts'

/**
 * Judges a person's answer to a pending request, pure: whether it fits the request, whether its
 * sender may give it, and what it does to the run. An answer is refused, counts as one of several
 * approvals while the run keeps waiting, or decides the call. `runs/check-answer.ts` checks edited
 * arguments against schema and rules before; `runs/respond.ts` writes the outcome in one transaction.
 */
export interface GivenAnswer {
  action: 'input' | 'approve' | 'reject'
  input?: string
  reason?: string
  pending_id?: string
  tool_input?: Record<string, unknown>
  max_cost_usd?: number
}

export interface Refusal {
  kind: 'refused'
  code: ErrorCode
  why: string
  /** The field of the answer that is wrong. */
  param?: string
}

export interface GivenDecision extends GivenAnswer {
  call_id: string
}

/** One answer, or a decision about each of several calls. */
export type Given = GivenAnswer | { decisions: GivenDecision[] }

/** An answer with the request that it is for. */
export interface FittingAnswer {
  pending: PendingRequest
  answer: GivenAnswer
  /** Prefix for the names of its fields in errors, such as `decisions[1].`. */
  path: string
}

interface Waiting {
  status: RunStatus
  pending: PendingRequest | null
}

/** Reads the answers out of a request body, or says why it is not well formed. */
export function readGiven({
  decisions,
  ...answer
}: Partial<GivenAnswer> & { decisions?: GivenDecision[] }):
  | { kind: 'read'; given: Given }
  | Refusal {
  if (decisions === undefined) {
    const { action } = answer
    if (action !== undefined) return { kind: 'read', given: { ...answer, action } }
    return refuse('required', 'action is missing, or decisions', 'action')
  }
  const [besides] = Object.keys(answer)
  if (besides !== undefined) {
    return refuse('invalid_value', `${besides} does not go with decisions`, besides)
  }
  return { kind: 'read', given: { decisions } }
}

/** Matches answers with their requests, or says why one does not fit. */
export function requestsFor(
  run: Waiting,
  given: Given,
): { kind: 'fit'; answers: FittingAnswer[] } | Refusal {
  if (!('decisions' in given)) {
    const found = requestFor(run, given)
    if (found.kind === 'refused') return found
    return { kind: 'fit', answers: [{ pending: found.pending, answer: given, path: '' }] }
  }
  const requests = run.pending === null ? [] : requestsOf(run.pending)
  const answers: FittingAnswer[] = []
  for (const [index, answer] of given.decisions.entries()) {
    const path = `decisions[${index}].`
    const pending = requests.find((one) => one.call_id === answer.call_id) ?? null
    if (run.pending !== null && pending === null) {
      const known = requests.flatMap((one) => one.call_id ?? []).join(', ')
      const why = `call_id is ${answer.call_id}, expected one of ${known}`
      return within(path, refuse('unknown_call', why, 'call_id'))
    }
    if (answers.some((one) => one.pending.id === pending?.id)) {
      const why = `call_id is ${answer.call_id}, which has a decision already`
      return within(path, refuse('invalid_value', why, 'call_id'))
    }
    const found = requestFor({ ...run, pending }, answer)
    if (found.kind === 'refused') return run.pending === null ? found : within(path, found)
    answers.push({ pending: found.pending, answer, path })
  }
  return { kind: 'fit', answers }
}

/** Adds to a refusal which of several decisions it is about. */
export function within(path: string, refusal: Refusal): Refusal {
  if (path === '') return refusal
  const { why, param } = refusal
  const whole =
    param === undefined ? { why: `${path.slice(0, -1)}: ${why}` } : { why: `${path}${why}` }
  return { ...refusal, ...whole, ...(param !== undefined && { param: `${path}${param}` }) }
}

/** The request that an answer names, else the first, if the answer fits it. */
export function requestFor(
  run: Waiting,
  answer: GivenAnswer,
): { kind: 'fits'; pending: PendingRequest } | Refusal {
  const { action } = answer
  if (run.pending === null)
    return refuse('run_not_waiting', `it is ${run.status}, not waiting_input`)
  const requests = requestsOf(run.pending)
  const { pending_id: id = requests[0]?.id } = answer
  const pending = requests.find((one) => one.id === id)
  if (pending === undefined) {
    const known = requests.map((one) => one.id).join(', ')
    return refuse('pending_mismatch', `it waits for ${known}, not for ${id}`)
  }
  if ((action === 'input') !== (pending.kind === 'input')) {
    const accepted = pending.kind === 'input' ? 'input' : 'approve or reject'
    const why = `action is ${action}, expected ${accepted} for a pending ${pending.kind}`
    return refuse('action_mismatch', why, 'action')
  }
  if (action === 'input' && answer.input === undefined) {
    return refuse('required', 'input is missing, it is required when action is input', 'input')
  }
  if (action !== 'input' && answer.input !== undefined) {
    return refuse('invalid_value', `input goes with the action input, not with ${action}`, 'input')
  }
  const mayEdit = action === 'approve' && pending.kind === 'approval'
  if (!mayEdit && answer.tool_input !== undefined) {
    const why = 'tool_input goes with approve of an action only'
    return refuse('invalid_value', why, 'tool_input')
  }
  const problem = checkCost(pending, answer)
  return problem === undefined
    ? { kind: 'fits', pending }
    : refuse(problem.code, problem.why, 'max_cost_usd')
}

/** Why the total cost that an answer allows is invalid; undefined if it is valid. */
function checkCost(
  { cost }: PendingRequest,
  { action, max_cost_usd: max }: GivenAnswer,
): { code: ErrorCode; why: string } | undefined {
  if (cost === undefined || action !== 'approve') {
    if (max === undefined) return undefined
    const why = 'max_cost_usd goes with approve of a pending budget only'
    return { code: 'invalid_value', why }
  }
  const expected = `expected a total over the ${cost.run_cost_usd} USD that the run has cost`
  if (max === undefined) return { code: 'required', why: `max_cost_usd is missing, ${expected}` }
  if (max <= cost.run_cost_usd)
    return { code: 'invalid_value', why: `max_cost_usd is ${max}, ${expected}` }
  return undefined
}

/** Everything that a judgement depends on, read while the run is locked. */
export interface Case {
  pending: PendingRequest
  /** The deadline has passed. */
  isOverdue: boolean
  /** Ids of the actors that triggered the run or a run that it retries. */
  triggerers: string[]
  call: Pick<ToolCall, 'tool' | 'sensitive' | 'unknownReason'> & CallState & { isEdited: boolean }
  /** Policies of the account. */
  policies: { require_pending_id: boolean; four_eyes: boolean }
  /** The caller who answers. */
  sender: Pick<Identity, 'actor' | 'role'>
  answer: GivenAnswer
  at: Date
  /** Id for the request that an approval with changed arguments makes. */
  newPendingId: string
}

export type Judgement =
  | Refusal
  /** More people have to approve. */
  | {
      kind: 'waits'
      decision: CallDecision
      pending: PendingRequest
      /** The approver changed the arguments. */
      isAnother: boolean
      given: number
      required: number
    }
  | { kind: 'decided'; state: CallState & { decision: CallDecision }; approvals: Approval[] }

export function judgeAnswer(one: Case): Judgement {
  const { pending, call, answer } = one
  const refusal = refuseSender(one)
  if (refusal !== undefined) return refusal
  const isRepeat = call.status === 'unknown'
  const edited = answer.tool_input
  if (isRepeat && edited !== undefined) {
    const why = 'tool_input is not accepted for a repeat, leave it out'
    return refuse('invalid_value', why, 'tool_input')
  }
  const state = decide(call, toAnswer(answer, edited !== undefined || (call.isEdited && !isRepeat)))
  const approved = answer.action === 'approve' ? approve(one) : pending
  const { given = 1, required = 1, by = [] } = approved.approvals ?? {}
  if (answer.action !== 'approve' || given >= required) {
    return { kind: 'decided', state, approvals: required === 1 ? [] : by }
  }
  const { decision } = state
  return {
    kind: 'waits',
    decision,
    pending: approved,
    isAnother: edited !== undefined,
    given,
    required,
  }
}

/** Why the sender may not give this answer; undefined if they may. */
export function refuseSender({
  pending,
  isOverdue,
  triggerers,
  policies,
  sender: { actor, role },
  answer,
}: Omit<Case, 'call' | 'at' | 'newPendingId'>): Refusal | undefined {
  if (isOverdue) return refuse('run_not_waiting', 'it has expired')
  if (answer.pending_id === undefined && policies.require_pending_id) {
    const why = 'pending_id is missing, the account requires it (policy require_pending_id)'
    return refuse('required', why, 'pending_id')
  }
  const { approvers, approvals } = pending
  if (!approvers.users.includes(actor.id) && !approvers.roles.some((one) => one === role)) {
    const why = 'its workflow lets only others answer (human_in_the_loop.approvers)'
    return refuse('not_an_approver', why)
  }
  if (answer.action !== 'approve') return undefined
  if (policies.four_eyes && triggerers.includes(actor.id)) {
    const why = 'the person who triggered it may not approve its actions (policy four_eyes)'
    return refuse('four_eyes', why)
  }
  const { required = 1, by = [] } = approvals ?? {}
  if (required === 1) return undefined
  if (actor.type !== 'user') {
    return refuse('user_required', `${required} people have to approve, and a key is not a person`)
  }
  if (answer.tool_input === undefined && by.some((one) => one.id === actor.id)) {
    const why = `you have approved already, ${required} different people have to`
    return refuse('already_approved', why)
  }
  return undefined
}

function toAnswer({ action, input = '', reason }: GivenAnswer, isEdited: boolean): Answer {
  switch (action) {
    case 'input':
      return { action, input }
    case 'approve':
      return { action, isEdited }
    case 'reject':
      return { action, reason }
  }
}

/**
 * The request with one more approval. Changed arguments make a new request, which only their sender
 * has seen, so its approvals are counted from one.
 */
function approve({ pending, sender, answer, at, newPendingId }: Case): PendingRequest {
  const { required = 1, by = [] } = pending.approvals ?? {}
  const { id, name } = sender.actor
  const { reason, tool_input } = answer
  const approval = { id, name, reason: reason ?? null, at: at.toISOString() }
  if (tool_input === undefined) {
    const approvals = { required, given: by.length + 1, by: [...by, approval] }
    return { ...pending, approvals }
  }
  const prompt = promptOf(pending.role, {
    tool: pending.tool ?? '',
    input: tool_input,
    status: 'proposed',
    timesMade: 0,
    unknownReason: null,
    toolChanged: pending.tool_changed !== undefined,
  })
  const approvals = { required, given: 1, by: [approval] }
  return { ...pending, id: newPendingId, prompt, tool_input, approvals }
}

function refuse(code: ErrorCode, why: string, param?: string): Refusal {
  return { kind: 'refused', code, why, ...(param !== undefined && { param }) }
}
