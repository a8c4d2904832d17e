import assert from 'node:assert/strict'
import { it } from 'node:test'
import { clerk, startMcpSink } from '../rig/mcp-sink.ts'
import { tryLedger } from './ledger-fire.ts'
import { callApi } from './api-client.ts'
import { callTools, complete, startTestApp, type ChatRequest } from './test-app.ts'

/** In full: `ledger-under-fire.slow.test.ts`. */
it('the ledger does each approved action once while workers are killed', (t) =>
  tryLedger(t, { runs: 20, workers: 2, kills: 2, killEveryMs: 300 }))

it('a run that waits goes on with the same transcript after the service was started again', async () => {
  await using sink = await startMcpSink()
  await using app = await startTestApp({
    role: 'api',
    answer: ({ messages }, response) =>
      messages.at(-1)?.role === 'tool'
        ? complete(response, 'done')
        : callTools(response, [{ name: 'sink__write', arguments: { text: 'x' } }]),
  })
  await app.call('PUT', '/v1/connectors/sink', { body: { kind: 'mcp', url: sink.url } })
  const { id: agentId } = await app.post('/v1/agents', clerk)
  const crew = [{ role: 'clerk', systemPrompt: 'act', agentId }]
  const workflow = { name: 'w', crew, human_in_the_loop: { enabled: true } }
  const { id: workflowId } = await app.post('/v1/workflows', workflow)
  const { id } = await app.post(`/v1/workflows/${workflowId}/runs`, { input: 'go' })
  {
    await using _first = await app.startAnother('worker')
    assert.equal((await app.rest(id)).status, 'waiting_input')
  }
  await using second = await app.startAnother('all')
  const body = { action: 'approve' }
  await callApi(second.url ?? '', app.key, 'POST', `/v1/runs/${id}/respond`, { body })
  assert.equal((await app.rest(id)).status, 'completed')
  assert.equal(sink.calls.length, 1)
  const [before, after] = app.models.requests.map((one) => JSON.parse(one.body) as ChatRequest)
  assert.equal(app.models.requests.length, 2)
  assert.deepEqual(after?.messages.slice(0, before?.messages.length), before?.messages)
  assert.deepEqual(after?.tools, before?.tools)
  const [asked, result] = after?.messages.slice(before?.messages.length) ?? []
  assert.equal(asked?.tool_calls?.[0]?.id, result?.tool_call_id)
  assert.equal(result?.content, 'written: x')
})
