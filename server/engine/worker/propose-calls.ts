import type { Caller } from '../../sandbox/sandbox.ts'
import { derivedId } from '../../ids.ts'
import { toAssistantMessage } from '../../models/history.ts'
import type { ModelTurn } from '../../models/contract.ts'
import { isOwnAddress, type KnownAddresses } from '../safety/fetch-rule.ts'
import { propose, proposeFaulty, type ToolCall } from '../run/ledger.ts'
import { boundedOutput } from '../run/messages.ts'
import { findInexact } from '../../exact-json.ts'
import { checkArguments, checkInput } from '../../tools/check-input.ts'
import { fetchAction, madeUpName } from '../../tools/contract.ts'
import { ownTools } from '../../tools/own-tools.ts'
import { findOther, fixedFor } from '../../policies/fixed.ts'
import { isSensitive, judgeByRules, type CallFacts, type Level } from '../../policies/rules.ts'
import { evaluateConditions } from '../../policies/evaluate-conditions.ts'
import type { Policies } from '../../policies/schema.ts'
import type { HumanInTheLoop } from '../run/definition.ts'
import type { Turn } from './conversation.ts'
import type { Toolbox } from './prepare-step.ts'

type AssistantMessage = Extract<Turn['message'], { role: 'assistant' }>
type CallPart = Extract<AssistantMessage['content'][number], { type: 'tool-call' }>

/**
 * The calls in a model's answer, each as it enters the ledger: ready to go out, waiting for a
 * person, or already answered because it cannot or may not be made.
 */
export async function proposeCalls(
  {
    accountId,
    sandbox,
    runId,
    position: stepPosition,
  }: Omit<Caller, 'action'> & { runId: string; position: number },
  { content, finishReason }: ModelTurn,
  turns: Turn[],
  box: Toolbox,
  rules: Rules,
): Promise<Turn> {
  const number = turns.length
  const taken = new Set(turns.flatMap(({ calls }) => calls.map((call) => call.providerCallId)))
  const written = content.flatMap((part) => (part.type === 'tool-call' ? [part.input] : []))
  const levels = await levelsOfCalls({ accountId, sandbox }, content, box, rules)
  const misfits = await findMisfits({ accountId, sandbox }, content, box, { ...rules, levels })
  const calls: ToolCall[] = []
  const parts = toAssistantMessage(content).content.map((part) => {
    if (part.type !== 'tool-call') return part
    const position = calls.length
    const id = derivedId('call', runId, stepPosition, number, position)
    // Some servers send no id, an invalid one, or the same one twice; results are matched to calls
    // by id.
    const isNew = isPlainId(part.toolCallId) && !taken.has(part.toolCallId)
    const providerCallId = isNew ? part.toolCallId : id
    taken.add(providerCallId)
    const underWay = calls.filter(({ status }) => status === 'executing').length
    const own = { ...rules, levels: levels[position] ?? [] }
    const isCut = finishReason === 'length'
    const at = { position, box, rules: own, underWay, isCut, misfit: misfits[position] }
    const call = enter(part, written[position] ?? '', at)
    calls.push({ id, turn: number, position, providerCallId, ...call })
    const toolName = box.get(part.toolName) ? part.toolName : madeUpName(part.toolName)
    // Rejected arguments and arguments set by rules are not sent back to the model.
    const input = call.input === null ? {} : part.input
    return { ...part, toolCallId: providerCallId, toolName, input }
  })
  return { number, message: { role: 'assistant', content: parts }, calls, problem: null }
}

/** The rules for each call, with the outcomes of conditions that are not cheap to evaluate. */
async function levelsOfCalls(
  by: Omit<Caller, 'action'>,
  content: ModelTurn['content'],
  box: Toolbox,
  { levels, site }: Rules,
): Promise<Level[][]> {
  const calls = content.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
  const cases = calls.map(({ toolName, input: written }) => {
    const action = box.get(toolName)
    const args = parseArguments(written)
    const facts = { ...site, action: action?.id ?? '', args: isObject(args) ? args : {} }
    return { levels, facts, action }
  })
  return evaluateConditions({ ...by, action: 'judge calls' }, cases, Date.now())
}

/** Why arguments, with those that rules set, do not fit schemas that users of the account wrote. */
function findMisfits(
  by: Omit<Caller, 'action'>,
  content: ModelTurn['content'],
  box: Toolbox,
  { levels, site }: Pick<Rules, 'site'> & { levels: Level[][] },
): Promise<(string | undefined)[]> {
  const calls = content.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
  const find = async ({ toolName, input }: (typeof calls)[number], position: number) => {
    const action = box.get(toolName)
    const given = parseArguments(input)
    if (action?.schemaText === undefined || !isObject(given)) return undefined
    const facts = { ...site, action: action.id }
    const fixed = fixedFor(levels[position] ?? [], facts, action.inputSchema, Date.now())
    return checkArguments({ ...by, action: 'check a call' }, action, { ...given, ...fixed.values })
  }
  return Promise.all(calls.map(find))
}

function isPlainId(id: string): boolean {
  return /^[\x20-\x7e]{1,200}$/.test(id)
}

/**
 * Settings that apply to calls: the workflow's, as frozen with the run, and the account's current
 * ones. The stricter applies.
 */
export interface Rules {
  humanInTheLoop: HumanInTheLoop
  account: Policies
  /** Rules of the account, the agent and its crew entry. */
  levels: Level[]
  /** The run may have done this before, in data that the database has lost. */
  isDoubted: boolean
  /** Addresses that may be fetched without approval; undefined for any. */
  known: KnownAddresses | undefined
  /** Facts about the step that rules are evaluated on. */
  site: Pick<CallFacts, 'agent' | 'workflow' | 'run'>
}

type Proposed = Omit<ToolCall, 'id' | 'turn' | 'position' | 'providerCallId'>

/** A model that asks for more calls in one turn has gone astray. */
const maxCallsPerTurn = 32

const cutMessage =
  'your answer was cut at its limit of tokens, so none of its calls was made. Ask again for what is still needed, with shorter arguments or fewer calls'

function enter(
  part: CallPart,
  written: string,
  at: {
    position: number
    box: Toolbox
    rules: Rules
    underWay: number
    isCut: boolean
    misfit: string | undefined
  },
): Proposed {
  const { position, box, rules, underWay, isCut, misfit } = at
  const action = box.get(part.toolName)
  const tool = action?.id ?? boundedOutput(part.toolName.slice(0, 200))
  const toolVersion = (action && box.tool(action.id)?.version) ?? null
  const given = parseArguments(written)
  const site = { ...rules.site, action: tool }
  const now = Date.now()
  const fixed = fixedFor(rules.levels, site, action?.inputSchema, now)
  const arguments_ = isObject(given) ? { ...given, ...fixed.values } : given
  // A number that lost precision might name another object.
  const inexact = given === undefined ? undefined : findInexact(written)
  const call = {
    tool,
    sensitive:
      isSensitive(rules.account, tool, action) ||
      (tool === fetchAction && isOwnAddress(arguments_, rules.known)),
    toolVersion,
    toolChanged: false,
    timesMade: 0,
    unknownReason: null,
  }
  const fail = (why: string): Proposed => ({ ...call, input: null, ...proposeFaulty(why) })
  // A cut answer may have incomplete arguments, and later calls are missing.
  if (isCut) return fail(cutMessage)
  if (position >= maxCallsPerTurn) return fail(`a turn may ask for ${maxCallsPerTurn} calls`)
  if (action === undefined)
    return fail(`there is no tool ${tool}, use the tools that you were given`)
  const wrong =
    inexact === undefined
      ? (checkInput(action, arguments_) ?? misfit)
      : `the number ${inexact} is too large to be kept exactly`
  if (wrong !== undefined) return fail(wrong)
  // The model must learn that its own value would not be used.
  const other = findOther(fixed, { ...fixed.values, ...(given as object) })
  if (other !== undefined) return fail(`a rule sets the argument ${other}, leave it out`)
  const input = arguments_ as Record<string, unknown>
  const isGone = box.tool(action.id) === undefined && !(action.id in ownTools)
  const unavailable = isGone ? `${tool} is no longer connected` : box.tool(action.id)?.unavailable
  if (unavailable !== undefined) return { ...fail(unavailable), input }
  const { humanInTheLoop: policy, account, isDoubted } = rules
  const floor = account.approvals_floor
  const rule = judgeByRules(rules.levels, { ...site, args: input }, now, fixed.doubt)
  const state = propose(call, { policy, floor, underWay, isDoubted, rule })
  if (state.status === 'proposed' && action.maxInputBytes !== undefined) {
    const unread = checkInput({ ...action, maxInputBytes: undefined }, input)
    if (unread !== undefined) return fail(`a person has to approve it, and ${unread}`)
  }
  const ruled = rule === undefined ? {} : { rule }
  return { ...call, ...ruled, input, ...state, timesMade: state.status === 'executing' ? 1 : 0 }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined if the text is not JSON. */
function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text || '{}')
  } catch {
    return undefined
  }
}
