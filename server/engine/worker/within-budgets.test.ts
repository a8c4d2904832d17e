import assert from 'node:assert/strict'
import { it } from 'node:test'
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

/** The answer of an account without budgets. 10,000 tokens of the dearer model are estimated at one dollar. */
const reserve = (limits: Partial<Limits>, costUsd = 0, maxCostUsd?: number) =>
  reserveTurn(
    {
      gate: { hasBudgets: async () => false },
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
