import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import {
  ModelError,
  type ModelErrorKind,
  type ModelMessage,
  type ModelTurn,
  type ModelTurnRequest,
} from './contract.ts'
import { createCaseModels, providerCases, type ProviderCase } from './test-provider-cases.ts'
import { chatWire, type Said } from './test-provider-wire.ts'

/**
 * Answers of providers, and of gateways before them, that no documentation shows; each is tried
 * with every provider.
 */

const request = (more: Partial<ModelTurnRequest> = {}): ModelTurnRequest => ({
  instructions: 'Answer.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
  signal: new AbortController().signal,
  ...more,
})

interface Asked {
  /** Bodies of the requests so far. */
  bodies: string[]
  notices: string[]
  run: (more?: Partial<ModelTurnRequest>) => Promise<ModelTurn | ModelError>
}

/** Calls a deployment of one provider whose answers the test writes. */
async function ask<T>(
  provider: ProviderCase,
  answer: (response: ServerResponse, isStream: boolean, call: number) => void,
  play: (asked: Asked) => Promise<T>,
): Promise<T> {
  const bodies: string[] = []
  await using server = await startScriptedServer((response, call) => {
    const { body = '', path = '' } = server.requests[call - 1] ?? {}
    bodies.push(body)
    const isStream = body.includes('"stream":true') || path.includes(':streamGenerateContent')
    answer(response, isStream, call)
  })
  const notices: string[] = []
  const onNotice = (notice: string): void => void notices.push(notice)
  await using models = await createCaseModels(provider, server.url, { onNotice })
  const run: Asked['run'] = async (more) => {
    try {
      return await models.runTurn(provider.modelId, request(more))
    } catch (error) {
      if (error instanceof ModelError) return error
      throw error
    }
  }
  return await play({ bodies, notices, run })
}

const sse = { 'content-type': 'text/event-stream' }

/** The outcome of one answer, sent whole or as a stream. */
async function outcomeOf(
  provider: ProviderCase,
  said: Said | string,
  way: 'whole' | 'streamed',
  isCut = false,
): Promise<{ outcome: ModelTurn | ModelError; heard: string }> {
  const body =
    typeof said === 'string'
      ? said
      : way === 'whole'
        ? provider.wire.whole(said)
        : provider.wire.stream(said, isCut)
  let heard = ''
  const onText = (text: string): void => void (heard += text)
  const outcome = await ask(
    provider,
    (response) => send(response, body, 200, way === 'streamed' ? sse : {}),
    ({ run }) => run(way === 'streamed' ? { onText } : {}),
  )
  return { outcome, heard }
}

function assertTurn(outcome: ModelTurn | ModelError): ModelTurn {
  if (outcome instanceof ModelError) assert.fail(outcome.message)
  return outcome
}

function assertError(outcome: ModelTurn | ModelError, kind: ModelErrorKind): ModelError {
  assert.ok(outcome instanceof ModelError, `answered ${JSON.stringify(outcome)}`)
  assert.equal(outcome.kind, kind, outcome.message)
  return outcome
}

const call = { name: 'look_up', arguments: '{"city":"Bern"}' }
const ways = ['whole', 'streamed'] as const

for (const provider of providerCases) {
  const { id, wire } = provider
  const usage = wire.usage(20, 9)
  const isChat = wire === chatWire

  void describe(`${id} answers`, () => {
    for (const way of ways) {
      it(`with text, ${way}`, async () => {
        const { outcome, heard } = await outcomeOf(
          provider,
          { text: 'Hi', finish: 'stop', usage },
          way,
        )
        const { text, finishReason, tokensIn } = assertTurn(outcome)
        assert.deepEqual([text, finishReason, tokensIn], ['Hi', 'stop', 20])
        assert.equal(heard, way === 'streamed' ? 'Hi' : '')
      })

      it(`with a call, ${way}`, async () => {
        const { outcome } = await outcomeOf(provider, { call, finish: 'calls', usage }, way)
        const { content, finishReason } = assertTurn(outcome)
        const part = content.find(({ type }) => type === 'tool-call')
        assert.deepEqual(part?.type === 'tool-call' && JSON.parse(part.input), { city: 'Bern' })
        assert.equal(finishReason, 'tool-calls')
      })

      it(`with a call that its limit of tokens cut, ${way}: it says so`, async () => {
        const cut = { name: 'look_up', arguments: '{"city":"Be' }
        const { outcome } = await outcomeOf(provider, { call: cut, finish: 'length', usage }, way)
        assert.equal(assertTurn(outcome).finishReason, 'length')
      })

      it(`with what cannot be stored, ${way}: it is stored and sent on as the same`, async () => {
        for (const [said, clean] of [
          ['a\u0000b', 'a\uFFFDb'],
          ['a\uD83Db', 'a\uFFFDb'],
          ['\\u0000 in words', '\\u0000 in words'],
        ] as const) {
          const { outcome } = await outcomeOf(provider, { text: said, finish: 'stop', usage }, way)
          const { text, content } = assertTurn(outcome)
          assert.equal(text, clean)
          assert.ok(JSON.stringify(content).includes(JSON.stringify(clean)))
        }
      })

      it(`with a content filter, ${way}: it is rejected`, async () => {
        const { outcome } = await outcomeOf(provider, { text: 'Hi', finish: 'filter', usage }, way)
        assert.match(assertError(outcome, 'rejected').message, /content filter/)
      })

      it(`with thinking before the answer, ${way}: it is no part of the answer`, async () => {
        for (const said of [
          '<think>Hm,\n</think>\n\n42',
          '\n<think></think>42',
          '<think>a</think> 42',
        ]) {
          const { outcome, heard } = await outcomeOf(
            provider,
            { text: said, finish: 'stop', usage },
            way,
          )
          assert.equal(assertTurn(outcome).text, '42')
          assert.equal(heard, way === 'streamed' ? '42' : '')
        }
        const plain = { text: 'I <think> so', finish: 'stop' as const, usage }
        const { outcome } = await outcomeOf(provider, plain, way)
        assert.equal(assertTurn(outcome).text, 'I <think> so')
        const only = { text: '<think>for ever', finish: 'length' as const, usage }
        assertError((await outcomeOf(provider, only, way)).outcome, 'bad_answer')
      })

      it(`with an error as its end, ${way}: it is a failed try`, async () => {
        // OpenAI's Responses API has no such finish reason; it reports an error by name.
        const kind = id === 'openai' ? 'unavailable' : 'bad_answer'
        const { outcome } = await outcomeOf(provider, { text: 'Hi', finish: 'error', usage }, way)
        assertError(outcome, kind)
      })

      if (isChat || id === 'anthropic') {
        it(`with calls announced and none made, ${way}: it is a failed try`, async () => {
          const { outcome } = await outcomeOf(
            provider,
            { text: 'I look', finish: 'calls', usage },
            way,
          )
          assert.match(assertError(outcome, 'bad_answer').message, /announces tool calls/)
        })
      }
    }

    it('with a stream that ends without its end: it is no answer, and its call is none', async () => {
      for (const said of [
        { text: 'Half a', finish: 'stop' },
        { text: 'I look', call, finish: 'calls' },
        { call, finish: 'calls' },
      ] satisfies Said[]) {
        const { outcome } = await outcomeOf(provider, said, 'streamed', true)
        const { message, usage: used } = assertError(outcome, 'bad_answer')
        assert.match(message, /the stream broke off before its end|the answer cannot be read/)
        assert.equal(used.callsWithoutUsage, 1)
      }
    })

    it('without a count of tokens: the text is kept', async () => {
      const whole = wire.whole({ text: 'Hi', finish: 'stop', usage: { place: 'here' } })
      for (const odd of ['null', '{}', undefined]) {
        const body =
          odd === undefined
            ? wire.whole({ text: 'Hi', finish: 'stop' })
            : whole.replace('{"place":"here"}', odd)
        const { outcome } = await outcomeOf(provider, body, 'whole')
        const { text, callsWithoutUsage } = assertTurn(outcome)
        assert.deepEqual([text, callsWithoutUsage], ['Hi', 1], String(odd))
      }
    })

    it('with odd arguments: they are none, or the object', async () => {
      const written = wire.whole({
        call: { name: 'look_up', arguments: '"here"' },
        finish: 'calls',
        usage,
      })
      const place = isChat || id === 'openai' ? '"arguments":"\\"here\\""' : '"here"'
      assert.ok(written.includes(place))
      const key = isChat || id === 'openai' ? '"arguments":' : ''
      for (const [odd, expected] of [
        ['null', {}],
        ['"null"', {}],
        ['""', {}],
        ['{}', {}],
        ['{"city":"Bern","in":{"a":"}"}}', { city: 'Bern', in: { a: '}' } }],
        [JSON.stringify('{"city":"Bern"}'), { city: 'Bern' }],
        [JSON.stringify(JSON.stringify('{"city":"Bern"}')), { city: 'Bern' }],
      ] as const) {
        // Text inside of text occurs only in formats that send arguments as text.
        if (odd.startsWith('"\\"') && key === '') continue
        const { outcome } = await outcomeOf(
          provider,
          written.replace(place, () => key + odd),
          'whole',
        )
        const part = assertTurn(outcome).content.find(({ type }) => type === 'tool-call')
        assert.deepEqual(part?.type === 'tool-call' && JSON.parse(part.input), expected, odd)
      }
      if (key === '') return
      const absent = written.replace(`,${place}`, '').replace(`${place},`, '')
      assert.ok(!absent.includes('arguments'))
      const part = assertTurn((await outcomeOf(provider, absent, 'whole')).outcome).content[0]
      assert.deepEqual(part?.type === 'tool-call' && JSON.parse(part.input), {})
    })

    it('only without a stream: it is asked again for the whole, and from then on at once', async () => {
      for (const [status, message] of [
        [400, 'Your organization must be verified to stream this model.'],
        [404, 'Not found'],
        [405, 'Method not allowed'],
        [422, 'Unknown parameter: stream_options'],
        [501, 'Streaming is not implemented'],
      ] as const) {
        await ask(
          provider,
          (response, isStream) =>
            isStream
              ? send(response, provider.failure(message), status)
              : send(response, wire.whole({ text: 'Hi', finish: 'stop', usage })),
          async ({ run, bodies, notices }) => {
            const onText = (): void => {}
            assert.equal(assertTurn(await run({ onText })).text, 'Hi')
            assert.equal(bodies.length, 2, `${status}`)
            assert.equal(assertTurn(await run({ onText })).text, 'Hi')
            assert.equal(bodies.length, 3, 'the stream is not tried again')
            assert.equal(notices.length, 1)
            assert.match(notices[0] ?? '', /is asked for whole answers from now on: status/)
          },
        )
      }
    })

    it('neither as a stream nor whole: it is refused in its words, and not taken for a refused stream', async () => {
      await ask(
        provider,
        (response) => send(response, provider.failure('No such model'), 400),
        async ({ run, bodies, notices }) => {
          const onText = (): void => {}
          assert.match(assertError(await run({ onText }), 'rejected').message, /No such model/)
          assert.equal(bodies.length, 2)
          assert.deepEqual(notices, [])
        },
      )
    })

    it('streams without a count of tokens: it is asked for whole answers from then on', async () => {
      await ask(
        provider,
        (response, isStream) =>
          isStream
            ? send(response, wire.stream({ text: 'Hi', finish: 'stop' }), 200, sse)
            : send(response, wire.whole({ text: 'Hi', finish: 'stop', usage })),
        async ({ run, notices }) => {
          const onText = (): void => {}
          assert.equal(assertTurn(await run({ onText })).callsWithoutUsage, 1)
          assert.equal(assertTurn(await run({ onText })).tokensIn, 20)
          assert.equal(notices.length, 1)
          assert.match(notices[0] ?? '', /its streams bring no count of tokens/)
        },
      )
    })

    it('a conversation that another provider began: it gets ids and texts as it takes them', async () => {
      await ask(
        provider,
        (response) => send(response, wire.whole({ text: 'Hi', finish: 'stop', usage })),
        async ({ run, bodies }) => {
          const ids = ['toolu_01AbC', `call_${'x'.repeat(90)}`, 'functions.look_up:0', 'a b', 'a b']
          assertTurn(await run({ messages: conversation(ids) }))
          const sent = idsIn(bodies[0] ?? '')
          const form = { mistral: /^[a-zA-Z0-9]{9}$/, anthropic: /^[a-zA-Z0-9_-]{1,64}$/ }[id]
          for (const found of sent) assert.match(found, form ?? /^[\x21-\x7e]{1,200}$/)
          if (id === 'openai' || id === 'house')
            assert.ok(sent.every((found) => found.length <= 64))
          // Gemini's own format identifies calls by their names alone.
          const counts = new Map(
            sent.map((found) => [found, sent.filter((one) => one === found).length]),
          )
          if (sent.length > 0) {
            assert.equal(counts.size, ids.length, 'each call has an id of its own')
            assert.ok(
              [...counts.values()].every((count) => count === 2),
              'and one result',
            )
          }
          assert.doesNotMatch(bodies[0] ?? '', /"(?:text|content)":"\s+"|foreign/)
          assertTurn(await run({ messages: conversation(ids) }))
          assert.equal(bodies[1], bodies[0], 'the same in each turn, for the cache')
        },
      )
    })
  })
}

function conversation(ids: string[]): ModelMessage[] {
  return [
    { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    ...ids.flatMap((toolCallId, n): ModelMessage[] => [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'foreign', providerOptions: { other: { signature: 's' } } },
          { type: 'text', text: ' \n ' },
          { type: 'tool-call', toolCallId, toolName: 'look_up', input: { n } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId,
            toolName: 'look_up',
            output: { type: 'text', value: `answer ${n}` },
          },
        ],
      },
    ]),
    { role: 'assistant', content: [{ type: 'text', text: '  ' }] },
    { role: 'user', content: [{ type: 'text', text: 'go on' }] },
  ]
}

/** Ids of calls and of their results in a request body. */
function idsIn(body: string): string[] {
  const found = body.matchAll(/"(?:tool_use_id|tool_call_id|call_id|id)":"((?:[^"\\]|\\.)*)"/g)
  return [...found].map(([, id = '']) => JSON.parse(`"${id}"`) as string)
}

interface Failure {
  status: number
  body: unknown
  headers?: Record<string, string>
  kind: ModelErrorKind
  words: RegExp
  retryAfterMs?: number
  isBilled?: boolean
}

const failures: Record<string, Failure> = {
  'an error inside an answer of 200': {
    status: 200,
    body: { error: { code: 502, message: 'Provider returned error' } },
    kind: 'unavailable',
    words: /Provider returned error$/,
    isBilled: true,
  },
  'a limit inside an answer of 200': {
    status: 200,
    body: { error: { code: 429, message: 'Slow down' } },
    kind: 'rate_limited',
    words: /Slow down$/,
    isBilled: true,
  },
  'an error in an array': {
    status: 429,
    body: [{ error: { code: 429, message: 'Quota of a minute', status: 'RESOURCE_EXHAUSTED' } }],
    kind: 'rate_limited',
    words: /status 429, Quota of a minute$/,
  },
  'a list of errors': {
    status: 400,
    body: { errors: [{ message: 'No model' }, { message: 'No account' }] },
    kind: 'rejected',
    words: /status 400, No model; No account$/,
  },
  'a list of details': {
    status: 422,
    body: { detail: [{ loc: ['body', 'model'], msg: 'Field required', type: 'missing' }] },
    kind: 'rejected',
    words: /status 422, Field required$/,
  },
  'a detail in words': {
    status: 403,
    body: { detail: 'Not for this key' },
    kind: 'rejected',
    words: /status 403, Not for this key$/,
  },
  'an error in one word': {
    status: 404,
    body: { error: 'model_not_found' },
    kind: 'rejected',
    words: /status 404, model_not_found$/,
  },
  'plain text': {
    status: 503,
    body: 'no healthy upstream',
    kind: 'unavailable',
    words: /status 503, no healthy upstream$/,
  },
  'a page of a proxy': {
    status: 502,
    body: '<html><h1>Oops</h1></html>',
    kind: 'unavailable',
    words: /status 502, Bad Gateway$/,
    isBilled: true,
  },
  'nothing at all': {
    status: 504,
    body: '',
    kind: 'unavailable',
    words: /status 504, Gateway Timeout$/,
    isBilled: true,
  },
  'a time-out of a gateway': {
    status: 408,
    body: { error: { message: 'Request timed out' } },
    kind: 'timeout',
    words: /status 408, Request timed out$/,
    isBilled: true,
  },
  'a used-up quota': {
    status: 429,
    body: {
      error: { message: 'No credit', type: 'insufficient_quota', code: 'insufficient_quota' },
    },
    kind: 'rejected',
    words: /status 429, No credit$/,
  },
  'a used-up quota by its type alone': {
    status: 429,
    body: { error: { message: 'No credit', type: 'insufficient_quota', code: '429' } },
    kind: 'rejected',
    words: /status 429, No credit$/,
  },
  "a used-up quota in a gateway's words": {
    status: 429,
    body: {
      error: {
        message:
          'RateLimitError: You exceeded your current quota, please check your plan and billing.',
        type: 'throttling_error',
        code: '429',
      },
    },
    kind: 'rejected',
    words: /please check your plan and billing$/,
  },
  'a sentence of a gateway': {
    status: 400,
    body: { error: { message: 'Bad. No fallback was attempted..', code: '400' } },
    kind: 'rejected',
    words: /Bad\. No fallback was attempted$/,
  },
  'a request that is over a limit by itself': {
    status: 429,
    body: {
      error: {
        message:
          'Request too large for gpt-4.1 on tokens per min (TPM): Limit 30000, Requested 43000. The input or output tokens must be reduced in order to run successfully.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
    kind: 'rejected',
    words: /must be reduced in order to run successfully$/,
  },
  'a refusal with a date to come back': {
    status: 403,
    body: { error: { message: 'Quota of this minute', type: 'server_error' } },
    headers: { 'retry-after': '7' },
    kind: 'rate_limited',
    words: /status 403, Quota of this minute$/,
    retryAfterMs: 7_000,
  },
  'a delay in whole seconds': {
    status: 429,
    body: withRetryInfo('27s'),
    kind: 'rate_limited',
    words: /Slow down$/,
    retryAfterMs: 27_000,
  },
  'a delay in fractions of a second': {
    status: 429,
    body: withRetryInfo('1.527639318s'),
    kind: 'rate_limited',
    words: /Slow down$/,
    retryAfterMs: 1_528,
  },
  'a delay in an array': {
    status: 429,
    body: [withRetryInfo('3s')],
    kind: 'rate_limited',
    words: /Slow down$/,
    retryAfterMs: 3_000,
  },
  'a delay in parts': {
    status: 503,
    body: withRetryInfo({ seconds: 2, nanos: 500_000_000 }),
    kind: 'unavailable',
    words: /Slow down$/,
    retryAfterMs: 2_500,
  },
}

function withRetryInfo(retryDelay: unknown): object {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.Help' },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ]
  return { error: { code: 429, message: 'Slow down', status: 'RESOURCE_EXHAUSTED', details } }
}

const event = (value: object): string =>
  `${'type' in value ? `event: ${String(value.type)}\n` : ''}data: ${JSON.stringify(value)}\n\n`

for (const provider of providerCases) {
  void describe(`${provider.id} fails`, () => {
    it('in the midst of a stream: it is a failed try, in its words', async () => {
      const began = provider.wire.stream({ text: 'Half a', finish: 'stop' }, true)
      const broken = event(provider.streamError('Too many of you'))
      for (const body of [began + broken, broken]) {
        const { outcome } = await outcomeOf(provider, body, 'streamed')
        assert.match(assertError(outcome, 'unavailable').message, /Too many of you$/)
      }
    })

    it('with a definite status: no code in the body makes an outage of it', async () => {
      const codes = [
        'server_error',
        'api_error',
        'overloaded_error',
        'rate_limit_exceeded',
        'UNAVAILABLE',
      ]
      for (const status of [400, 401, 403, 404, 413, 422]) {
        for (const code of codes) {
          const body = { error: { message: 'No such tool', type: code, code, status: code } }
          await ask(
            provider,
            (response) => send(response, body, status),
            async ({ run }) => {
              assert.match(assertError(await run(), 'rejected').message, /No such tool$/)
            },
          )
        }
      }
    })

    for (const [name, failure] of Object.entries(failures)) {
      const { status, body, headers, kind, words, retryAfterMs, isBilled } = failure
      it(`with ${name}: it keeps its words`, async () => {
        await ask(
          provider,
          (response) => send(response, body, status, headers),
          async ({ run }) => {
            const error = assertError(await run(), kind)
            assert.match(error.message, words)
            assert.equal(error.retryAfterMs, retryAfterMs)
            assert.equal(error.usage.callsWithoutUsage, isBilled === true ? 1 : 0)
          },
        )
      })
    }
  })
}
