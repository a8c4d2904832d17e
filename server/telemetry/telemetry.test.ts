import assert from 'node:assert/strict'
import { it } from 'node:test'
import { echo, startTestApp } from '../../test/test-app.ts'
import { startScriptedServer, send } from '../../rig/scripted-server.ts'
import { startTelemetry } from './telemetry.ts'

it('sends spans of requests, runs and model calls to the exporter, without prompts', async () => {
  await using collector = await startScriptedServer((response) => send(response, {}))
  const telemetry = await startTelemetry({ otlpEndpoint: collector.url })
  await using app = await startTestApp({
    answer: echo,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  })
  const crew = [{ role: 'r', systemPrompt: 'private instructions' }]
  const workflow = (await app.call('POST', '/v1/workflows', { body: { name: 'w', crew } })).body
    .data
  const run = await app.call('POST', `/v1/workflows/${workflow.id}/runs`, {
    body: { input: 'private input', tags: { env: 'prod' } },
  })
  await app.call('GET', `/v1/runs/${run.body.data.id}?wait=20`)
  await telemetry[Symbol.asyncDispose]()

  assert.ok(collector.requests.every(({ path }) => path === '/v1/traces'))
  const sent = collector.requests.map(({ body }) => body).join('')
  for (const name of [
    'POST /v1/workflows/:id/runs',
    '"run"',
    'chat test/echo',
    'gen_ai.usage',
    '"key":"muster.tag.env","value":{"stringValue":"prod"}',
  ]) {
    assert.ok(sent.includes(name), name)
  }
  assert.doesNotMatch(sent, /private/)
})
