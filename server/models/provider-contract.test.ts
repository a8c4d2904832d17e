import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LLMock } from '@copilotkit/aimock'
import { toAssistantMessage } from './history.ts'
import { ModelError, noUsage, type ModelTurnRequest } from './contract.ts'
import { builtInProviders } from './providers/built-ins.ts'
import {
  createCaseModels,
  providerCases,
  testKey,
  type ProviderCase,
} from './test-provider-cases.ts'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'

const secretPrompt = 'the-prompt-is-nobodys-business'

function turn(more: Partial<ModelTurnRequest> = {}): ModelTurnRequest {
  return {
    instructions: 'Answer in one word.',
    messages: [{ role: 'user', content: [{ type: 'text', text: `hello ${secretPrompt}` }] }],
    signal: new AbortController().signal,
    ...more,
  }
}

async function failureOf(promise: Promise<unknown>): Promise<ModelError> {
  try {
    await promise
  } catch (error) {
    assert.ok(error instanceof ModelError, `not a ModelError: ${String(error)}`)
    assert.ok(!error.message.includes(testKey), 'the key is in the message')
    assert.ok(!error.message.includes(secretPrompt), 'the prompt is in the message')
    assert.ok(error.message.length < 700, 'the message is bounded')
    return error
  }
  return assert.fail('the call did not fail')
}

for (const provider of providerCases) {
  void describe(`provider ${provider.id}`, () => {
    checkAnswers(provider)
    checkStatuses(provider)
    checkBadAnswers(provider)
    checkConnections(provider)
  })
}

function checkAnswers(provider: ProviderCase): void {
  const { modelId, prices, keyHeader } = provider

  void test('brings text, exact counts and cost from an emulated provider', async () => {
    const mock = new LLMock({ port: 0 })
    mock.onMessage(/hello/, {
      content: 'Bonjour',
      usage: { prompt_tokens: 1_234, completion_tokens: 56, total_tokens: 1_290 },
    })
    await mock.start()
    try {
      await using models = await createCaseModels(provider, mock.url)
      const { text, finishReason, tokensIn, tokensOut, costUsd } = await models.runTurn(
        modelId,
        turn(),
      )
      assert.deepEqual(
        { text, finishReason, tokensIn, tokensOut, costUsd },
        {
          text: 'Bonjour',
          finishReason: 'stop',
          tokensIn: 1_234,
          tokensOut: 56,
          costUsd: Number(((1_234 * prices.in + 56 * prices.out) / 1e6).toFixed(10)),
        },
      )
    } finally {
      await mock.stop()
    }
  })

  void test('sends the key in its header to the configured address, whatever the environment says', async () => {
    const names = builtInProviders.map(({ envPrefix }) => envPrefix)
    const wrong = names.flatMap((name) => [
      { name: `${name}_API_KEY`, value: 'wrong', before: process.env[`${name}_API_KEY`] },
      {
        name: `${name}_BASE_URL`,
        value: 'http://127.0.0.1:1/v1',
        before: process.env[`${name}_BASE_URL`],
      },
    ])
    for (const { name, value } of wrong) process.env[name] = value
    try {
      await using server = await startScriptedServer((response) =>
        send(response, provider.text('Hi')),
      )
      await using models = await createCaseModels(provider, server.url)
      await models.runTurn(modelId, turn())
      const [request] = server.requests
      assert.equal(request?.path, provider.path)
      assert.equal(request.headers[keyHeader[0]], keyHeader[1])
      assert.match(request.body, /Answer in one word/)
    } finally {
      for (const { name, before } of wrong) {
        if (before === undefined) delete process.env[name]
        else process.env[name] = before
      }
    }
  })

  void test('carries a tool call out and its result back in, storing nothing at the provider', async () => {
    await using server = await startScriptedServer((response, call) =>
      send(
        response,
        call === 1 ? provider.toolCall('look_up', { city: 'Bern' }) : provider.text('7'),
      ),
    )
    await using models = await createCaseModels(provider, server.url)
    const request = turn({
      tools: [
        {
          type: 'function',
          name: 'look_up',
          description: 'Temperature of a city',
          inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
        },
      ],
    })
    const first = await models.runTurn(modelId, request)
    assert.equal(first.finishReason, 'tool-calls')
    assert.equal(first.text, '')
    assert.deepEqual([first.tokensIn, first.tokensOut], [20, 9])
    const call = first.content.find((part) => part.type === 'tool-call')
    assert.equal(call?.toolName, 'look_up')
    assert.deepEqual(JSON.parse(call.input), { city: 'Bern' })
    const second = await models.runTurn(modelId, {
      ...request,
      messages: [
        ...request.messages,
        toAssistantMessage(first.content),
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: call.toolCallId,
              toolName: call.toolName,
              output: { type: 'text', value: 'seven degrees' },
            },
          ],
        },
      ],
    })
    assert.equal(second.text, '7')
    const body = server.requests[1]?.body ?? ''
    assert.match(body, /seven degrees/)
    assert.match(body, /Bern/)
    assert.doesNotMatch(body, /item_reference/)
  })

  void test('counts 0 and a call without usage when the provider reports none', async () => {
    await using server = await startScriptedServer((response) =>
      send(response, provider.text('Hi')),
    )
    await using models = await createCaseModels(provider, server.url)
    const { text, tokensIn, tokensOut, costUsd, callsWithoutUsage } = await models.runTurn(
      modelId,
      turn(),
    )
    assert.deepEqual([text, tokensIn, tokensOut, costUsd], ['Hi', 0, 0, 0])
    assert.equal(callsWithoutUsage, 1)
  })
}

function checkStatuses(provider: ProviderCase): void {
  const fail = async (
    status: number,
    message: string,
    headers: Record<string, string> = {},
  ): Promise<ModelError> => {
    await using server = await startScriptedServer((response) =>
      send(response, provider.failure(message), status, headers),
    )
    await using models = await createCaseModels(provider, server.url)
    const error = await failureOf(models.runTurn(provider.modelId, turn()))
    assert.equal(server.requests.length, 1, 'one turn is one call')
    return error
  }

  void test('429 is rate_limited and carries Retry-After in seconds', async () => {
    const error = await fail(429, 'Slow down', { 'retry-after': '7' })
    assert.deepEqual([error.kind, error.retryAfterMs], ['rate_limited', 7_000])
    assert.match(
      error.message,
      new RegExp(`Cannot run ${provider.modelId} at .+: status 429, Slow down`),
    )
  })

  void test('429 carries Retry-After as a date', async () => {
    const at = new Date(Date.now() + 50_000).toUTCString()
    const error = await fail(429, 'Slow down', { 'retry-after': at })
    assert.equal(error.kind, 'rate_limited')
    const waitMs = error.retryAfterMs ?? 0
    assert.ok(waitMs > 20_000 && waitMs <= 50_000, `${waitMs} ms`)
  })

  for (const status of [500, 503, 529]) {
    void test(`${status} is unavailable`, async () => {
      const error = await fail(status, 'Overloaded')
      // A call that failed behind a gateway may have been billed; a provider that is overloaded did
      // not take it.
      const usage = { ...noUsage, callsWithoutUsage: status === 500 ? 1 : 0 }
      assert.deepEqual([error.kind, error.usage], ['unavailable', usage])
    })
  }

  void test('400 is rejected, in the words of the provider', async () => {
    const error = await fail(400, `No such model ${'x'.repeat(2_000)}`)
    assert.equal(error.kind, 'rejected')
    assert.match(error.message, /status 400, No such model x+…$/)
  })

  void test('a gateway that answers no JSON is named by its status', async () => {
    await using server = await startScriptedServer((response) =>
      send(response, '<h1>Bad gateway</h1>', 502, { 'content-type': 'text/html' }),
    )
    await using models = await createCaseModels(provider, server.url)
    const error = await failureOf(models.runTurn(provider.modelId, turn()))
    assert.equal(error.kind, 'unavailable')
    assert.match(error.message, /status 502, Bad Gateway$/)
  })

  void test('an error in the shape of another gateway keeps its reason', async () => {
    await using server = await startScriptedServer((response) =>
      send(response, { detail: 'Not authorized for this model' }, 403),
    )
    await using models = await createCaseModels(provider, server.url)
    const error = await failureOf(models.runTurn(provider.modelId, turn()))
    assert.equal(error.kind, 'rejected')
    assert.match(error.message, /status 403, Not authorized for this model$/)
  })

  void test('401 is rejected, and a key that the provider repeats is hidden', async () => {
    const error = await fail(401, `Incorrect API key provided: ${testKey} (or sk-proj-ab***yz).`)
    assert.equal(error.kind, 'rejected')
    assert.match(error.message, /Incorrect API key provided: \*\*\* \(or \*\*\*\)/)
  })
}

function checkBadAnswers(provider: ProviderCase): void {
  const fail = async (body: unknown): Promise<ModelError> => {
    await using server = await startScriptedServer((response) => send(response, body))
    await using models = await createCaseModels(provider, server.url)
    return await failureOf(models.runTurn(provider.modelId, turn()))
  }

  void test('malformed JSON is a bad_answer', async () => {
    assert.equal((await fail(`{"${secretPrompt}": `)).kind, 'bad_answer')
  })

  void test('JSON of another shape is a bad_answer', async () => {
    assert.equal((await fail({ hello: secretPrompt })).kind, 'bad_answer')
  })

  void test('an empty answer is a bad_answer that keeps what it cost', async () => {
    const { kind, usage } = await fail(provider.text('', { in: 1_000, out: 10 }))
    const cost = (1_000 * provider.prices.in + 10 * provider.prices.out) / 1e6
    assert.deepEqual(
      { kind, usage },
      {
        kind: 'bad_answer',
        usage: { ...noUsage, tokensIn: 1_000, tokensOut: 10, costUsd: Number(cost.toFixed(10)) },
      },
    )
  })

  void test('an answer of more than 4 MB on the wire is a bad_answer', async () => {
    assert.equal((await fail(provider.text('x'.repeat(5 * 1024 * 1024)))).kind, 'bad_answer')
  })

  void test('an answer of more than 256 KB is a rejection that counts its tokens', async () => {
    const error = await fail(provider.text('x'.repeat(257 * 1024), { in: 1_000, out: 10 }))
    assert.equal(error.kind, 'rejected')
    assert.match(error.message, /the answer has \d+ bytes, at most 262144/)
    assert.deepEqual([error.usage.tokensIn, error.usage.tokensOut], [1_000, 10])
  })

  void test("the provider's content filter is a rejection", async () => {
    const error = await fail(provider.filtered())
    assert.equal(error.kind, 'rejected')
    assert.match(error.message, /content filter/)
  })
}

function checkConnections(provider: ProviderCase): void {
  const { modelId } = provider

  void test('a provider that stays silent is a timeout', async () => {
    await using server = await startScriptedServer(() => undefined)
    await using models = await createCaseModels(provider, server.url, { timeoutSeconds: 0.2 })
    const error = await failureOf(models.runTurn(modelId, turn()))
    assert.equal(error.kind, 'timeout')
    assert.match(error.message, /no answer within 0\.2 s/)
  })

  void test('an answer that stops half way is a timeout', async () => {
    await using server = await startScriptedServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"id":')
    })
    await using models = await createCaseModels(provider, server.url, { timeoutSeconds: 0.2 })
    assert.equal((await failureOf(models.runTurn(modelId, turn()))).kind, 'timeout')
  })

  void test('a connection that is cut is unavailable, before the answer and within it', async () => {
    for (const begin of [false, true]) {
      await using server = await startScriptedServer((response) => {
        if (begin) response.writeHead(200, { 'content-length': '500' }).flushHeaders()
        response.destroy()
      })
      await using models = await createCaseModels(provider, server.url)
      assert.equal((await failureOf(models.runTurn(modelId, turn()))).kind, 'unavailable')
    }
  })

  void test('an address where nobody listens is unavailable', async () => {
    const server = await startScriptedServer(() => undefined)
    await server[Symbol.asyncDispose]()
    await using models = await createCaseModels(provider, server.url)
    const error = await failureOf(models.runTurn(modelId, turn()))
    assert.equal(error.kind, 'unavailable')
    assert.match(error.message, /ECONNREFUSED/)
  })

  void test('an abort ends the call at once and closes its connection', async () => {
    await using server = await startScriptedServer(() => undefined)
    await using models = await createCaseModels(provider, server.url)
    const controller = new AbortController()
    const call = failureOf(models.runTurn(modelId, turn({ signal: controller.signal })))
    await server.until(() => server.requests.length === 1)
    controller.abort(new Error('the run was cancelled'))
    assert.equal((await call).kind, 'aborted')
    await server.until(() => server.cut === 1)
  })

  void test('a call that is aborted before it begins sends nothing', async () => {
    await using server = await startScriptedServer((response) =>
      send(response, provider.text('Hi')),
    )
    await using models = await createCaseModels(provider, server.url)
    const error = await failureOf(models.runTurn(modelId, turn({ signal: AbortSignal.abort() })))
    assert.equal(error.kind, 'aborted')
    assert.equal(server.requests.length, 0)
  })

  void test('never has more calls under way than its cap; the others wait and can be aborted', async () => {
    const held: (() => void)[] = []
    await using server = await startScriptedServer((response) => {
      held.push(() => send(response, provider.text('Hi')))
    })
    await using models = await createCaseModels(provider, server.url, { maxConcurrency: 2 })
    const controller = new AbortController()
    const calls = Array.from({ length: 5 }, () => models.runTurn(modelId, turn()))
    const waiting = failureOf(models.runTurn(modelId, turn({ signal: controller.signal })))
    await server.until(() => server.requests.length === 2)
    controller.abort()
    assert.equal((await waiting).kind, 'aborted', 'aborted while it waits in line')
    for (let answered = 0; answered < 5; answered += 1) {
      await server.until(() => held.length > 0)
      held.shift()?.()
    }
    assert.deepEqual(new Set((await Promise.all(calls)).map(({ text }) => text)), new Set(['Hi']))
    assert.equal(server.peak, 2)
    assert.equal(server.requests.length, 5)
  })
}
