import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { ModelError, type ModelMessage, type ModelTurn, type ModelTurnRequest } from './contract.ts'
import { demoNotice, runDemoTurn } from './demo.ts'

const news = `# Tram line

The city council met on Monday. It voted to extend the tram line to the harbour. The tram will
cost 120 million euros. Write to ada@example.com about it, or see https://example.com/tram.`
const chinese = '人工智能正在改变医疗行业。医生使用算法来分析影像。患者可以更快地得到诊断。'

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })

async function run(
  instructions: string,
  text: string,
  more: Partial<ModelTurnRequest> = {},
): Promise<ModelTurn> {
  const signal = new AbortController().signal
  return runDemoTurn({ instructions, messages: [user(text)], signal, ...more })
}

function tool(
  name: string,
  properties: Record<string, { type: 'string' }>,
  required: string[],
): LanguageModelV4FunctionTool {
  return { type: 'function', name, inputSchema: { type: 'object', properties, required } }
}
const email = tool(
  'email__send',
  { to: { type: 'string' }, subject: { type: 'string' }, text: { type: 'string' } },
  ['to', 'subject', 'text'],
)

describe('the demo model', () => {
  it('writes sentences of the input, or numbers them where a plan is asked for, and says what it is', async () => {
    const text = await run('You write short articles.', news)
    assert.match(text.text, /^# Tram line\n\nThe city council met on Monday\. It voted to extend/)
    const plan = await run('Write a plan for the text.', news)
    for (const writer of ['Follow the plan.', 'Write the answer from the plan, in plain words.']) {
      assert.equal((await run(writer, news)).text, text.text)
    }
    assert.match(plan.text, /^# Plan: Tram line\n\n1\. The city council met on Monday\.\n2\. It/)
    for (const { text: whole, tokensOut, costUsd } of [text, plan]) {
      assert.ok(whole.endsWith(demoNotice))
      assert.equal(tokensOut, Math.ceil(Buffer.byteLength(whole) / 4))
      assert.equal(costUsd, 0)
    }
    assert.deepEqual(await run('You write short articles.', news), text)
  })

  it('reads the input, not what earlier steps wrote, and any script', async () => {
    const { text } = await run('Write.', `${news}\n\n## Output of planner\n\n# Plan: other words`)
    assert.doesNotMatch(text, /other words/)
    assert.match(
      (await run('Write.', chinese)).text,
      /^# 人工智能正在改变医疗行业\n\n医生使用算法来分析影像。/,
    )
    assert.match((await run('Write.', ' ')).text, /holds no text/)
  })

  it('keeps to maxOutputTokens without breaking a character', async () => {
    for (const maxOutputTokens of [1, 5, 40]) {
      const { text, tokensOut, finishReason } = await run('Plan it.', chinese, { maxOutputTokens })
      assert.ok(tokensOut <= maxOutputTokens && text.isWellFormed())
      assert.equal(finishReason, 'length')
    }
  })

  it('calls a tool once that the task names, with what the input has for its arguments', async () => {
    const instructions = 'Send an email about the decision.'
    const { content, finishReason } = await run(instructions, news, { tools: [email] })
    assert.equal(finishReason, 'tool-calls')
    assert.ok(content[0]?.type === 'tool-call')
    assert.equal(content[0].toolName, 'email__send')
    const { to, subject } = JSON.parse(content[0].input)
    assert.deepEqual([to, subject], ['ada@example.com', 'Tram line'])
    const answered: ModelMessage[] = [
      user(news),
      { role: 'assistant', content: [{ ...content[0], input: {} }] },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: content[0].toolCallId,
            toolName: 'email__send',
            output: { type: 'text', value: 'sent to ada' },
          },
        ],
      },
    ]
    const after = await run(instructions, news, { tools: [email], messages: answered })
    assert.match(after.text, /## From the tools\n\n- email\.send: sent to ada/)
  })

  it('calls no tool that is not named, or whose arguments are not in the input', async () => {
    const { finishReason } = await run('Send an email.', 'No address here.', { tools: [email] })
    assert.equal(finishReason, 'stop')
    assert.equal((await run('Summarise.', 'A text.', { tools: [email] })).finishReason, 'stop')
    const ask = tool('request_input', { question: { type: 'string' } }, ['question'])
    const { content } = await run('Ask the user first.', news, { tools: [ask] })
    assert.ok(content[0]?.type === 'tool-call' && /Tram line/.test(content[0].input))
  })

  it('fills an output schema', async () => {
    const outputSchema = {
      type: 'object',
      required: ['title', 'cost'],
      properties: {
        title: { type: 'string', maxLength: 4 },
        cost: { type: 'integer', minimum: 100 },
        kind: { enum: ['bus', 'tram'] },
        links: { type: 'array', minItems: 2, items: { $ref: '#/$defs/link' } },
        day: { type: 'string', format: 'date' },
        open: { type: ['boolean', 'null'] },
      },
      $defs: { link: { type: 'string', format: 'uri' } },
    }
    const { text } = await run('Extract.', news, { outputSchema })
    const link = 'https://example.com/tram'
    assert.deepEqual(JSON.parse(text), {
      title: 'Tram',
      cost: 120,
      kind: 'tram',
      links: [link, link],
      day: '2026-01-01',
      open: false,
    })
  })

  it('bounds what a schema asks for', async () => {
    let items: object = { type: 'string' }
    for (let depth = 0; depth < 8; depth++) items = { type: 'array', minItems: 100, items }
    const outputSchema = { type: 'object', properties: { items } }
    const { text } = await run('Extract.', news, { outputSchema })
    assert.ok(text.length < 1_000_000)
  })

  it('speaks word by word, and stops when it is aborted', async () => {
    const heard: string[] = []
    const { text } = await run('Write.', news, { onText: (word) => heard.push(word) })
    assert.equal(heard.join(''), text)
    const stop = new AbortController()
    const onText = (): void => stop.abort()
    const speaking = run('Write.', news, { onText, signal: stop.signal })
    await assert.rejects(
      speaking,
      (error) => error instanceof ModelError && error.kind === 'aborted',
    )
  })
})
