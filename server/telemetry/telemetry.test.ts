import assert from 'node:assert/strict'
import { it } from 'node:test'
import { trace } from '@opentelemetry/api'
import { callTools, complete, echo, startTestApp, testSecretKey } from '../../test/test-app.ts'
import { startScriptedServer, send } from '../../rig/scripted-server.ts'
import { startTelemetry } from './telemetry.ts'
import { upload } from '../files/test-files.ts'
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

it('sends spans of every tool, with content only where the operator asks for it, never secrets', async () => {
  for (const capturesContent of [false, true]) {
    await using collector = await startScriptedServer((response) => send(response, {}))
    const telemetry = await startTelemetry({ otlpEndpoint: collector.url, capturesContent })
    const calls = [
      { id: 'c1', name: 'remember', arguments: { content: 'a private note' } },
      { id: 'c2', name: 'files__write', arguments: { name: 'b.md', content: 'a private text' } },
      { id: 'c3', name: 'files__read', arguments: { file: 'a.md' } },
      { id: 'c4', name: 'forget', arguments: { id: 'mem_none' } },
    ]
    const makeCalls = [...calls]
    await using app = await startTestApp({
      env: { OPENAI_API_KEY: 'sk-of-the-operator' },
      answer: (_request, response) => {
        const next = makeCalls.shift()
        if (next === undefined) complete(response, 'a private answer')
        else callTools(response, [next])
      },
    })
    const agentId = await app.createAgent({
      systemPrompt: 'private instructions',
      capabilities: ['files.write'],
      memory_enabled: true,
    })
    const crew = [{ role: 'clerk', systemPrompt: 's', agentId }]
    const file = await upload(app, 'a private file', 'a.md')
    const workflow = await app.createWorkflow({ crew })
    const run = await app.run(workflow, { input: 'a private input', files: [file.body.data.id] })
    assert.equal(run.status, 'completed')
    await telemetry[Symbol.asyncDispose]()

    const sent = pluck(collector.requests, 'body').join('')
    const attributes = collector.requests.flatMap(({ body }) => spansOf(body))
    const tools = attributes.filter((one) => one['gen_ai.operation.name'] === 'execute_tool')
    assert.deepEqual(
      tools.map((one) => [one['gen_ai.tool.name'], one['gen_ai.tool.call.id'], one['error.type']]),
      [
        ['remember', 'c1', undefined],
        ['files.write', 'c2', undefined],
        ['files.read', 'c3', undefined],
        ['forget', 'c4', 'failed'],
      ],
    )
    for (const text of ['note', 'text', 'file', 'answer', 'instructions', 'input']) {
      assert.equal(sent.includes(`private ${text}`), capturesContent, text)
    }
    const given = tools.map((one) => one['gen_ai.tool.call.arguments'])
    const expected = calls.map((call) =>
      capturesContent ? JSON.stringify(call.arguments) : undefined,
    )
    assert.deepEqual(given, expected)
    assert.equal(
      typeof tools[2]?.['gen_ai.tool.call.result'],
      capturesContent ? 'string' : 'undefined',
    )
    for (const secret of [app.key, 'sk-of-the-operator', testSecretKey]) {
      assert.ok(!sent.includes(secret))
    }
  }
})

it('sends the settings that the docs name for receivers', async (t) => {
  const { OTEL_EXPORTER_OTLP_HEADERS: before } = process.env
  t.after(() => {
    if (before === undefined) delete process.env['OTEL_EXPORTER_OTLP_HEADERS']
    else process.env['OTEL_EXPORTER_OTLP_HEADERS'] = before
  })
  const base64 = Buffer.from('pk-lf-1:sk-lf-20').toString('base64')
  assert.ok(base64.endsWith('='))
  for (const [path, headers, name, value] of [
    ['/api/public/otel', `Authorization=Basic%20${base64}`, 'authorization', `Basic ${base64}`],
    ['/otlp', `Authorization=Basic%20${base64}`, 'authorization', `Basic ${base64}`],
    ['', 'x-honeycomb-team=hcaik_1', 'x-honeycomb-team', 'hcaik_1'],
  ] as const) {
    await using collector = await startScriptedServer((response) => send(response, {}))
    process.env['OTEL_EXPORTER_OTLP_HEADERS'] = headers
    const telemetry = await startTelemetry({ otlpEndpoint: `${collector.url}${path}` })
    trace.getTracer('test').startSpan('one').end()
    await telemetry[Symbol.asyncDispose]()
    const [request] = collector.requests
    assert.equal(request?.path, `${path}/v1/traces`)
    assert.equal(request?.headers[name], value)
    assert.equal(request?.headers['content-type'], 'application/json')
  }
})

/** The attributes of each span of an OTLP request. */
function spansOf(body: string): Record<string, unknown>[] {
  const { resourceSpans } = JSON.parse(body) as { resourceSpans: ResourceSpans[] }
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans))
  return spans.map(({ attributes }) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  )
}

interface ResourceSpans {
  scopeSpans: { spans: { attributes: { key: string; value: object }[] }[] }[]
}
