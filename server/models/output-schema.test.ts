import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import { isStrict } from './output-schema.ts'
import { createCaseModels, providerCases, type ProviderCase } from './test-provider-cases.ts'

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
