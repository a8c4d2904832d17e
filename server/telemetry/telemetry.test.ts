import assert from 'node:assert/strict'
import { it } from 'node:test'
import { echo, startTestApp } from '../../test/test-app.ts'
import { startScriptedServer, send } from '../../rig/scripted-server.ts'
import { startTelemetry } from './telemetry.ts'
import { pluck } from '../../test/pluck.ts'

it('sends spans of requests, runs and model calls to the exporter, without prompts', async () => {
  await using collector = await startScriptedServer((response) => send(response, {}))
  const telemetry = await startTelemetry({ otlpEndpoint: collector.url })
  await using app = await startTestApp({
    answer: echo,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  })
  const crew = [{ role: 'r', systemPrompt: 'private instructions' }]
  const workflow = await app.post('/v1/workflows', { name: 'w', crew })
  const run = await app.post(`/v1/workflows/${workflow.id}/runs`, {
    input: 'private input',
    tags: { env: 'prod' },
  })
  const given = (digit: string) => ({
    traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01`,
  })
  await app.call('GET', `/v1/runs/${run.id}?wait=20`, { headers: given('a') })
  for (const [path, key] of [
    ['/v1/account', null],
    ['/v1/account', 'mst_of_nobody'],
    ['/healthz', null],
    ['/metrics', null],
  ] as const) {
    await app.call('GET', path, { key, headers: given('b') })
  }
  await telemetry[Symbol.asyncDispose]()

  assert.ok(collector.requests.every(({ path }) => path === '/v1/traces'))
  const sent = pluck(collector.requests, 'body').join('')
  for (const name of [
    'POST /v1/workflows/:id/runs',
    '"run"',
    'chat test/echo',
    'invoke_agent r',
    '"key":"gen_ai.operation.name","value":{"stringValue":"invoke_agent"}',
    '"key":"gen_ai.agent.name","value":{"stringValue":"r"}',
    `"key":"gen_ai.conversation.id","value":{"stringValue":"${run.id}"}`,
    '"key":"gen_ai.provider.name","value":{"stringValue":"test"}',
    '"key":"gen_ai.request.model","value":{"stringValue":"test/echo"}',
    'gen_ai.response.model',
    'gen_ai.response.id',
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.reasoning.output_tokens',
    '"key":"url.scheme","value":{"stringValue":"http"}',
    '"key":"muster.tag.env","value":{"stringValue":"prod"}',
  ]) {
    assert.ok(sent.includes(name), name)
  }
  assert.doesNotMatch(sent, /private/)
  assert.ok(sent.includes('a'.repeat(32)), 'who is known has their own trace gone on with')
  assert.ok(!sent.includes('b'.repeat(32)), 'a stranger has not')
  assert.ok(sent.includes('GET /healthz'))
})
