import type { Database, Transaction } from '../db/client.ts'
import type { Bill } from '../engine/journal/billed.ts'
import { wakeHeldByBudgets } from '../engine/journal/wake.ts'
import { newId } from '../ids.ts'
import { publishEvent } from '../sends/webhooks/deliveries.ts'
import * as store from './reserve-store.ts'
import { type FullBudget, type Subject, findReached } from './reserve-store.ts'
import { findBudget } from './store.ts'
import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'

/**
 * Model calls of accounts with budgets: a call's estimate is reserved before it, over all
 * processes, and replaced by its cost when its usage is written. So a cap can only be exceeded by
 * what a call cost beyond its estimate. Rejects if the sums cannot be read: then no call is made.
 */
export type Reservation =
  | { kind: 'reserved'; bills: (costUsd: number) => Bill[]; [Symbol.dispose](): void }
  /** `isBusy`: it has room once calls in progress have ended. */
  | { kind: 'full'; budget: FullBudget; why: string; [Symbol.dispose](): void }

export type { Subject }

export type OnCap = FullBudget['on_cap']

/** If several budgets lack room, the first of these applies. */
const strictest: OnCap[] = ['refuse', 'hold', 'ask', 'fallback']

/** Runs that try again when a call has ended; each of them ends a call in turn. */
const wokenByCall = 8
/** Runs that learn at once that a budget is reached, instead of waiting for calls in progress. */
const wokenAtCap = 500

const wake = (transaction: Transaction, accountId: string, count: number): Promise<void> =>
  wakeHeldByBudgets(transaction, accountId, { count, onlyBehindCalls: true })

/** Well before a reservation expires. */
const renewMs = 20_000

const nothing = {
  kind: 'reserved',
  bills: (): Bill[] => [],
  [Symbol.dispose]: (): void => {},
} as const

export async function reserveCall(
  database: Database,
  subject: Subject,
  estimateUsd: number,
  /** Budgets that do not stop the call, by their `on_cap`. */
  passed: OnCap[] = [],
): Promise<Reservation> {
  const { accountId, workflowId } = subject
  const callId = newId('req')
  const announce = async (transaction: Transaction, reached: store.Passed[]): Promise<void> => {
    for (const { type, share, budget_id } of reached) {
      const data = { share, budget: await findBudget(transaction, accountId, budget_id) }
      await publishEvent(transaction, accountId, { id: newId('evt'), type, data, workflowId })
      if (type === 'budget.reached') await wake(transaction, accountId, wokenAtCap)
    }
  }
  const { count, full } = await store.reserve(
    database,
    subject,
    callId,
    { estimateUsd, passed },
    announce,
  )
  // A budget that is spent decides before one that only waits for calls in progress.
  const rank = ({ isBusy, on_cap }: FullBudget): number =>
    strictest.indexOf(on_cap) + (isBusy ? strictest.length : 0)
  const [budget] = full.toSorted((one, other) => rank(one) - rank(other))
  if (budget !== undefined) {
    const why = fullWords(budget, estimateUsd)
    return { kind: 'full', budget, why, [Symbol.dispose]: () => {} }
  }
  if (count === 0) return nothing
  const renewing = setInterval(() => {
    store.renew(database, accountId, callId).catch(() => {})
  }, renewMs)
  renewing.unref()
  const bill = async (transaction: Transaction, costUsd: number): Promise<void> => {
    await announce(transaction, await store.replaceByCost(transaction, accountId, callId, costUsd))
    await wake(transaction, accountId, wokenByCall)
  }
  const bills = (costUsd: number) => [(transaction: Transaction) => bill(transaction, costUsd)]
  return { kind: 'reserved', bills, [Symbol.dispose]: () => clearInterval(renewing) }
}

/** Why a call is not made, or a run not started, for people. `estimateUsd` is the call's. */
function fullWords(
  { name, window, cap_usd, spent_usd, reserved_usd, ends_at }: Omit<FullBudget, 'isBusy'>,
  estimateUsd?: number,
): string {
  const usd = (amount: number): string => `${Number(amount.toFixed(6))} USD`
  const amounts = [
    `spent: ${usd(spent_usd)}`,
    ...(reserved_usd > 0 ? [`reserved by calls in progress: ${usd(reserved_usd)}`] : []),
    ...(estimateUsd === undefined ? [] : [`estimate of this call: up to ${usd(estimateUsd)}`]),
  ]
  const isSpent = spent_usd >= cap_usd ? 'is spent' : 'is reached'
  const state = estimateUsd === undefined ? isSpent : 'has no room for the call'
  const until = ends_at.toISOString()
  return `the budget ${name} of ${cap_usd} USD a ${window} ${state} (${amounts.join(', ')}); it resets at ${until}`
}

/**
 * Throws for a run that a reached budget would fail at its first call: a budget of the account,
 * the workflow or a tag with `on_cap` `refuse`. A budget of an agent only fails that agent's step,
 * because earlier steps may still run.
 */
export async function refuseSpent(
  ctx: Context,
  workflowId: string,
  tags: Record<string, string> = {},
  threadId: string | null = null,
): Promise<void> {
  const subject = { accountId: ctx.accountId, workflowId, agentId: null, threadId, tags }
  const budget = await findReached(ctx.database, subject)
  if (budget !== undefined) throw cannot(ctx, 'budget_reached', fullWords(budget))
}
