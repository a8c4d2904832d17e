import assert from 'node:assert/strict'
import { it } from 'node:test'
import { until } from '../rig/until.ts'
import { openScriptedStage } from './scripted-stage.ts'
import { complete } from './test-app.ts'

/** The lease of a reservation, plus a minute until the last check. */
const longestMs = 61_000

const pricedModel = (url: string) => ({
  providers: [{ id: 'bench', base_url: `${url}/v1` }],
  models: [{ id: 'bench', provider: 'bench', model: 'bench', price_in: 1, price_out: 2 }],
})

it('kill -9 of a process leaves no reservation beyond a minute, and its call counts once it is made again', async (t) => {
  let hangs = true
  await using stage = await openScriptedStage({
    answer: (response) => {
      if (!hangs) complete(response, 'done', 20, 256)
    },
    modelsFile: pricedModel,
    env: { MUSTER_LEASE_SECONDS: '5' },
  })
  const process = await stage.start('all')
  const crew = [{ role: 'a', systemPrompt: 'a', maxTokens: 256 }]
  const workflow = await stage.createWorkflow({ model: 'bench', crew })
  const fields = { name: 'B', scope: 'workflow', scope_value: workflow, window: 'month' }
  // Room for one call at a time.
  const { id } = await stage.post('/v1/budgets', { ...fields, cap_usd: 0.0008, on_cap: 'hold' })
  const run = await stage.trigger(workflow, { input: 'x' })
  const budget = () => stage.get(`/v1/budgets/${id}`)
  await until('its call is reserved', 20_000, async () => (await budget()).reserved_usd > 0)
  await process.kill()
  const killedAt = performance.now()
  hangs = false
  await stage.start('all')
  await until('nothing is reserved', 2 * longestMs, async () => {
    if ((await budget()).reserved_usd === 0) return true
    return (await stage.get(`/v1/runs/${run}`)).status === 'completed'
  })
  const tookMs = performance.now() - killedAt
  t.diagnostic(`nothing of the dead process is reserved after ${Math.round(tookMs / 1_000)} s`)
  assert.ok(tookMs < longestMs, `${tookMs} ms`)
  // A held run checks again within a minute.
  await until(
    'the run ends',
    130_000,
    async () => (await stage.get(`/v1/runs/${run}`)).status === 'completed',
  )
  const { spent_usd, reserved_usd } = await budget()
  assert.deepEqual([Number(spent_usd.toFixed(9)), reserved_usd], [0.000532, 0])
})

it('a run that asks for money waits through kill -9, and goes on once a person approves', async () => {
  await using stage = await openScriptedStage({
    answer: (response) => complete(response, 'done', 20, 256),
    modelsFile: pricedModel,
  })
  const process = await stage.start('all')
  const crew = ['a', 'b'].map((role) => ({ role, systemPrompt: 'a', maxTokens: 256 }))
  const limits = { max_cost_usd: 0.0008, on_cost: 'ask' }
  const workflow = await stage.createWorkflow({ model: 'bench', crew, limits })
  const run = await stage.run(workflow, { input: 'x' })
  assert.deepEqual([run.status, run.pending.kind], ['waiting_input', 'budget'])
  await process.kill()
  await stage.start('all')
  const after = await stage.get(`/v1/runs/${run.id}`)
  assert.deepEqual([after.status, after.pending], ['waiting_input', run.pending])
  await stage.post(`/v1/runs/${run.id}/respond`, { action: 'approve', max_cost_usd: 1 })
  const ended = await stage.rest(run.id)
  assert.deepEqual([ended.status, ended.cost_usd], ['completed', 0.001064])
})
