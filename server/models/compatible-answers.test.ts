import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import { ModelError, type ModelMessage, type ModelTurn, type ModelTurnRequest } from './contract.ts'
import { toAssistantMessage } from './history.ts'
import { createCaseModels, providerCases, type ProviderCase } from './test-provider-cases.ts'

/** Answers in the words of servers behind OpenAI's APIs: reasoning, counts, finish reasons and markup of their own. */

function caseOf(id: string): ProviderCase {
  const found = providerCases.find((provider) => provider.id === id)
  assert.ok(found !== undefined)
  return found
}

const house = caseOf('house')
const openai = caseOf('openai')
const ways = ['whole', 'streamed'] as const
const question: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'hello' }] }

interface Answered {
  turn: ModelTurn
  heard: string[]
  /** The request that the provider got. */
  body: Record<string, unknown>
}

async function ask(
  provider: ProviderCase,
  answer: string,
  { way, headers = {} }: { way: (typeof ways)[number]; headers?: Record<string, string> },
  more: Partial<ModelTurnRequest> = {},
): Promise<Answered> {
  const type = way === 'streamed' ? { 'content-type': 'text/event-stream' } : {}
  await using server = await startScriptedServer((response) =>
    send(response, answer, 200, { ...type, ...headers }),
  )
  await using models = await createCaseModels(provider, server.url)
  const heard: string[] = []
  const turn = await models.runTurn(provider.modelId, {
    instructions: '',
    messages: [question],
    signal: new AbortController().signal,
    ...(way === 'streamed' && { onText: (text: string) => void heard.push(text) }),
    ...more,
  })
  const body = JSON.parse(server.requests.at(-1)?.body ?? '{}') as Record<string, unknown>
  return { turn, heard, body }
}

interface ChatSaid {
  message?: object
  /** Pieces of the message, for a stream. */
  deltas?: object[]
  finish?: string | null
  usage?: object
}

const usageOfChat = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 }

function chat(way: (typeof ways)[number], said: ChatSaid): string {
  const { message = { content: 'Hi' }, finish = 'stop', usage = usageOfChat } = said
  const base = { id: 'chat-1', created: 1, model: 'tiny' }
  if (way === 'whole') {
    const choices = [
      { index: 0, finish_reason: finish, message: { role: 'assistant', ...message } },
    ]
    return JSON.stringify({ ...base, object: 'chat.completion', choices, usage })
  }
  const chunk = (delta: object, reason: string | null, more: object = {}): string =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason: reason }], ...more })}\n\n`
  const { deltas = [message] } = said
  const end = chunk({ content: '' }, finish, { usage })
  return `${deltas.map((delta) => chunk(delta, null)).join('')}${end}data: [DONE]\n\n`
}

const toolResult = (id: string): ModelMessage => ({
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId: id,
      toolName: 'look_up',
      output: { type: 'text', value: '7' },
    },
  ],
})

/** The messages that the provider gets with the next turn, as another or the same one. */
async function nextMessages(provider: ProviderCase, turn: ModelTurn): Promise<SentMessage[]> {
  const call = turn.content.find((part) => part.type === 'tool-call')
  const stored = JSON.parse(JSON.stringify(toAssistantMessage(turn.content))) as ModelMessage
  const messages = [question, stored, ...(call ? [toolResult(call.toolCallId)] : [])]
  const { body } = await ask(provider, chat('whole', {}), { way: 'whole' }, { messages })
  return body['messages'] as SentMessage[]
}

interface SentMessage {
  role: string
  reasoning_details?: unknown
  thinking_blocks?: unknown
  tool_call_id?: string
  tool_calls?: { id: string }[]
}

const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }

for (const way of ways) {
  void describe(`a compatible server, ${way}`, () => {
    it('gets its signed reasoning back unmodified; another server does not', async () => {
      const details = [
        {
          type: 'reasoning.text',
          text: 'Hm, so.',
          signature: 'c2ln',
          format: 'anthropic-claude-v1',
          index: 0,
        },
        { type: 'reasoning.encrypted', data: 'YWJj', id: 'rs_1', index: 1 },
      ]
      const blocks = [
        { type: 'thinking', thinking: 'Hm, so.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'YWJj' },
      ]
      const message = { content: 'I look', reasoning_details: details, thinking_blocks: blocks }
      const deltas = [
        {
          reasoning: 'Hm, ',
          reasoning_details: [
            { type: 'reasoning.text', text: 'Hm, ', format: 'anthropic-claude-v1', index: 0 },
          ],
          thinking_blocks: [{ type: 'thinking', thinking: 'Hm, ', signature: '' }],
        },
        {
          reasoning: 'so.',
          reasoning_details: [{ type: 'reasoning.text', text: 'so.', index: 0 }],
          thinking_blocks: [{ type: 'thinking', thinking: 'so.', signature: '' }],
        },
        {
          reasoning_details: [{ type: 'reasoning.text', signature: 'c2ln', index: 0 }, details[1]],
          thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'c2ln' }, blocks[1]],
        },
        { content: 'I look' },
        { tool_calls: [{ index: 0, ...call }] },
      ]
      const said = {
        message: { ...message, tool_calls: [call] },
        deltas,
        finish: 'tool_calls',
      }
      const { turn } = await ask(house, chat(way, said), { way })
      const [, sent] = await nextMessages(house, turn)
      assert.deepEqual(sent?.reasoning_details, details)
      assert.deepEqual(sent?.thinking_blocks, blocks)
      const [, elsewhere] = await nextMessages(caseOf('mistral'), turn)
      assert.doesNotMatch(JSON.stringify(elsewhere), /c2ln|YWJj/)
    })

    it('gets its call ids back, also those that carry a signature', async () => {
      const id = `call_abc__thought__${'QUJD'.repeat(500)}`
      const said = {
        message: { content: '', tool_calls: [{ ...call, id }] },
        deltas: [{ tool_calls: [{ index: 0, ...call, id }] }],
        finish: 'tool_calls',
      }
      const { turn } = await ask(house, chat(way, said), { way })
      const [part] = turn.content
      assert.ok(part?.type === 'tool-call' && part.toolCallId.length <= 64)
      const [, sent, result] = await nextMessages(house, turn)
      assert.equal(sent?.tool_calls?.[0]?.id, id)
      assert.equal(result?.tool_call_id, id)
      const elsewhere = await nextMessages(caseOf('mistral'), turn)
      assert.doesNotMatch(JSON.stringify(elsewhere), /QUJD/)
    })

    it('names its finish reasons in the words of any vendor', async () => {
      for (const finish of ['MAX_TOKENS', 'max_output_tokens', 'max_tokens', 'model_length']) {
        const { turn } = await ask(house, chat(way, { finish }), { way })
        assert.equal(turn.finishReason, 'length', finish)
      }
      for (const finish of ['STOP', 'end_turn', 'COMPLETE', 'eos']) {
        const { turn } = await ask(house, chat(way, { finish }), { way })
        assert.equal(turn.finishReason, 'stop', finish)
      }
      for (const finish of ['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'refusal', 'sensitive']) {
        await assert.rejects(
          ask(house, chat(way, { finish }), { way }),
          (error) => error instanceof ModelError && error.kind === 'rejected',
          finish,
        )
      }
      for (const finish of ['tool_use', 'TOOL_CALL', 'function_call']) {
        const message = { content: '', tool_calls: [call] }
        const deltas = [{ tool_calls: [{ index: 0, ...call }] }]
        const { turn } = await ask(house, chat(way, { message, deltas, finish }), { way })
        assert.equal(turn.finishReason, 'tool-calls', finish)
      }
      const { turn } = await ask(house, chat(way, { finish: 'novel_reason' }), { way })
      assert.equal(turn.finishReason, 'other')
    })

    it('counts its tokens in fields of its own', async () => {
      const base = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
      const cases: [usage: object, counts: number[]][] = [
        [{ ...base, total_tokens: 170 }, [100, 70, 0, 0, 50]],
        [{ ...base, total_tokens: 90 }, [100, 20, 0, 0, 0]],
        [{ ...base, total_tokens: 1e300 }, [100, 20, 0, 0, 0]],
        [{ total_tokens: 90 }, [0, 0, 0, 0, 0]],
        [{ ...base, prompt_cache_hit_tokens: 60 }, [100, 20, 60, 0, 0]],
        [{ ...base, cached_tokens: 60 }, [100, 20, 60, 0, 0]],
        [
          { ...base, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 } },
          [100, 20, 60, 10, 0],
        ],
        [
          { ...base, cache_read_input_tokens: 60, cache_creation_input_tokens: 10 },
          [100, 20, 60, 10, 0],
        ],
        [{ ...base, completion_tokens_details: { reasoning_tokens: 15 } }, [100, 20, 0, 0, 15]],
      ]
      for (const [usage, counts] of cases) {
        const { turn } = await ask(house, chat(way, { usage }), { way })
        const { tokensIn, tokensOut, tokensCached, tokensCacheWritten, tokensReasoning } = turn
        assert.deepEqual(
          [tokensIn, tokensOut, tokensCached, tokensCacheWritten, tokensReasoning],
          counts,
          JSON.stringify(usage),
        )
      }
    })

    it('that leaves tool calls in the text is named in a warning', async () => {
      const tools = [
        { type: 'function' as const, name: 'look_up', inputSchema: { type: 'object' as const } },
      ]
      const texts = [
        '<tool_call>\n{"name": "look_up", "arguments": {}}\n</tool_call>',
        '<|channel|>commentary to=functions.look_up <|constrain|>json<|message|>{}',
        '[TOOL_CALLS][{"name": "look_up", "arguments": {}}]',
        'I look.\n<function=look_up>{}</function>',
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look_up',
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.look_up:0',
      ]
      for (const content of texts) {
        const { turn } = await ask(house, chat(way, { message: { content } }), { way }, { tools })
        assert.equal(turn.warning?.code, 'tool_calls_unparsed', content)
        assert.match(turn.warning.message, /does not parse tool calls/)
      }
      const plain = ['A model writes `<tool_call>` before look_up.', '<tool_call>{"name":"other"}']
      for (const content of plain) {
        const { turn } = await ask(house, chat(way, { message: { content } }), { way }, { tools })
        assert.equal(turn.warning, undefined, content)
      }
      const [content = ''] = texts
      const { turn } = await ask(house, chat(way, { message: { content } }), { way })
      assert.equal(turn.warning, undefined, 'no tool was offered')
    })
  })

  void describe(`OpenAI's commentary, ${way}`, () => {
    const commentary = ['msg_1', 'commentary', 'I look first.'] as const
    const answer = ['msg_2', 'final_answer', '{"n":7}'] as const

    it('is no part of an answer that follows', async () => {
      const { turn, heard } = await ask(openai, responses(way, [commentary, answer]), { way })
      assert.equal(turn.text, '{"n":7}')
      assert.deepEqual(heard, way === 'streamed' ? ['{"n":7}'] : [])
      assert.ok(JSON.stringify(turn.content).includes('I look first.'), 'it stays in the history')
    })

    it('is the text if no answer follows', async () => {
      const { turn, heard } = await ask(openai, responses(way, [commentary]), { way })
      assert.equal(turn.text, 'I look first.')
      assert.deepEqual(heard, way === 'streamed' ? ['I look first.'] : [])
    })
  })
}

type Message = readonly [id: string, phase: string, text: string]

function responses(way: (typeof ways)[number], messages: readonly Message[]): string {
  const base = { object: 'response', id: 'resp_1', created_at: 1, model: 'tiny' }
  const output = messages.map(([id, phase, text]) => ({
    type: 'message',
    id,
    role: 'assistant',
    phase,
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  }))
  const usage = { input_tokens: 20, output_tokens: 9 }
  const whole = { ...base, status: 'completed', output, usage }
  if (way === 'whole') return JSON.stringify(whole)
  const events = output.flatMap((item, output_index) => {
    const at = { output_index, item_id: item.id, content_index: 0 }
    return [
      { type: 'response.output_item.added', ...at, item: { ...item, content: [] } },
      { type: 'response.output_text.delta', ...at, delta: item.content[0]?.text },
      { type: 'response.output_item.done', ...at, item },
    ]
  })
  const list = [
    { type: 'response.created', response: { ...base, output: [] } },
    ...events,
    { type: 'response.completed', response: whole },
  ]
  return list
    .map((event, sequence_number) => `data: ${JSON.stringify({ ...event, sequence_number })}\n\n`)
    .join('')
}

void describe("a gateway's id of a failed call", () => {
  it('is in its message, whatever the failure', async () => {
    const headers = { 'x-litellm-call-id': 'req-4711' }
    const failures: [body: string, status: number][] = [
      [JSON.stringify({ error: { message: 'No such model' } }), 404],
      [JSON.stringify({ error: { message: 'Oops', code: 502 } }), 200],
      ['not JSON', 200],
      [chat('whole', { message: { content: '' } }), 200],
      [chat('whole', { finish: 'SAFETY' }), 200],
    ]
    for (const [body, status] of failures) {
      await using server = await startScriptedServer((response) =>
        send(response, body, status, headers),
      )
      await using models = await createCaseModels(house, server.url)
      await assert.rejects(
        models.runTurn(house.modelId, {
          instructions: '',
          messages: [question],
          signal: new AbortController().signal,
        }),
        (error) => {
          assert.ok(error instanceof ModelError)
          assert.match(error.message, /\(request id req-4711\)$/)
          assert.doesNotMatch(error.reason, /req-4711/)
          return error.requestId === 'req-4711'
        },
      )
    }
  })
})
