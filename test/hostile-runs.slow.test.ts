import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, it } from 'node:test'
import { untilFound } from '../rig/until.ts'
import { startMcpSink } from '../rig/mcp-sink.ts'
import { residentBytes } from '../rig/memory.ts'
import type { MusterProcess } from '../rig/muster-process.ts'
import { send } from '../rig/scripted-server.ts'
import { fixture, prepare } from './fixture.ts'
import { openScriptedStage } from './scripted-stage.ts'
import { callTools, complete, testSecretKey, type ChatRequest } from './test-app.ts'

/**
 * Malicious or broken models, tools and crews against a service in a process of its own: each run
 * ends with a reason, and the process stays small.
 */
const kilobyte = 1024
const megabyte = 1024 * kilobyte

let answer: (request: ChatRequest, response: ServerResponse) => void
const sink = fixture(startMcpSink)
const stage = fixture(() =>
  openScriptedStage({
    answer: (response, { body }) => answer(JSON.parse(body) as ChatRequest, response),
    modelsFile: (url) => ({
      providers: [{ id: 'test', label: 'Test', base_url: `${url}/v1`, timeout_seconds: 5 }],
      models: [{ id: 'test/hostile', provider: 'test', model: 'hostile' }],
    }),
    env: {
      MUSTER_DEFAULT_MODEL: 'test/hostile',
      MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8',
      MUSTER_SECRET_KEY: testSecretKey,
    },
  }),
)
let muster: MusterProcess
let startBytes: number
prepare(async () => {
  muster = await stage.start('all')
  startBytes = await residentBytes(muster.url)
})
beforeEach(() => {
  sink.onCall = undefined
})

async function run(fields: Record<string, unknown> = {}) {
  const crew = [{ role: 'worker', systemPrompt: 'work' }]
  const id = await stage.trigger(await stage.createWorkflow({ crew, ...fields }))
  return untilFound('the run has ended', 600_000, async () => {
    const now = await stage.rest(id)
    return now.finished_at === null ? undefined : now
  })
}

async function toolCrew() {
  await stage.put('/v1/connectors/sink', { kind: 'mcp', url: sink.url, safe_tools: ['read'] })
  const agentId = await stage.createAgent({ connectors: ['sink'], capabilities: ['sink.read'] })
  return [{ role: 'reader', systemPrompt: 's', agentId }]
}

async function assertSmall(): Promise<void> {
  const grown = (await residentBytes(muster.url)) - startBytes
  assert.ok(grown < 600 * megabyte, `the process grew by ${Math.round(grown / megabyte)} MB`)
}

const isFirst = ({ messages }: ChatRequest) => messages.at(-1)?.role === 'user'

describe('a model', () => {
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
