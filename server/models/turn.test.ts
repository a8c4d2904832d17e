import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelTurn } from './contract.ts'
import { createCaseModels, providerCases } from './test-provider-cases.ts'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import { costOf } from './turn.ts'

async function answerOf(providerId: string, usage: object): Promise<ModelTurn> {
  const provider = providerCases.find(({ id }) => id === providerId)
  assert.ok(provider !== undefined)
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

void test('cached and reasoning tokens are part of the totals, as each provider states them', async () => {
  const openai = await answerOf('openai', {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 60 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 30 },
  })
  assert.deepEqual([openai.tokensIn, openai.tokensOut], [100, 50])
  const anthropic = await answerOf('anthropic', {
    input_tokens: 40,
    cache_read_input_tokens: 50,
    cache_creation_input_tokens: 10,
    output_tokens: 50,
  })
  assert.deepEqual([anthropic.tokensIn, anthropic.tokensOut], [100, 50])
  const google = await answerOf('google', {
    promptTokenCount: 100,
    cachedContentTokenCount: 60,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 30,
    totalTokenCount: 150,
  })
  assert.deepEqual([google.tokensIn, google.tokensOut], [100, 50])
  const house = await answerOf('house', {
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    completion_tokens_details: { reasoning_tokens: 30 },
  })
  assert.deepEqual([house.tokensIn, house.tokensOut], [100, 50])
})

void test('cost is tokens times price to ten decimals, and 0 where no price is known', () => {
  const tokens = { tokensIn: 7, tokensOut: 3 }
  assert.equal(costOf(tokens, { priceIn: 0.1, priceOut: 0.2 }), 0.0000013)
  assert.equal(costOf(tokens, { priceIn: 1 / 3, priceOut: 0 }), 0.0000023333)
  assert.equal(costOf(tokens, { priceIn: null, priceOut: null }), 0)
  assert.equal(costOf(tokens, { priceIn: 1, priceOut: null }), 0.000007)
})
