import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LLMock } from '@copilotkit/aimock'
import { startScriptedServer } from '../../rig/scripted-server.ts'
import { ModelError } from './contract.ts'
import { createCaseModels, providerCases } from './test-provider-cases.ts'

const text = 'Bonjour, le monde est grand. '.repeat(20).trim()
const request = {
  instructions: 'Answer.',
  messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }],
  signal: new AbortController().signal,
}

for (const provider of providerCases)
  describe(`a stream of ${provider.id}`, () => {
    it('is the answer that comes at once, in pieces', async () => {
      const mock = new LLMock({ port: 0 })
      const usage = { prompt_tokens: 1_234, completion_tokens: 56, total_tokens: 1_290 }
      mock.onMessage(/hello/, { content: text, usage })
      await mock.start()
      try {
        await using models = await createCaseModels(provider, mock.url)
        const pieces: string[] = []
        const onText = (piece: string): void => void pieces.push(piece)
        const streamed = await models.runTurn(provider.modelId, { ...request, onText })
        const whole = await models.runTurn(provider.modelId, request)
        assert.equal(pieces.join(''), text)
        assert.ok(pieces.length > 1, 'more than one piece')
        // The emulator counts a stream's tokens only on request, but Mistral always counts them;
        // its counts are tested below.
        if (provider.id === 'mistral') return
        assert.deepEqual(
          [
            streamed.text,
            streamed.finishReason,
            streamed.tokensIn,
            streamed.tokensOut,
            streamed.costUsd,
          ],
          [whole.text, whole.finishReason, whole.tokensIn, whole.tokensOut, whole.costUsd],
        )
      } finally {
        await mock.stop()
      }
    })

    it('that breaks off, or never was one, is an error that may be tried again', async () => {
      for (const body of ['data: {', '']) {
        await using server = await startScriptedServer((response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.write(body)
          setImmediate(() => response.destroy())
        })
        await using models = await createCaseModels(provider, server.url)
        await assert.rejects(
          models.runTurn(provider.modelId, { ...request, onText: () => {} }),
          (error) =>
            error instanceof ModelError && ['unavailable', 'bad_answer'].includes(error.kind),
        )
      }
    })
  })

it('counts of Mistral come with the last piece', async () => {
  const provider = providerCases.find(({ id }) => id === 'mistral')
  assert.ok(provider !== undefined)
  await using server = await startScriptedServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = (choice: object, more: object = {}): void => {
      const choices = [{ index: 0, finish_reason: null, ...choice }]
      const body = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices }
      response.write(`data: ${JSON.stringify({ ...body, ...more })}\n\n`)
    }
    chunk({ delta: { role: 'assistant', content: 'Bon' } })
    chunk({ delta: { content: 'jour' } })
    const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }
    chunk({ delta: { content: '' }, finish_reason: 'stop' }, { usage })
    response.end('data: [DONE]\n\n')
  })
  await using models = await createCaseModels(provider, server.url)
  const turn = await models.runTurn(provider.modelId, { ...request, onText: () => {} })
  assert.deepEqual([turn.text, turn.tokensIn, turn.tokensOut], ['Bonjour', 12, 5])
})
