import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { OnCap, Reservation } from '../port.ts'
import type { Limits } from '../run/definition.ts'
import { reserveTurn, type BudgetDeps } from './within-budgets.ts'

const prices: Record<string, number> = { 'test/dear': 100, 'test/cheap': 1 }
const find = (id: string) => ({ priceIn: 0, priceOut: prices[id] ?? null }) as never
const request = {
  model: 'test/dear',
  fallbacks: ['test/cheap'],
  instructions: '',
  messages: [],
  tools: [],
  maxOutputTokens: 10_000,
  tries: 0,
}

/** By default for an account without budgets. 10,000 tokens of the dearer model are estimated at one dollar. */
const reserve = (
  limits: Partial<Limits>,
  costUsd = 0,
  maxCostUsd?: number,
  reserveCall?: BudgetDeps['port']['reserveCall'],
) =>
  reserveTurn(
    {
      port: { reserveCall },
      gate: { hasBudgets: async () => reserveCall !== undefined },
      fence: { accountId: 'acc' },
    } as unknown as BudgetDeps,
    null,
    request,
    find,
    {
      costUsd,
      limits: limits as Limits,
      approved: maxCostUsd === undefined ? undefined : { runId: 'run_1', maxCostUsd },
    },
  )

it('a turn beyond the cost of its run asks only if the workflow says so', async () => {
  const open = { kind: 'open', models: ['test/dear', 'test/cheap'], reservation: undefined }
  assert.deepEqual(await reserve({ max_cost_usd: 0.5, on_cost: 'fail' }), open)
  assert.deepEqual(await reserve({ max_cost_usd: 0.5 }), open, 'frozen by an earlier version')
  assert.deepEqual(await reserve({ max_cost_usd: null, on_cost: 'ask' }), open)
  assert.deepEqual(await reserve({ max_cost_usd: 0.5, on_cost: 'ask' }), {
    kind: 'over-cost',
    cost: { spent_usd: 0, limit_usd: 0.5, estimate_usd: 1, run_cost_usd: 0 },
  })
})

it('a turn has room up to the limit, or up to the cost that a person allowed', async () => {
  const limits = { max_cost_usd: 1.5, on_cost: 'ask' } as const
  assert.equal((await reserve(limits, 0.5)).kind, 'open')
  assert.equal((await reserve(limits, 0.51)).kind, 'over-cost')
  assert.equal((await reserve(limits, 2, 3)).kind, 'open')
  const beyond = await reserve(limits, 2.5, 3)
  assert.equal(beyond.kind === 'over-cost' && beyond.cost.limit_usd, 3)
})

const reserved: Reservation = { kind: 'reserved', bills: () => [], [Symbol.dispose]: () => {} }
const ends_at = new Date(Date.now() + 3_600_000)

/** What an account gets whose budget has no room. */
async function reserveBeyond(on_cap: OnCap, isBusy = false) {
  const budget = {
    id: 'bud_1',
    name: 'B',
    window: 'day' as const,
    cap_usd: 1,
    spent_usd: 1,
    reserved_usd: 0,
    ends_at,
    on_cap,
    isBusy,
  }
  const estimates: number[] = []
  const found = await reserve({ max_cost_usd: null }, 0, undefined, async (_, usd, passed) => {
    estimates.push(usd)
    const isPassed = passed.includes(on_cap)
    const full = { kind: 'full', budget, why: 'it is spent', [Symbol.dispose]: () => {} } as const
    return isPassed ? reserved : full
  })
  return { found, estimates }
}

it('a turn beyond a budget fails, is held, asks or uses cheaper models, as the budget says', async () => {
  const refused = await reserveBeyond('refuse')
  const failure = { code: 'budget_exceeded', message: 'it is spent' }
  assert.deepEqual(refused, { found: { kind: 'failed', failure }, estimates: [1] })
  const { found: held } = await reserveBeyond('hold')
  assert.deepEqual(held.kind === 'postponed' && [held.delaySeconds, held.held], [
    60,
    { reason: 'budget', message: 'It is spent', lostMs: 0 },
  ])
  const { found: asked } = await reserveBeyond('ask')
  assert.deepEqual(asked.kind === 'over-cost' && asked.cost, {
    spent_usd: 1,
    limit_usd: 1,
    estimate_usd: 1,
    run_cost_usd: 0,
    budget: { id: 'bud_1', name: 'B', window: 'day', ends_at: ends_at.toISOString() },
  })
  const cheaper = await reserveBeyond('fallback')
  assert.deepEqual(cheaper, {
    found: { kind: 'open', models: ['test/cheap'], reservation: reserved },
    estimates: [1, 0.01],
  })
})

it('a turn that only waits for calls in progress is held for seconds, whatever the budget says', async () => {
  const { found } = await reserveBeyond('refuse', true)
  assert.ok(found.kind === 'postponed' && found.delaySeconds <= 10)
  assert.equal(found.held?.waitsForCalls, true)
})
