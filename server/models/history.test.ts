import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAssistantMessage } from './history.ts'

void test('text, reasoning and tool calls go back with what the provider attached to them', () => {
  const message = toAssistantMessage([
    { type: 'reasoning', text: 'hm', providerMetadata: { anthropic: { signature: 's' } } },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '{"at":"sky"}' },
    { type: 'source', sourceType: 'url', id: '1', url: 'https://example.org' },
  ])
  assert.deepEqual(message, {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { at: 'sky' } },
    ],
  })
  assert.deepEqual(JSON.parse(JSON.stringify(message)), message)
})

void test('arguments that are no JSON object go back empty', () => {
  for (const input of ['', '{"at":', '"sky"', 'null']) {
    const { content } = toAssistantMessage([
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input },
    ])
    assert.deepEqual(content[0]?.type === 'tool-call' && content[0].input, {})
  }
})
