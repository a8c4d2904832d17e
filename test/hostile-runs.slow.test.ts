import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { residentBytes } from '../rig/memory.ts'
import { adminKey, startMuster, type MusterProcess } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import { send, startScriptedServer, type ScriptedServer } from '../rig/scripted-server.ts'
import { startMcpSink, type McpSink } from '../rig/mcp-sink.ts'
import { callApi, callTools, complete, type ChatRequest } from './test-app.ts'
import { writeModelsFile } from '../rig/models-file.ts'

/**
 * Models, tools and crews that mean harm, or have lost their way, against a service in a process of
 * its own: each run ends, says why, and the process stays small.
 */
const kilobyte = 1024
const megabyte = 1024 * kilobyte

let stack: AsyncDisposableStack
let muster: MusterProcess
let models: ScriptedServer
let sink: McpSink
let answer: (request: ChatRequest, response: ServerResponse) => void
let startBytes: number

before(async () => {
  stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await makeScratchFolder())
  const { url } = stack.use(await createTestDatabase())
  sink = stack.use(await startMcpSink())
  models = stack.use(
    await startScriptedServer((response, call) => {
      const request = JSON.parse(models.requests[call - 1]?.body ?? '{}') as ChatRequest
      // Kept by the rig for other tests; here they are large.
      models.requests[call - 1] = { path: '', headers: {}, body: '' }
      answer(request, response)
    }),
  )
  const modelsFile = await writeModelsFile(folder, {
    providers: [{ id: 'test', label: 'Test', base_url: `${models.url}/v1`, timeout_seconds: 5 }],
    models: [{ id: 'test/hostile', provider: 'test', model: 'hostile' }],
  })
  const env = {
    DATABASE_URL: url,
    MUSTER_MODELS_FILE: modelsFile,
    MUSTER_DEFAULT_MODEL: 'test/hostile',
    MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8',
    MUSTER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  muster = stack.use(await startMuster({ folder, env }))
  startBytes = await residentBytes(muster.url)
})
after(() => stack.disposeAsync())
beforeEach(() => {
  sink.onCall = undefined
})

const call = async (method: string, path: string, body?: unknown) => {
  const sent = await callApi(muster.url, adminKey, method, path, body === undefined ? {} : { body })
  assert.ok(sent.status < 300, `${path}: ${JSON.stringify(sent.body).slice(0, 500)}`)
  return sent.body.data
}

async function run(fields: Record<string, unknown> = {}) {
  const crew = [{ role: 'worker', systemPrompt: 'work' }]
  const workflow = await call('POST', '/v1/workflows', { name: 'hostile', crew, ...fields })
  const { id } = await call('POST', `/v1/workflows/${workflow.id}/runs`, { input: 'go' })
  for (;;) {
    const now = await call('GET', `/v1/runs/${id}?wait=30`)
    if (now.finished_at !== null) return now
  }
}

async function toolCrew() {
  await call('PUT', '/v1/connectors/sink', { kind: 'mcp', url: sink.url, safe_tools: ['read'] })
  const agent = await call('POST', '/v1/agents', {
    name: 'a',
    role: 'reader',
    systemPrompt: 's',
    connectors: ['sink'],
    capabilities: ['sink.read'],
  })
  return [{ role: 'reader', systemPrompt: 's', agentId: agent.id }]
}

async function assertSmall(): Promise<void> {
  const grown = (await residentBytes(muster.url)) - startBytes
  assert.ok(grown < 600 * megabyte, `the process grew by ${Math.round(grown / megabyte)} MB`)
}

const isFirst = ({ messages }: ChatRequest) => messages.at(-1)?.role === 'user'

describe('a model', () => {
  it('that answers 1 MB fails its step, which says the bound', async () => {
    answer = (_, response) => complete(response, 'x'.repeat(megabyte))
    const { status, error, error_code, tokens_in } = await run()
    assert.equal(status, 'failed')
    assert.equal(error_code, 'step_failed')
    assert.match(error, /the answer has \d+ bytes, at most 262144/)
    assert.equal(tokens_in, 10, 'asked once, and counted')
  })

  it('that answers 100 MB fails its step, twenty of them at once as well', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(megabyte, 'x')
      let sent = 0
      const pour = (): void => {
        while (sent++ < 100 && !response.destroyed) {
          if (!response.write(chunk)) return void response.once('drain', pour)
        }
        response.end()
      }
      pour()
    }
    const ended = await Promise.all(Array.from({ length: 20 }, () => run()))
    for (const { error } of ended) assert.match(error, /larger than 4 MB/)
    await assertSmall()
  })

  it('that drips an answer without end is stopped by max_run_seconds', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 50)
      response.once('close', () => clearInterval(timer))
    }
    const { error_code } = await run({ limits: { max_run_seconds: 1 } })
    assert.equal(error_code, 'budget_exceeded')
  })

  it('that answers what is no answer fails its step', async () => {
    for (const garbage of [
      'no json',
      '{"choices":',
      '[]',
      'null',
      '{"choices":[{"message":{"content":{"a":1}}}]}',
      '['.repeat(100_000),
      '\ud800\0',
    ]) {
      answer = (_, response) => send(response, garbage)
      const { status, error_code, error } = await run()
      assert.equal(status, 'failed', garbage.slice(0, 50))
      assert.equal(error_code, 'step_failed', error)
    }
  })

  it('that writes NULs, lone surrogates and commands has them stored as text', async () => {
    answer = (_, response) => complete(response, "a\0b\ud800 '; drop table runs; --")
    const { output } = await run()
    assert.equal(output, "a\uFFFDb\uFFFD '; drop table runs; --")
  })

  it('that asks for 1,000 tools in a turn gets 32, and goes on', async () => {
    const crew = await toolCrew()
    sink.calls.length = 0
    answer = (request, response) =>
      isFirst(request)
        ? callTools(
            response,
            Array.from({ length: 1_000 }, () => ({ name: 'sink__read', arguments: {} })).map(
              (one, n) => ({ ...one, id: `c${n}` }),
            ),
          )
        : complete(response, 'done')
    const { status, steps, error } = await run({ crew })
    assert.equal(status, 'completed', error)
    assert.equal(sink.calls.length, 32)
    assert.equal(steps[0].tool_calls.length, 1_000)
  })

  it('that writes arguments nested 20,000 levels deep is told so, and goes on', async () => {
    const crew = await toolCrew()
    const deep = '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000)
    answer = (request, response) =>
      isFirst(request)
        ? callTools(response, [{ name: 'sink__read', arguments: deep }])
        : complete(response, 'done')
    const { status, error, steps } = await run({ crew })
    assert.equal(status, 'completed', error)
    assert.equal(steps[0].tool_calls[0].status, 'failed')
  })

  it('that asks for tools without end is stopped by max_turns_per_step', async () => {
    const crew = await toolCrew()
    sink.calls.length = 0
    answer = (_, response) => callTools(response, [{ name: 'sink__read', arguments: {} }])
    const { error_code, error } = await run({ crew, limits: { max_turns_per_step: 5 } })
    assert.equal(error_code, 'budget_exceeded')
    assert.match(error, /max_turns_per_step of 5/)
    assert.equal(sink.calls.length, 4)
  })
})

describe('a tool', () => {
  it('that answers 50 MB reaches the model as a failure or cut to 64 KB', async () => {
    const crew = await toolCrew()
    sink.text = 'x'.repeat(50 * megabyte)
    let seen = ''
    answer = (request, response) => {
      if (isFirst(request)) {
        const four = Array.from({ length: 4 }, (_, n) => ({ id: `c${n}`, name: 'sink__read' }))
        return callTools(
          response,
          four.map((one) => ({ ...one, arguments: {} })),
        )
      }
      seen = request.messages.at(-1)?.content ?? ''
      complete(response, 'done')
    }
    const { status, error, steps } = await run({ crew })
    sink.text = 'nothing'
    assert.equal(status, 'completed', error)
    assert.ok(Buffer.byteLength(seen) < 65 * kilobyte)
    assert.ok(Buffer.byteLength(steps[0].tool_calls[0].output) < 65 * kilobyte)
    await assertSmall()
  })
})

describe('a crew', () => {
  it('of ten that write as much as they may has prompts of at most 2.5 MB', async () => {
    const text = 'x'.repeat(250 * kilobyte)
    let longest = 0
    answer = (request, response) => {
      longest = Math.max(longest, JSON.stringify(request).length)
      complete(response, text)
    }
    const crew = Array.from({ length: 10 }, (_, n) => ({ role: `r${n}`, systemPrompt: 's' }))
    const ended = await Promise.all(Array.from({ length: 5 }, () => run({ crew })))
    for (const { status, error } of ended) assert.equal(status, 'completed', error)
    assert.ok(longest > 2 * megabyte && longest < 2.5 * megabyte, String(longest))
    await assertSmall()
  })
})
