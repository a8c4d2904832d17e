import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'
import { startTestApp } from '../../test/test-app.ts'

const model = 'local/llama'
const app = fixture(() =>
  startTestApp({
    prepareModels: (file) => {
      file.models.push({ id: model, provider: 'test', model: 'llama' })
    },
  }),
)

it('calls of a model without a price are counted as such on run, usage and estimate', async () => {
  const crew = [{ role: 'r', systemPrompt: 's' }]
  const workflowId = await app.createWorkflow({ crew, model })
  const run = await app.run(workflowId)
  assert.deepEqual([run.cost_usd, run.calls_without_price], [0, 1])
  assert.equal(run.steps[0].calls_without_price, 1)
  const priced = await app.run(await app.createWorkflow({ crew }))
  assert.ok(priced.cost_usd > 0)
  assert.equal(priced.calls_without_price, 0)

  for (const [groupBy, expected] of [
    ['model', [1, 0]],
    ['day', [1]],
    ['workflow', [1, 0]],
  ] as const) {
    const counts = pluck(await app.get(`/v1/usage?group_by=${groupBy}`), 'calls_without_price')
    assert.deepEqual(
      counts.flat().toSorted((a, b) => Number(b) - Number(a)),
      expected,
      groupBy,
    )
  }
  const items = [{ input: 'x' }]
  const body = { items, dry_run: true }
  const estimate = await app.post(`/v1/workflows/${workflowId}/batches`, body)
  assert.deepEqual([estimate.cost_usd_p50, estimate.calls_without_price], [0, 1])
})

it('a budget that covers a model without a price says so from the start', async () => {
  const crew = [{ role: 'r', systemPrompt: 's' }]
  const message = `${model} has no price, so calls are not counted`
  const warning = [{ code: 'price_unknown', message }]
  const make = async (scope: string, scope_value: string | null) => {
    const budget = { name: 'b', scope, scope_value, window: 'day', cap_usd: 0.001 }
    const made = await app.post('/v1/budgets', budget)
    assert.deepEqual((await app.get(`/v1/budgets/${made.id}`)).warnings, made.warnings)
    return made.warnings
  }
  assert.deepEqual(await make('account', null), warning)
  assert.deepEqual(await make('tag', 'customer:acme'), warning)
  assert.deepEqual(await make('workflow', await app.createWorkflow({ crew, model })), warning)
  assert.deepEqual(await make('workflow', await app.createWorkflow({ crew })), [])
  const agentId = await app.createAgent({ name: 'a', role: 'r', systemPrompt: 's', model })
  assert.deepEqual(await make('agent', agentId), warning)
  const linking = await app.createWorkflow({ crew: [{ role: 'r', systemPrompt: 's', agentId }] })
  assert.deepEqual(await make('workflow', linking), warning)
  const [listed] = await app.get('/v1/budgets')
  assert.deepEqual(listed.warnings, warning)
})
