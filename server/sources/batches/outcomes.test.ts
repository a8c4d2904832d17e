import assert from 'node:assert/strict'
import { it } from 'node:test'
import { until } from '../../../rig/until.ts'
import { clerkFixture, write } from '../../../test/clerk.ts'
import { callTools, complete } from '../../../test/test-app.ts'
import { pluck } from '../../../test/pluck.ts'

const model = 'local/llama'
const { app, createWorkflow } = clerkFixture({
  intervals: { batchesMs: 20 },
  prepareModels: (file) => {
    file.models.push({ id: model, provider: 'test', model: 'llama' })
  },
})
const unattended = { enabled: false, approvals: 'never' }

async function runBatch(workflowId: string, inputs: string[]) {
  const items = inputs.map((input) => ({ key: input, input }))
  const { id } = await app.post(`/v1/workflows/${workflowId}/batches`, { items })
  let batch = await app.get(`/v1/batches/${id}`)
  await until('the batch has ended', 30_000, async () => {
    batch = await app.get(`/v1/batches/${id}`)
    return batch.finished_at !== null
  })
  return batch
}

it('a batch counts the items that completed with warnings, and lists them', async () => {
  const workflowId = await createWorkflow(unattended)
  // One of the items makes a call that a rule blocks.
  app.answer = (request, response) => {
    const isFirst = request.messages.at(-1)?.role !== 'tool'
    const acts = request.messages.some(({ content }) => content.includes('act now'))
    if (isFirst && acts) callTools(response, [write('x')])
    else complete(response, 'done')
  }
  await app.patch('/v1/policies', { rules: [{ action: 'sink.write', decision: 'block' }] })
  const batch = await runBatch(workflowId, ['fine', 'act now', 'fine too'])
  await app.patch('/v1/policies', { rules: [] })
  assert.deepEqual([batch.completed, batch.completed_with_warnings, batch.failed], [3, 1, 0])
  const path = `/v1/batches/${batch.id}/items`
  const items = await app.get(path)
  assert.deepEqual(pluck(items, 'run_has_warnings'), [false, true, false])
  assert.deepEqual(pluck(await app.get(`${path}?has_warnings=true`), 'key'), ['act now'])
  assert.equal((await app.get(`${path}?has_warnings=false`)).length, 3)
  const [first, second] = pluck(items, 'run_id')
  const { before, after } = await app.get(`/v1/runs/${first}/compare/${second}`)
  assert.deepEqual([before.has_warnings, after.has_warnings], [false, true])
  const [listed] = await app.get('/v1/batches')
  assert.equal(listed.completed_with_warnings, 1)
  const headers = { authorization: `Bearer ${app.key}`, accept: 'text/csv' }
  const csv = await (await fetch(`${app.url}/v1/batches/${batch.id}/results`, { headers })).text()
  assert.match(csv, /^key,file,[^\r]*,error,output,run_has_warnings,calls_without_price\r/)
  assert.match(csv, /\r\nact now,[^\r]*,done,true,0\r/)
})

it('a batch says how many calls its cost leaves out', async () => {
  app.answer = (_request, response) => complete(response, 'done')
  const crew = [{ role: 'r', systemPrompt: 's' }]
  const batch = await runBatch(await app.createWorkflow({ crew, model }), ['a', 'b'])
  assert.deepEqual([batch.cost_usd, batch.calls_without_price], [0, 2])
  const items = await app.get(`/v1/batches/${batch.id}/items`)
  assert.deepEqual(pluck(items, 'cost_usd', 'calls_without_price'), [
    [0, 1],
    [0, 1],
  ])
  const [one, other] = pluck(items, 'run_id')
  const { before, steps } = await app.get(`/v1/runs/${one}/compare/${other}`)
  assert.deepEqual([before.calls_without_price, steps[0].after.calls_without_price], [1, 1])
  const events =
    await app.sql`select data from events where run_id = ${one} and type = 'step.completed'`
  assert.deepEqual(pluck(events, 'data')[0].calls_without_price, 1)
})
