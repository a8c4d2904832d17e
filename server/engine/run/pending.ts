import type { Action } from '../../tools/contract.ts'
import { ownTools } from '../../tools/own-tools.ts'
import { derivedId } from '../../ids.ts'
import { visibleText } from '../../visible-text.ts'
import type { ApprovedCost, HumanInTheLoop } from './definition.ts'
import type { ToolCall } from './ledger.ts'
import { storable } from '../../storable.ts'

/** What a person is asked about one tool call. */
export interface AskedCall {
  id: string
  kind: 'input' | 'approval'
  /** The question, or a short summary of the action. */
  prompt: string
  call_id: string
  /** Approvals only. */
  tool?: string
  /** The exact arguments; approvals only. */
  tool_input?: Record<string, unknown>
  /** What the approval is bound to besides them. */
  tool_version?: string
  /** The action as it is now, where it changed after the agent asked; no schema where it is long. */
  tool_changed?: { description: string; input_schema: object | null }
  /** Approvals only: how many people have to approve, and who has. */
  approvals?: { required: number; given: number; by: Approval[] }
}

/** What a run waits for. Stored on its row; the times are columns of their own. */
export interface PendingRequest extends Omit<AskedCall, 'kind' | 'call_id'> {
  kind: AskedCall['kind'] | 'budget'
  /** The tool call that asks; a run that asks for money has none. */
  call_id?: string
  step_order: number
  role: string
  /** Who may answer. */
  approvers: HumanInTheLoop['approvers']
  /** Only where several calls of a turn wait, or did: the id of their case, see `case.ts`. */
  case_id?: string
  /** Only where several calls wait: all of them; the first is the request itself. */
  calls?: AskedCall[]
  /** Requests of the kind `budget` only. */
  cost?: CostFacts
}

/** Why a run asks for money. */
export interface CostFacts {
  /** By the run, or in the window of the budget. */
  spent_usd: number
  /** Of the run, or the cap of the budget. */
  limit_usd: number
  /** What the next call may cost. */
  estimate_usd: number
  run_cost_usd: number
  /** Left out where the run's own limit asks. */
  budget?: { id: string; name: string; window: string; ends_at: string }
}

/** A person's approval, where one is not enough. */
export interface Approval {
  id: string
  name: string
  reason: string | null
  at: string
}

/** A pause of a run, as it begins or goes on. */
export interface Wait {
  pending: PendingRequest
  /** Null: without end. */
  timeoutSeconds: number | null
}

type AskingCall = Pick<
  ToolCall,
  'id' | 'tool' | 'input' | 'status' | 'unknownReason' | 'toolVersion' | 'toolChanged' | 'timesMade'
> & {
  /** Why it is asked for although its action by itself would not be, a sentence. */
  why?: string | undefined
}

/**
 * The request that an open call makes of a person; `action` is what the call would do, as it is now. Its
 * id follows from what is asked, so that an answer never counts for anything else.
 */
export function pendingFor(
  runId: string,
  step: { position: number; role: string },
  call: AskingCall,
  action: Pick<Action, 'description' | 'inputSchema'> | undefined,
  policy: HumanInTheLoop,
): PendingRequest {
  const request = requestFor(step, call, action, policy)
  return { id: derivedId('pnd', runId, call.timesMade, JSON.stringify(request)), ...request }
}

function requestFor(
  step: { position: number; role: string },
  call: AskingCall,
  action: Pick<Action, 'description' | 'inputSchema'> | undefined,
  { approvers, required_approvals: required }: HumanInTheLoop,
): Omit<PendingRequest, 'id'> {
  const where = { step_order: step.position, role: step.role, call_id: call.id, approvers }
  if (call.tool === ownTools.request_input.id) {
    return { kind: 'input', prompt: String(call.input?.['question']), ...where }
  }
  const isChanged = call.toolChanged && action !== undefined
  return {
    kind: 'approval',
    prompt: promptOf(step.role, call),
    tool: call.tool,
    tool_input: call.input ?? {},
    ...(call.toolVersion === null ? {} : { tool_version: call.toolVersion }),
    ...(isChanged ? { tool_changed: showAction(action) } : {}),
    ...where,
    approvals: { required, given: 0, by: [] },
  }
}

/** What an approval is asked with. An outcome is unknown of what went out, or of what an epoch put in doubt. */
export function promptOf(
  role: string,
  call: Pick<
    AskingCall,
    'tool' | 'input' | 'status' | 'unknownReason' | 'toolChanged' | 'timesMade' | 'why'
  >,
): string {
  const action = describeCall(call.tool, call.input)
  const before = call.toolChanged
    ? `${call.tool} or its connection has changed since this was asked for. Look at it again: `
    : ''
  if (call.status !== 'unknown') {
    return `${before}${role} asks to run ${action}.${call.why === undefined ? '' : ` ${call.why}`}`
  }
  return call.timesMade === 0
    ? `${before}It is unknown whether ${action} was done already: this database is a restored copy or a promoted standby, which may have lost that. Approve to do it, perhaps a second time; reject to go on without.`
    : `${before}It is unknown whether ${action} was done${reasonOf(call)}. Approve to do it again, reject to go on without.`
}

/** The other side's own words, marked as such. */
function reasonOf({ unknownReason }: Pick<AskingCall, 'unknownReason'>): string {
  return unknownReason === null ? '' : `: "${line(unknownReason, 500)}"`
}

/** The request of a run whose next model call has no room. `approved` is what was allowed before, so a repeat is another. */
export function pendingForCost(
  runId: string,
  { position, role }: { position: number; role: string },
  cost: CostFacts,
  { approvers }: HumanInTheLoop,
  approved: ApprovedCost | undefined,
): PendingRequest {
  const way = cost.budget === undefined ? 'a higher limit' : 'a total cost'
  const prompt = `${role} needs approval to spend more: ${noRoom(cost)}. Approve with ${way} for this run to go on; reject to end the run.`
  const request = { kind: 'budget', prompt, step_order: position, role, approvers, cost } as const
  return { id: derivedId('pnd', runId, JSON.stringify([request, approved])), ...request }
}

/** Why the next model call of a run is not made. */
export function noRoom({ spent_usd, limit_usd, estimate_usd, budget }: CostFacts): string {
  const limit =
    budget === undefined
      ? `limits.max_cost_usd of ${usd(limit_usd)} USD`
      : `the budget ${line(budget.name, 200)} of ${usd(limit_usd)} USD a ${budget.window}`
  const spent = `spent: ${usd(spent_usd)} USD, estimate: up to ${usd(estimate_usd)} USD`
  return `${limit} has no room for the next model call (${spent})`
}

const usd = (amount: number): number => Number(amount.toFixed(6))

/** With it and the arguments the body of a webhook still has room. */
const maxSchemaBytes = 8 * 1024

function showAction({
  description,
  inputSchema,
}: Pick<Action, 'description' | 'inputSchema'>): NonNullable<PendingRequest['tool_changed']> {
  const isShort = Buffer.byteLength(JSON.stringify(inputSchema)) <= maxSchemaBytes
  return { description, input_schema: isShort ? inputSchema : null }
}

/**
 * One line on which a person can decide: what the action would do, from its arguments and never from a
 * model. It is a summary; the exact arguments stand beside it.
 */
export function describeCall(tool: string, input: Record<string, unknown> | null): string {
  const given = Object.entries(input ?? {})
  if (given.length === 0) return tool
  const shown = ordered(given).slice(0, maxArguments)
  const words = shown.map(([name, value]) => `${line(name, 40)}: ${line(value, maxCharacters)}`)
  const more = given.length - shown.length
  return `${tool} (${words.join(', ')}${more === 0 ? '' : `, and ${more} more`})`
}

const maxArguments = 3
const maxCharacters = 80
/** To whom, about what: before the rest, in this order. */
const telling = ['to', 'channel', 'email', 'subject', 'amount', 'name']

function ordered(given: [string, unknown][]): [string, unknown][] {
  const rank = ([name]: [string, unknown]): number => {
    const place = telling.indexOf(name)
    return place === -1 ? telling.length : place
  }
  return given.toSorted((a, b) => rank(a) - rank(b))
}

/** On one line, without what cannot be seen, cut by whole characters. */
function line(value: unknown, max: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const plain = storable(
    visibleText(text.slice(0, 10 * max))
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
  const characters = Array.from(plain)
  return characters.length <= max ? plain : `${characters.slice(0, max - 1).join('')}…`
}
