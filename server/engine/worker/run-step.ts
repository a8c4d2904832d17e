import {
  noUsage,
  addUsage,
  type ModelInfo,
  type ModelTurn,
  type ModelTurnRequest,
  type Usage,
} from '../../models/contract.ts'
import type { MemoryScope, StepFiles } from '../port.ts'
import type { TokenStream } from '../feed/token-stream.ts'
import { toolEvent } from '../run/ledger.ts'
import { writeBilled, type Bill } from '../journal/billed.ts'
import { request } from '../journal/requests/requests.ts'
import { writeLedger } from '../journal/calls.ts'
import type { CostFacts } from '../run/pending.ts'
import type { RunFailure } from '../run/run.ts'
import { warningsOfCalls, type CallWarning } from '../run/undone-calls.ts'
import { toFinishReason, type StepStart, type TurnFacts } from '../run/step.ts'
import { levelsOf } from '../../policies/rules.ts'
import type { ApprovedCost, HumanInTheLoop, Limits, FrozenRules } from '../run/definition.ts'
import type { AccountGate } from '../safety/quotas.ts'
import { checkAnswer, sendBack, toMessages, type Turn } from './conversation.ts'
import { requestsOf, startEvents } from '../run/requests.ts'
import { takeTurn, type Postponed, type TurnRequest } from './model-turn.ts'
import { knownAddresses } from '../safety/fetch-rule.ts'
import { proposeCalls, type Rules } from './propose-calls.ts'
import { fetchAction } from '../../tools/contract.ts'
import { settleCalls, type CallDeps, type CallSite, type WaitingCalls } from './settle-calls.ts'
import type { Toolbox } from './prepare-step.ts'
import { exact, reserveTurn, type BudgetDeps } from './within-budgets.ts'

/**
 * One step: turns of its agent until one answers without tool calls. A step of one turn writes
 * nothing here. With tools, each turn and its calls are stored before anything goes out, so that
 * another worker can continue after a crash.
 */
export interface StepWork {
  step: StepStart
  model: string
  fallbacks: string[]
  instructions: string
  input: string
  /** Left out if the run has no files. */
  files?: StepFiles
  /** Texts that people wrote for it: its instructions without memory, and the run's input. */
  given: string[]
  maxTokens: number | null
  /** JSON text of its output schema, if it has one. */
  outputSchema: string | undefined
  box: Toolbox
  /** Opens the current tools: a connection may be replaced or removed while a step runs. */
  currentBox: () => Promise<Toolbox>
  /** Hash under which its tools are stored. */
  toolsHash: string | null
  scope: MemoryScope | undefined
  /** Turns that are stored already. */
  turns: Turn[]
  tries: number
  /** Cost of the run so far. */
  costUsd: number
  policy: HumanInTheLoop
  limits: Limits
  approved: ApprovedCost | undefined
  /** Its actions may have been done before, in data that the database has lost. */
  isDoubted: boolean
  /** Capabilities and rules of its agent. */
  capabilities: readonly string[]
  /** Actions of its caller's tools. */
  tools: readonly string[]
  rules: FrozenRules | undefined
  /** Facts about it that rules are evaluated on. */
  site: Rules['site']
}

export interface StepDeps extends CallDeps {
  tokens: TokenStream
  /** Timeout of a tool call. */
  toolTimeoutMs: number
  /** Aborts when no further turn may start here. */
  draining: AbortSignal
  /** The write of the step boundary before; only a model call may start before it is done. */
  written: Promise<boolean>
  countUsage: (model: string, usage: Usage) => void
  gate: AccountGate
  /** Facts by which budgets select calls. */
  subject: BudgetDeps['subject']
}

/**
 * `recorded` is usage that turns have written, `usage` is usage still to be written, with its
 * bills.
 */
export type StepOutcome = { usage: Usage; recorded: Usage; bills?: Bill[] | undefined } & (
  | {
      kind: 'finished'
      output: string
      outputJson: string | undefined
      usedTools: boolean
      callWarnings: CallWarning[]
      facts: TurnFacts
    }
  | { kind: 'failed'; failure: RunFailure }
  | WaitingCalls
  | { kind: 'over-cost'; cost: CostFacts }
  | Postponed
  | { kind: 'aborted'; tries: number }
  | { kind: 'lost' }
)

export async function runStep(deps: StepDeps, opened: StepWork): Promise<StepOutcome> {
  const { fence, port } = deps
  let work = opened
  const tunedModels = await findTunedModels(deps, work)
  const turns = [...work.turns]
  let { tries } = work
  let recorded = noUsage
  let isNew = false
  for (;;) {
    const last = turns.at(-1)
    if (last !== undefined) {
      const settled = await settleCalls(siteOf(deps, work), last.calls, { isNew })
      const rest = { usage: noUsage, recorded }
      if (settled.kind === 'waiting' || settled.kind === 'lost') return { ...settled, ...rest }
      if (settled.kind === 'postponed') return { ...settled, tries, ...rest }
      if (settled.kind === 'aborted' || deps.signal.aborted)
        return { kind: 'aborted', tries, ...rest }
      if (deps.draining.aborted) return { kind: 'postponed', tries, delaySeconds: 0, ...rest }
    }
    if (!(await deps.gate.mayCall(fence.accountId))) {
      // No worker takes the run while its account is held, and no run time passes.
      return { kind: 'postponed', tries: 0, delaySeconds: 0, usage: noUsage, recorded }
    }
    // Read for each turn, because a key may be replaced or removed while a run lasts.
    const models = await port.modelsOf(fence.accountId)
    const request = { ...requestOf(deps, work, turns), tries }
    const budgeted = await reserveTurn(
      deps,
      work.step.agentId,
      request,
      (id) => models.find(id) ?? tunedModels.find((info) => info.id === id),
      { ...work, costUsd: work.costUsd + recorded.costUsd },
    )
    if (budgeted.kind !== 'open') return { ...budgeted, usage: noUsage, recorded }
    const [model = work.model, ...fallbacks] = budgeted.models
    using _ = budgeted.reservation
    using writer = deps.tokens.open(fence, work.step.position, turns.length)
    const { usage, ...outcome } = await takeTurn(models, {
      ...request,
      model,
      fallbacks,
      ...(writer && { onText: writer.write }),
      tunedModels,
    })
    await deps.gate.count(fence.accountId, usage.costUsd)
    const bills = budgeted.reservation?.bills(usage.costUsd)
    const rest = { usage, recorded, bills }
    if (outcome.kind === 'failed') {
      return { kind: 'failed', failure: { code: 'step_failed', message: outcome.message }, ...rest }
    }
    if (outcome.kind !== 'answered') return { ...outcome, ...rest }
    const facts = {
      durationMs: outcome.durationMs,
      requestId: outcome.turn.requestId ?? null,
      toolsHash: work.toolsHash,
      finishReason: toFinishReason(outcome.turn.finishReason),
      model: outcome.model,
      warning: outcome.turn.warning,
    }
    const isAnswer = !outcome.turn.content.some(({ type }) => type === 'tool-call')
    const { outputSchema } = work
    const checked = isAnswer
      ? await checkAnswer(
          { accountId: fence.accountId, sandbox: deps.sandbox },
          outcome.turn,
          outputSchema,
          turns,
        )
      : undefined
    if (checked?.kind === 'fits') {
      const { output, outputJson } = checked
      const usedTools = turns.some(({ calls }) => calls.length > 0)
      const callWarnings = warningsOfCalls(turns.flatMap(({ calls }) => calls))
      return { kind: 'finished', output, outputJson, usedTools, callWarnings, facts, ...rest }
    }
    const limit = limitReached(
      work,
      turns.length + 1,
      work.costUsd + recorded.costUsd + usage.costUsd,
      checked === undefined ? 'the agent still asks for tools' : checked.problem,
    )
    if (limit !== undefined && checked?.kind !== 'failed')
      return { kind: 'failed', failure: limit, ...rest }
    if (!(await deps.written)) return { kind: 'lost', ...rest }
    if (!isAnswer) work = { ...work, box: await work.currentBox() }
    const where = { ...fence, sandbox: deps.sandbox, position: work.step.position }
    const turn =
      checked === undefined
        ? await proposeCalls(
            where,
            outcome.turn,
            turns,
            work.box,
            await rulesOf(deps, work, turns, outcome.turn),
          )
        : sendBack(outcome.turn, turns.length, checked.problem)
    const isOurs = await recordTurn(deps, work, { ...turn, facts }, { usage, bills })
    if (!isOurs) return { kind: 'lost', ...rest }
    recorded = addUsage(recorded, usage)
    if (checked?.kind === 'failed') {
      const failure = { code: 'output_invalid' as const, message: checked.message }
      return { kind: 'failed', failure, usage: noUsage, recorded }
    }
    turns.push(turn)
    tries = 0
    isNew = true
  }
}

/** The models of a step that are fine-tunes of the account. */
async function findTunedModels(
  { port, fence: { accountId } }: StepDeps,
  { model, fallbacks }: StepWork,
): Promise<ModelInfo[]> {
  const models = await port.modelsOf(accountId)
  const unlisted = [model, ...fallbacks].filter((id) => models.find(id) === undefined)
  const found = await Promise.all(unlisted.map((id) => port.findTunedModel(accountId, models, id)))
  return found.filter((info) => info !== undefined)
}

/** Rules for the calls of the next turn. */
async function rulesOf(
  { database, fence, port }: StepDeps,
  { step, policy, isDoubted, box, given, rules, site }: StepWork,
  turns: Turn[],
  { content }: ModelTurn,
): Promise<Rules> {
  const account = await port.readPolicies(database, fence.accountId)
  const moment = { ...fence, position: step.position, turn: turns.length }
  const fetches = content.some(
    (part) => part.type === 'tool-call' && box.get(part.toolName)?.id === fetchAction,
  )
  // If an admin has listed allowed hosts, that list decides.
  const isBound = fetches && account.web_fetch_hosts === null
  const known = isBound ? await knownAddresses(database, moment, given) : undefined
  const levels = levelsOf(account.rules, rules)
  return { humanInTheLoop: policy, account, levels, isDoubted, known, site }
}

function requestOf(
  { signal }: StepDeps,
  { model, fallbacks, instructions, input, files, box, maxTokens, outputSchema }: StepWork,
  turns: Turn[],
): ModelTurnRequest & Pick<TurnRequest, 'model' | 'fallbacks' | 'files'> {
  return {
    model,
    fallbacks,
    instructions,
    messages: toMessages(input, turns),
    ...(files === undefined ? {} : { files }),
    ...(box.definitions.length === 0 ? {} : { tools: box.definitions }),
    ...(maxTokens === null ? {} : { maxOutputTokens: maxTokens }),
    ...(outputSchema === undefined
      ? {}
      : { outputSchema: JSON.parse(outputSchema) as Record<string, unknown> }),
    signal,
  }
}

/** Fails a step that would exceed its turns or the run's spend limit. */
function limitReached(
  { limits }: StepWork,
  turns: number,
  costUsd: number,
  why: string,
): RunFailure | undefined {
  const { max_turns_per_step: maxTurns } = limits
  if (turns >= maxTurns) {
    const message = `limits.max_turns_per_step of ${maxTurns} is reached and ${why}`
    return { code: 'budget_exceeded', message }
  }
  const message = overCost(limits, costUsd)
  return message === undefined ? undefined : { code: 'budget_exceeded', message }
}

/**
 * Why the cost of a run fails it; undefined if it does not. A run with `on_cost: ask` asks before
 * its next call instead.
 */
export function overCost(
  { max_cost_usd: limit, on_cost }: Limits,
  costUsd: number,
): string | undefined {
  const cost = exact(costUsd)
  if (limit === null || on_cost === 'ask' || cost <= limit) return undefined
  return `limits.max_cost_usd of ${limit} is exceeded, the run has cost ${cost}`
}

async function recordTurn(
  { database, fence, changed, countUsage, subject }: StepDeps,
  { step, box }: StepWork,
  turn: Turn & { facts: TurnFacts },
  { usage, bills }: Pick<StepOutcome, 'usage' | 'bills'>,
): Promise<boolean> {
  const going = turn.calls.filter(({ status }) => status === 'executing')
  const ended = turn.calls.filter(({ output }) => output !== null)
  const eventsAt = (at: Date) => [
    ...startEvents(fence.runId, { step, box }, going, at),
    ...ended.map((call) => toolEvent(fence.runId, 'tool.completed', step, call)),
  ]
  let events = eventsAt(new Date())
  const requested = requestsOf(box, going)
  const where = { ...subject, agentId: step.agentId, position: step.position }
  const isOurs = await writeBilled(database, bills, async (inside) => {
    const entry = { position: step.position, usage, turn }
    if (requested.length === 0) return writeLedger(inside, fence, { ...entry, events })
    const written = await request(inside, fence, where, async (transaction, at) => {
      events = eventsAt(at)
      const isOurs = await writeLedger(transaction, fence, { ...entry, events })
      return { calls: requested, written: isOurs }
    })
    return written === true
  })
  if (isOurs) {
    changed(events)
    countUsage(turn.facts.model, usage)
  }
  return isOurs
}

function siteOf(deps: StepDeps, work: StepWork): CallSite {
  const { step, box, scope, policy, isDoubted } = work
  const { accountId } = deps.fence
  return {
    ...deps,
    timeoutMs: deps.toolTimeoutMs,
    step,
    workflowId: deps.subject.workflowId,
    box,
    scope,
    isDoubted,
    asksPeople: policy.enabled,
    findForbidden: (calls) => deps.port.findForbidden({ ...work, accountId }, calls),
  }
}
