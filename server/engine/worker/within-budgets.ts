import type { OnCap, Reservation, WorkerPort } from '../port.ts'
import { estimateCost } from '../run/estimate.ts'
import type { ModelInfo } from '../../models/contract.ts'
import type { ApprovedCost, Limits } from '../run/definition.ts'
import type { CostFacts } from '../run/pending.ts'
import type { RunFailure } from '../run/run.ts'
import type { AccountGate } from '../safety/quotas.ts'
import type { Postponed, TurnRequest } from './model-turn.ts'

/** Whether the run's and the account's budgets have room for a turn, and with which models. */
export type Budgeted =
  | {
      kind: 'open'
      models: string[]
      reservation: Extract<Reservation, { kind: 'reserved' }> | undefined
    }
  | Postponed
  | { kind: 'failed'; failure: RunFailure }
  /** A person has to allow the run to cost more; nothing is reserved meanwhile. */
  | { kind: 'over-cost'; cost: CostFacts }

export interface BudgetDeps {
  port: Pick<WorkerPort, 'reserveCall'>
  gate: AccountGate
  fence: { accountId: string }
  /** Facts by which budgets select calls. */
  subject: { workflowId: string; threadId: string | null; tags: Record<string, string> | null }
  /** The write before this turn, which counts the call before it. */
  written: Promise<boolean>
}

/** Cost and limits of a run. */
export interface Spending {
  costUsd: number
  limits: Limits
  /** The total cost that a person allowed this run. */
  approved: ApprovedCost | undefined
}

/** A held run checks again after this long, in case the cap was raised. */
const lookAgainSeconds = 60
/** A run that waits for calls in progress is woken by their end; this is for calls that never end, or ended just now. */
const callsEndSeconds = 5

export async function reserveTurn(
  { port, gate, fence: { accountId }, subject, written }: BudgetDeps,
  agentId: string | null,
  request: Pick<
    TurnRequest,
    'model' | 'fallbacks' | 'instructions' | 'messages' | 'tools' | 'maxOutputTokens' | 'tries'
  >,
  find: (id: string) => ModelInfo | undefined,
  { costUsd, limits, approved }: Spending,
): Promise<Budgeted> {
  const { model, fallbacks, tries } = request
  const all = [model, ...fallbacks]
  const limitUsd = limits.on_cost === 'ask' ? limits.max_cost_usd : null
  const hasBudgets = await gate.hasBudgets(accountId)
  if (limitUsd === null && !hasBudgets) return { kind: 'open', models: all, reservation: undefined }
  const estimateOf = (ids: string[]): number =>
    Math.max(...ids.map((id) => estimateCost(find(id) ?? unpriced, request)))
  const estimate = estimateOf(all)
  const hasRoom = (max: number): boolean => exact(costUsd + estimate) <= max
  const facts = { estimate_usd: exact(estimate), run_cost_usd: exact(costUsd) }
  const allowedUsd = approved?.maxCostUsd ?? limitUsd
  if (limitUsd !== null && allowedUsd !== null && !hasRoom(allowedUsd)) {
    return {
      kind: 'over-cost',
      cost: { spent_usd: exact(costUsd), limit_usd: allowedUsd, ...facts },
    }
  }
  if (!hasBudgets) return { kind: 'open', models: all, reservation: undefined }
  // The estimate of the previous call is released when its cost is written.
  await written
  const call = { ...subject, accountId, agentId }
  const beyondUsd = approved?.beyondBudgetsUsd
  const passed: OnCap[] = beyondUsd !== undefined && hasRoom(beyondUsd) ? ['ask'] : []
  const reservation = await port.reserveCall(call, estimate, passed)
  if (reservation.kind === 'reserved') return { kind: 'open', models: all, reservation }
  const { budget, why: message } = reservation
  if (budget.isBusy) {
    const words = `${capital(message)}. It is made when calls in progress have ended`
    const held = { reason: 'budget', message: words, lostMs: 0, waitsForCalls: true } as const
    const delaySeconds = callsEndSeconds * (1 + Math.random())
    return { kind: 'postponed', tries, delaySeconds, held }
  }
  if (budget.on_cap === 'refuse') {
    return { kind: 'failed', failure: { code: 'budget_exceeded', message } }
  }
  if (budget.on_cap === 'ask') {
    const { id, name, window, spent_usd, cap_usd: limit_usd, ends_at } = budget
    const named = { id, name, window, ends_at: ends_at.toISOString() }
    return { kind: 'over-cost', cost: { spent_usd, limit_usd, ...facts, budget: named } }
  }
  const dearest = estimateOf([model])
  const cheaper = fallbacks.filter((id) => estimateOf([id]) < dearest)
  if (budget.on_cap === 'fallback' && cheaper.length > 0) {
    const beyond = await port.reserveCall(call, estimateOf(cheaper), ['fallback', ...passed])
    if (beyond.kind === 'reserved') return { kind: 'open', models: cheaper, reservation: beyond }
  }
  const untilNext = Math.max(1, (budget.ends_at.getTime() - Date.now()) / 1_000)
  const delaySeconds = Math.min(lookAgainSeconds, untilNext)
  const held = { reason: 'budget', message: capital(message), lostMs: 0 } as const
  return { kind: 'postponed', tries, delaySeconds, held }
}

const unpriced: Pick<ModelInfo, 'priceIn' | 'priceOut'> = { priceIn: null, priceOut: null }

/** Costs have ten decimals; binary sums of them have more. */
export function exact(usd: number): number {
  return Number(usd.toFixed(10))
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
