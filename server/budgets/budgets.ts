import { whileLocked } from '../accounts/bounds.ts'
import { retrieveAgent } from '../agents/agents.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { readOpenCost } from '../engine/reads/open-cost.ts'
import { cannot, notFound, tooMany } from '../errors.ts'
import { toTimeZone } from '../time-zone.ts'
import { listUsage } from '../usage/list-usage.ts'
import { checkWorkflow } from '../workflows/workflows.ts'
import { releaseWaits } from './release-waits.ts'
import type { Budget, CreateBudget, StoredBudget, UpdateBudget } from './schema.ts'
import * as store from './store.ts'
import { findUnpriced } from './unpriced.ts'

/**
 * Budgets of an account: a cap on the cost of model calls of the account, a workflow, an agent, a thread or a
 * tag, in a window of a day, week or month. When a cap is reached, runs are held, ask a person,
 * fail or use fallback models, as the budget says. This file has the operations; workers reserve
 * each call with `reserve.ts`. The spent amount is kept on the budget's row, so usage is read only
 * when a budget is created.
 */

const maxPerAccount = 50

export async function createBudget(ctx: Context, id: string, input: CreateBudget): Promise<Budget> {
  const { scope_value = null, thresholds = [], on_cap = 'hold' } = input
  const time_zone = zoneOf(ctx, input.time_zone ?? 'UTC')
  const budget = { ...input, scope_value, time_zone, thresholds: sorted(thresholds), on_cap }
  await checkScope(ctx, budget)
  const created = await whileLocked(ctx, async (transaction) => {
    // First, because Citus cannot change an account after its other tables were read in the same
    // transaction.
    await store.setHasBudgets(transaction, ctx.accountId, true)
    const existing = await store.findBudget(transaction, ctx.accountId, id)
    if (existing !== undefined) return existing
    const { window: unit, ...fields } = budget
    const row = { ...fields, id, unit }
    const made = await store.budgets.insert(transaction, ctx.accountId, row, maxPerAccount)
    if (made === undefined) throw tooMany(ctx, 'too_many_budgets', maxPerAccount, 'budgets')
    const { starts_at } = (await store.findBudget(transaction, ctx.accountId, id)) as StoredBudget
    const ended = await spentSince(ctx, budget, starts_at)
    const open = await readOpenCost(transaction, ctx.accountId, budget)
    await store.setSpent(transaction, ctx.accountId, id, ended + open)
    await recordAudit(transaction, ctx, { objectId: id, after: budget })
    return (await store.findBudget(transaction, ctx.accountId, id)) as StoredBudget
  })
  return show(ctx, created)
}

/** Newest first. */
export async function listBudgets(ctx: Context): Promise<Budget[]> {
  return showAll(ctx, await store.listBudgets(ctx.reads, ctx.accountId))
}

export async function retrieveBudget(ctx: Context, id: string): Promise<Budget> {
  const budget = await store.findBudget(ctx.database, ctx.accountId, id)
  if (budget === undefined) throw notFound(ctx, 'budget', id)
  return show(ctx, budget)
}

/** Changes the given fields. Runs that wait because of it go on where it has room now. */
export async function updateBudget(ctx: Context, id: string, input: UpdateBudget): Promise<Budget> {
  const budget = await whileLocked(ctx, async (transaction) => {
    const before = await store.findBudget(transaction, ctx.accountId, id)
    if (before === undefined) throw notFound(ctx, 'budget', id)
    const thresholds = input.thresholds && { thresholds: sorted(input.thresholds) }
    await store.budgets.update(transaction, ctx.accountId, id, { ...input, ...thresholds })
    const after = (await store.findBudget(transaction, ctx.accountId, id)) as StoredBudget
    await recordAudit(transaction, ctx, {
      objectId: id,
      before: settableOf(before),
      after: settableOf(after),
    })
    return after
  })
  if (input.cap_usd !== undefined || input.on_cap !== undefined) await releaseWaits(ctx, id)
  return show(ctx, budget)
}

export async function deleteBudget(ctx: Context, id: string): Promise<void> {
  await whileLocked(ctx, async (transaction) => {
    // First, for the same reason as in the creation. Rolled back if another budget remains.
    const isLast = (await store.countBudgets(transaction, ctx.accountId)) === 1
    if (isLast) await store.setHasBudgets(transaction, ctx.accountId, false)
    const before = await store.findBudget(transaction, ctx.accountId, id)
    if (before === undefined) throw notFound(ctx, 'budget', id)
    await store.budgets.delete(transaction, ctx.accountId, { id })
    await recordAudit(transaction, ctx, { objectId: id, before: settableOf(before) })
  })
  await releaseWaits(ctx, id)
}

async function show(ctx: Context, budget: StoredBudget): Promise<Budget> {
  return (await showAll(ctx, [budget]))[0] as Budget
}

async function showAll(ctx: Context, budgets: StoredBudget[]): Promise<Budget[]> {
  const warnings = await findUnpriced(ctx, budgets)
  return budgets.map((budget, index) => ({ ...budget, warnings: warnings[index] ?? [] }))
}

const sorted = (thresholds: number[]): number[] => [...new Set(thresholds)].sort((a, b) => a - b)

/** The fields that people set, without the amounts spent. */
function settableOf({
  name,
  scope,
  scope_value,
  window,
  time_zone,
  cap_usd,
  thresholds,
  on_cap,
}: StoredBudget) {
  return { name, scope, scope_value, window, time_zone, cap_usd, thresholds, on_cap }
}

function zoneOf(ctx: Context, name: string): string {
  const zone = toTimeZone(name)
  if (zone !== undefined) return zone
  const why = `time_zone is ${name}, expected an IANA name such as Europe/Berlin`
  throw cannot(ctx, 'unknown_time_zone', why, { param: 'time_zone' })
}

async function checkScope(ctx: Context, { scope, scope_value }: Required<CreateBudget>) {
  const refuse = (why: string, param: string) => cannot(ctx, 'invalid_value', why, { param })
  if (scope === 'account') {
    if (scope_value === null) return
    throw refuse('scope_value goes with the scopes workflow, agent, thread and tag', 'scope_value')
  }
  if (scope_value === null) throw refuse(`scope_value says which ${scope}`, 'scope_value')
  if (scope === 'workflow') await checkWorkflow(ctx, scope_value)
  if (scope === 'agent') await retrieveAgent(ctx, scope_value)
  if (scope === 'thread' && !(await store.hasThread(ctx.database, ctx.accountId, scope_value)))
    throw refuse(`scope_value is ${scope_value}, not a thread of this account`, 'scope_value')
  if (scope === 'tag' && !/^[a-z0-9_.-]{1,40}:/.test(scope_value)) {
    const why = `scope_value is ${scope_value}, expected key:value such as customer:acme`
    throw refuse(why, 'scope_value')
  }
}

/** The window's cost so far, from the daily sums: the first day counts as a whole, in UTC. */
async function spentSince(
  ctx: Context,
  { scope, scope_value: value }: Required<CreateBudget>,
  start: Date,
): Promise<number> {
  const [key = '', ...rest] = (value ?? '').split(':')
  const group = scope === 'account' ? 'day' : scope === 'tag' ? `tag:${key}` : scope
  const query = { from: start.toISOString().slice(0, 10), group_by: group }
  const { items } = await listUsage(ctx, { limit: 1_000, after: undefined }, query)
  const counted = items.filter((item) => {
    if (scope === 'account') return true
    return scope === 'tag' ? item.tag === rest.join(':') : item[scope] === value
  })
  return counted.reduce((sum, { cost_usd: cost }) => sum + cost, 0)
}
