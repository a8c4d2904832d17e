import assert from 'node:assert/strict'
import { test, describe, it } from 'node:test'
import type { ModelTurn } from './contract.ts'
import { createCaseModels, providerCases, type ProviderCase } from './test-provider-cases.ts'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import { costOf, countTurn, isStrict } from './turn.ts'

function caseOf(providerId: string): ProviderCase {
  const provider = providerCases.find(({ id }) => id === providerId)
  assert.ok(provider !== undefined)
  return provider
}

async function answerOf(providerId: string, usage: object): Promise<ModelTurn> {
  const provider = caseOf(providerId)
  const answer = provider.text('Hi') as object
  await using server = await startScriptedServer((response) =>
    send(response, { ...answer, [providerId === 'google' ? 'usageMetadata' : 'usage']: usage }),
  )
  await using models = await createCaseModels(provider, server.url)
  return await models.runTurn(provider.modelId, {
    instructions: '',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    signal: new AbortController().signal,
  })
}

const counts = (turn: ModelTurn): number[] => [
  turn.tokensIn,
  turn.tokensOut,
  turn.tokensCached,
  turn.tokensCacheWritten,
  turn.tokensReasoning,
]

void test('cached and reasoning tokens are parts of the totals, as each provider states them', async () => {
  const openai = await answerOf('openai', {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 30 },
  })
  assert.deepEqual(counts(openai), [100, 50, 60, 10, 30])
  const anthropic = await answerOf('anthropic', {
    input_tokens: 40,
    cache_read_input_tokens: 50,
    cache_creation_input_tokens: 10,
    output_tokens: 50,
    output_tokens_details: { thinking_tokens: 20 },
  })
  assert.deepEqual(counts(anthropic), [100, 50, 50, 10, 20])
  const google = await answerOf('google', {
    promptTokenCount: 100,
    cachedContentTokenCount: 60,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 30,
    totalTokenCount: 150,
  })
  assert.deepEqual(counts(google), [100, 50, 60, 0, 30])
  const mistral = await answerOf('mistral', {
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    num_cached_tokens: 60,
  })
  assert.deepEqual(counts(mistral), [100, 50, 60, 0, 0])
  const house = await answerOf('house', {
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: 30 },
  })
  assert.deepEqual(counts(house), [100, 50, 60, 0, 30])
})

void test('cached tokens cost what the catalog says', async () => {
  const { costUsd } = await answerOf('anthropic', {
    input_tokens: 40,
    cache_read_input_tokens: 50,
    cache_creation_input_tokens: 10,
    output_tokens: 50,
  })
  assert.equal(costUsd, (40 * 3 + 50 * 0.3 + 10 * 3.75 + 50 * 15) / 1e6)
})

void test('a step with tools asks Anthropic to keep its prompt, one without does not', async () => {
  const provider = caseOf('anthropic')
  await using server = await startScriptedServer((response) =>
    send(response, provider.text('Hi', { in: 1, out: 1 })),
  )
  await using models = await createCaseModels(provider, server.url)
  const request = {
    instructions: 'Be short.',
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }],
    signal: new AbortController().signal,
  }
  const inputSchema = { type: 'object' as const, properties: {} }
  const tools = [{ type: 'function' as const, name: 'look_up', inputSchema }]
  await models.runTurn(provider.modelId, request)
  await models.runTurn(provider.modelId, { ...request, tools })
  const [plain, marked] = server.requests.map(
    ({ body }) => body.split('"cache_control"').length - 1,
  )
  assert.deepEqual([plain, marked], [0, 2])
})

const none = { tokensCached: 0, tokensCacheWritten: 0 }

void test('counts that no call can have are none, and parts of a token are rounded', () => {
  for (const [said, counted] of [
    [12.5, 13],
    [-5, 0],
    [3e9, 0],
    [1e300, 0],
  ] as const) {
    const input = { total: said, noCache: undefined, cacheRead: said, cacheWrite: said }
    const usage = { inputTokens: input, outputTokens: { total: said, text: said, reasoning: said } }
    const { tokensIn, tokensOut, costUsd, ...parts } = countTurn(usage, { priceIn: 1, priceOut: 1 })
    assert.deepEqual([tokensIn, tokensOut], [counted, counted])
    assert.equal(parts.callsWithoutUsage, counted === 0 ? 1 : 0)
    assert.deepEqual([parts.tokensCached, parts.tokensReasoning], [counted, counted])
    assert.ok(costUsd >= 0)
  }
})

void test('cost is tokens times price to ten decimals, and 0 where no price is known', () => {
  const tokens = { tokensIn: 7, tokensOut: 3, ...none }
  assert.equal(costOf(tokens, { priceIn: 0.1, priceOut: 0.2 }), 0.0000013)
  assert.equal(costOf(tokens, { priceIn: 1 / 3, priceOut: 0 }), 0.0000023333)
  assert.equal(costOf(tokens, { priceIn: null, priceOut: null }), 0)
  assert.equal(costOf(tokens, { priceIn: 1, priceOut: null }), 0.000007)
})

void test('cached input has its own price, or that of other input', () => {
  const tokens = { tokensIn: 100, tokensOut: 0, tokensCached: 60, tokensCacheWritten: 30 }
  const prices = { priceIn: 1, priceOut: 1 }
  assert.equal(costOf(tokens, prices), 0.0001)
  assert.equal(costOf(tokens, { ...prices, priceCached: 0.1, priceCacheWrite: 2 }), 0.000076)
})

void test('a long prompt raises all prices of its call, where the provider bills so', () => {
  const longPrompt = { over: 100, in: 2, out: 1.5 }
  const prices = { priceIn: 1, priceOut: 2, priceCached: 0.5, longPrompt }
  const short = { tokensIn: 100, tokensOut: 10, tokensCached: 50, tokensCacheWritten: 0 }
  assert.equal(costOf(short, prices), 0.000095)
  assert.equal(costOf({ ...short, tokensIn: 101 }, prices), 0.000182)
})

const strict = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const tools = [
  {
    type: 'function' as const,
    name: 'look_up',
    inputSchema: { type: 'object' as const, properties: { city: { type: 'string' as const } } },
  },
]

interface ChatBody {
  response_format: unknown
  messages: { content: string }[]
  tools: { function: { name: string } }[]
}

describe('a schema of answers', () => {
  for (const provider of providerCases)
    it(`reaches ${provider.id} in its own way, with tools in one step`, async () => {
      await using server = await startScriptedServer((response) =>
        // For this model the SDK asks for the object as the arguments of a tool call.
        provider.id === 'google'
          ? send(response, provider.toolCall('json', { city: 'Bern' }))
          : send(response, provider.text('{"city":"Bern"}', { in: 1, out: 1 })),
      )
      await using models = await createCaseModels(provider, server.url)
      const turn = await models.runTurn(provider.modelId, {
        instructions: 'Extract.',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Bern' }] }],
        tools,
        outputSchema: strict,
        signal: new AbortController().signal,
      })
      assert.equal(turn.text, '{"city":"Bern"}')
      const body = JSON.parse(server.requests[0]?.body ?? '') as never
      const place = JSON.stringify(provider.schemaIn(body))
      assert.match(place, /city/)
      assert.match(place, /additionalProperties/)
      assert.match(JSON.stringify(body), /look_up/)
      if (provider.id === 'openai') assert.match(place, /"strict":true/)
      if (provider.id === 'house') assert.ok(!('response_format' in (body as object)))
    })

  it('reaches a server whose entry says structured_output as its response_format', async () => {
    const house = providerCases.find(({ id }) => id === 'house') as ProviderCase
    await using server = await startScriptedServer((response) =>
      send(response, house.text('{"city":"Bern"}', { in: 1, out: 1 })),
    )
    await using models = await createCaseModels({ ...house, structuredOutput: true }, server.url)
    const schemas = [strict, { ...strict, required: [] }]
    for (const outputSchema of schemas) {
      await models.runTurn(house.modelId, {
        instructions: 'Extract.',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Bern' }] }],
        tools,
        outputSchema,
        signal: new AbortController().signal,
      })
    }
    const sent = server.requests.map(({ body }) => JSON.parse(body) as ChatBody)
    assert.deepEqual(
      sent.map((body) => body.response_format),
      schemas.map((schema, place) => ({
        type: 'json_schema',
        json_schema: { name: 'answer', schema, strict: place === 0 },
      })),
    )
    for (const { messages, tools: offered } of sent) {
      assert.equal(messages[0]?.content, 'Extract.', 'the model is not told of it once more')
      assert.equal(offered[0]?.function.name, 'look_up')
    }
  })

  it('is called strict where OpenAI can hold answers to it, and nowhere else', () => {
    assert.equal(isStrict(strict), true)
    assert.equal(isStrict({ ...strict, required: [] }), false)
    assert.equal(isStrict({ ...strict, additionalProperties: true }), false)
    assert.equal(isStrict({ ...strict, minProperties: 1 }), false)
    const nested = { ...strict, properties: { city: { anyOf: [{ type: 'null' }, strict] } } }
    assert.equal(isStrict(nested), true)
    const open = { ...strict, properties: { city: { type: 'array', items: { type: 'object' } } } }
    assert.equal(isStrict(open), false)
  })
})
