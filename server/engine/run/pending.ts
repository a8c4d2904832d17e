import type { Action } from '../../tools/contract.ts'
import { ownTools } from '../../tools/own-tools.ts'
import { derivedId } from '../../ids.ts'
import { visibleText, storable } from '../../safe-text.ts'
import type { ApprovedCost, HumanInTheLoop } from './definition.ts'
import type { ToolCall } from './ledger.ts'

/** The question to a person about one tool call. */
export interface AskedCall {
  id: string
  kind: 'input' | 'approval'
  /** The question, or a short summary of the action. */
  prompt: string
  call_id: string
  /** The tool of an approval; left out for questions. */
  tool?: string
  /** The exact arguments; left out for questions. */
  tool_input?: Record<string, unknown>
  /** What the approval is bound to besides the arguments. */
  tool_version?: string
  /**
   * The current action, if it changed after the agent proposed the call; the schema is null if it
   * is too long.
   */
  tool_changed?: { description: string; input_schema: object | null }
  /** How many people have to approve, and the approvals so far; left out for questions. */
  approvals?: { required: number; given: number; by: Approval[] }
}

/** What a run waits for. Stored on its row; the times are separate columns. */
export interface PendingRequest extends Omit<AskedCall, 'kind' | 'call_id'> {
  kind: AskedCall['kind'] | 'budget'
  /** The tool call to decide; left out for a budget request. */
  call_id?: string
  step_order: number
  role: string
  /** Users and roles that may answer. */
  approvers: HumanInTheLoop['approvers']
  /** Id of the case (`case.ts`), if several calls of a turn wait or waited together. */
  case_id?: string
  /** All waiting calls, if there are several; the request itself repeats the first. */
  calls?: AskedCall[]
  /** Set for requests of the kind `budget`. */
  cost?: CostFacts
}

/** Why a run needs a higher spend limit. */
export interface CostFacts {
  /** Spent by the run, or in the window of the budget. */
  spent_usd: number
  /** Limit of the run, or of the budget. */
  limit_usd: number
  /** Estimated cost of the next call. */
  estimate_usd: number
  run_cost_usd: number
  /** Left out if the run's own limit was reached. */
  budget?: { id: string; name: string; window: string; ends_at: string }
}

/** A person's approval, recorded if more than one is required. */
export interface Approval {
  id: string
  name: string
  reason: string | null
  at: string
}

/** The wait of a run, as it starts or continues. */
export interface Wait {
  pending: PendingRequest
  /** Null for no deadline. */
  timeoutSeconds: number | null
}

type AskingCall = Pick<
  ToolCall,
  'id' | 'tool' | 'input' | 'status' | 'unknownReason' | 'toolVersion' | 'toolChanged' | 'timesMade'
> & {
  /**
   * Why approval is required although the workflow would not ask for this action, as a sentence.
   */
  why?: string | undefined
}

/**
 * The request to a person for an open call. `action` is the current action of its tool. The id is
 * derived from the content, so an answer cannot count for another request.
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

/**
 * The prompt of an approval. It asks about an unknown outcome if the call went out, or if a
 * failover put it in doubt.
 */
export function promptOf(
  role: string,
  call: Pick<
    AskingCall,
    'tool' | 'input' | 'status' | 'unknownReason' | 'toolChanged' | 'timesMade' | 'why'
  >,
): string {
  const action = summarizeCall(call.tool, call.input)
  const before = call.toolChanged
    ? `${call.tool} or its connection has changed since this was asked for. Look at it again: `
    : ''
  if (call.status !== 'unknown') {
    const why = call.why === undefined ? '' : ` ${call.why}`
    return `${before}${askToRun(role, call.tool, call.input)}${why}`
  }
  return call.timesMade === 0
    ? `${before}It is unknown whether ${action} was done already: this database is a restored copy or a promoted standby, which may have lost that. Approve to do it, perhaps a second time; reject to go on without.`
    : `${before}It is unknown whether ${action} was done${reasonOf(call)}. Approve to do it again, reject to go on without.`
}

/** The first sentence of the prompt of an approval. */
export function askToRun(role: string, tool: string, input: ToolCall['input']): string {
  return `${role} asks to run ${summarizeCall(tool, input)}.`
}

/** The tool's own words, quoted. */
function reasonOf({ unknownReason }: Pick<AskingCall, 'unknownReason'>): string {
  return unknownReason === null ? '' : `: "${line(unknownReason, 500)}"`
}

/**
 * The request of a run that cannot afford its next model call. `approved` is part of the id: a
 * second request is a new one.
 */
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

/** Why a run cannot make its next model call. */
export function noRoom({ spent_usd, limit_usd, estimate_usd, budget }: CostFacts): string {
  const limit =
    budget === undefined
      ? `limits.max_cost_usd of ${usd(limit_usd)} USD`
      : `the budget ${line(budget.name, 200)} of ${usd(limit_usd)} USD a ${budget.window}`
  const spent = `spent: ${usd(spent_usd)} USD, estimate: up to ${usd(estimate_usd)} USD`
  return `${limit} has no room for the next model call (${spent})`
}

const usd = (amount: number): number => Number(amount.toFixed(6))

/** Keeps the webhook body, with this schema and the arguments, within its limit. */
const maxSchemaBytes = 8 * 1024

function showAction({
  description,
  inputSchema,
}: Pick<Action, 'description' | 'inputSchema'>): NonNullable<PendingRequest['tool_changed']> {
  const isShort = Buffer.byteLength(JSON.stringify(inputSchema)) <= maxSchemaBytes
  return { description, input_schema: isShort ? inputSchema : null }
}

/**
 * One line on which a person can decide: what the action would do, from its arguments and never
 * from a model. The exact arguments are shown beside it.
 */
export function summarizeCall(tool: string, input: Record<string, unknown> | null): string {
  const given = Object.entries(input ?? {})
  if (given.length === 0) return tool
  const shown = ordered(given).slice(0, maxArguments)
  const words = shown.map(([name, value]) => `${line(name, 40)}: ${line(value, maxCharacters)}`)
  const more = given.length - shown.length
  return `${tool} (${words.join(', ')}${more === 0 ? '' : `, and ${more} more`})`
}

const maxArguments = 3
const maxCharacters = 80
/** Arguments that come first in a summary, in this order. */
const firstArguments = ['to', 'channel', 'email', 'subject', 'amount', 'name']

function ordered(given: [string, unknown][]): [string, unknown][] {
  const rank = ([name]: [string, unknown]): number => {
    const index = firstArguments.indexOf(name)
    return index === -1 ? firstArguments.length : index
  }
  return given.toSorted((a, b) => rank(a) - rank(b))
}

/** On one line, without invisible characters, cut at a character boundary. */
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
