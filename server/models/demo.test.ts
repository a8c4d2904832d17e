import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { toAssistantMessage } from './assistant-message.ts'
import { ModelError, type ModelMessage, type ModelTurn, type ModelTurnRequest } from './contract.ts'
import { countTokens, demoNotice, runDemoTurn } from './demo.ts'

const planner = 'You are the planner of a crew. Write a plan for the text that the user needs.'
const writer = 'You are the writer of a crew. Write the text, following the plan.'

const readme = `# Harbour

[![build](https://ci.example/b.svg)](https://ci.example)

Harbour keeps backups of small servers. It copies changed blocks only.

## Install

Download the binary for your system. Then run the installer as root.

\`\`\`sh
rm -rf / # never-shown-code
\`\`\`

## Schedule

Backups run every night at two. A missed backup runs as soon as the server is up again.

## Restore

Choose a backup by its date. Harbour writes the blocks back and verifies each checksum.
`

const news = `The city council met on Monday. It voted to extend the tram line to the harbour. Dr. Meyer
said that construction starts in May. The tram will cost 120 million euros. Residents asked for more
bicycle lanes along the tram route. The council postponed the bicycle question.`

const chinese =
  '人工智能正在改变医疗行业。医生使用算法来分析影像。患者可以更快地得到诊断。然而，隐私问题仍然存在。监管机构正在制定新的规则。'

function user(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}

async function run(
  instructions: string,
  text: string,
  more: Partial<ModelTurnRequest> = {},
): Promise<ModelTurn> {
  const signal = new AbortController().signal
  return runDemoTurn({ instructions, messages: [user(text)], signal, ...more })
}

function afterPlan(input: string, plan: string): string {
  return `${input}\n\n## Output of planner\n\n${plan}`
}

void test('plans along the headings of a Markdown input, without its code and badges', async () => {
  const { text } = await run(planner, readme)
  assert.match(text, /^# Plan: Harbour\n\n1\. /)
  for (const heading of ['Install', 'Schedule', 'Restore']) {
    assert.match(text, new RegExp(`^\\d\\. \\*\\*${heading}\\*\\*: \\S`, 'm'))
  }
  assert.doesNotMatch(text, /never-shown-code|badge|ci\.example/)
})

void test('plans from the sentences of plain text that carry it', async () => {
  const { text } = await run(planner, news)
  assert.match(text, /^# Plan: The city council met on Monday/)
  assert.match(text, /It voted to extend the tram line to the harbour\./)
  assert.ok((text.match(/^\d\. /gm) ?? []).length >= 3)
})

void test('writes along the plan of the planner, each point with sentences of the input', async () => {
  const plan = await run(planner, readme)
  const { text, finishReason } = await run(writer, afterPlan(readme, plan.text))
  assert.equal(finishReason, 'stop')
  assert.match(text, /^# Harbour\n\nHarbour keeps backups of small servers\./)
  const order = ['## Install', '## Schedule', '## Restore'].map((heading) => text.indexOf(heading))
  assert.deepEqual(
    order,
    [...order].sort((a, b) => a - b),
  )
  assert.ok(!order.includes(-1))
  assert.match(text, /## Schedule\n\nBackups run every night at two\. A missed backup/)
})

void test('a plan in another order is followed in that order', async () => {
  const plan = '1. Bicycles: lanes and the postponed question\n2. Cost: what the tram will cost'
  const { text } = await run(writer, afterPlan(news, plan))
  assert.match(text, /## Bicycles\n\n.*bicycle.*\n\n## Cost\n\n.*120 million/s)
})

void test('without an earlier plan the text has sections of its own', async () => {
  const { text } = await run('You summarise texts.', news)
  assert.match(text, /^# The city council met on Monday\n\n.+\n\n## \S/)
})

void test('different inputs give different plans and texts, the same input always the same', async () => {
  const inputs = [readme, news, chinese, 'How do vaccines train immunity?', 'Why is the sky blue?']
  for (const instructions of [planner, writer]) {
    const texts = await Promise.all(
      inputs.map(async (input) => (await run(instructions, input)).text),
    )
    assert.equal(new Set(texts).size, inputs.length)
    const again = await Promise.all(
      inputs.map(async (input) => (await run(instructions, input)).text),
    )
    assert.deepEqual(again, texts)
  }
})

void test('a question of five words gets a plan about its own words and an honest text', async () => {
  const plan = await run(planner, 'How do vaccines train immunity?')
  assert.match(plan.text, /\*\*Vaccines\*\*/)
  assert.match(plan.text, /\*\*Immunity\*\*/)
  const { text } = await run(writer, afterPlan('How do vaccines train immunity?', plan.text))
  assert.match(text, /^# How do vaccines train immunity\?/)
  assert.match(text, /holds nothing more on this point/)
})

void test('reads scripts that write without spaces', async () => {
  const plan = await run(planner, chinese)
  assert.match(plan.text, /人工智能正在改变医疗行业。/)
  assert.ok((plan.text.match(/^\d\. /gm) ?? []).length >= 3)
  const { text } = await run(writer, afterPlan(chinese, plan.text))
  assert.match(text, /监管机构正在制定新的规则。/)
})

void test('an empty input is said to be empty', async () => {
  assert.match((await run(planner, ' ')).text, /holds no text/)
  assert.match((await run(writer, '```\ncode only\n```')).text, /holds no text/)
})

void test('every answer says what wrote it and counts as documented', async () => {
  for (const instructions of [planner, writer]) {
    for (const input of [readme, news, chinese, '', 'Why?']) {
      const turn = await run(instructions, input)
      assert.ok(turn.text.endsWith(demoNotice))
      assert.equal(turn.tokensIn, countTokens(`${instructions}\n${input}`))
      assert.equal(turn.tokensOut, Math.ceil(Buffer.byteLength(turn.text) / 4))
      assert.equal(turn.costUsd, 0)
    }
  }
})

void test('keeps to maxOutputTokens without breaking a character', async () => {
  for (const maxOutputTokens of [1, 5, 30, 40, 60]) {
    const { text, tokensOut, finishReason } = await run(planner, chinese, { maxOutputTokens })
    assert.ok(tokensOut <= maxOutputTokens, `${tokensOut} of ${maxOutputTokens}`)
    assert.equal(finishReason, 'length')
    assert.ok(!text.includes('\uFFFD'))
    assert.match(text, /^must|muster\/demo/)
  }
})

void test('a long input is answered within moments', async () => {
  // Its own time, whatever else the machine does.
  const began = process.threadCpuUsage()
  const { text } = await run(planner, `${news}\n\n`.repeat(5_000))
  assert.match(text, /^# Plan: The city council/)
  await run(writer, `${'['.repeat(50_000)}${'<a '.repeat(50_000)}`)
  await run(writer, '`'.repeat(50_000))
  const { user, system } = process.threadCpuUsage(began)
  assert.ok(user + system < 5_000_000, `${user + system} µs`)
})

void test('an aborted call is an aborted ModelError', async () => {
  await assert.rejects(run(planner, news, { signal: AbortSignal.abort() }), (error) => {
    assert.ok(error instanceof ModelError)
    return error.kind === 'aborted'
  })
})

void test('an object is small and made at once, however much its schema asks for', async () => {
  const lists = (depth: number): object =>
    depth === 0 ? { const: 'x'.repeat(1_000) } : { minItems: 100, items: lists(depth - 1) }
  const keys = { properties: { ['k'.repeat(20_000)]: { type: 'null' } } }
  for (const asked of [lists(8), { minLength: 2 ** 29 }, { minItems: 100, items: keys }]) {
    const outputSchema = { type: 'object', properties: { a: asked, b: asked, c: lists(2) } }
    const { text } = await run(writer, news, { outputSchema })
    assert.ok(text.length < 256 * 1024, `${text.length}`)
  }
})

function tool(name: string, properties: object, required: string[]): LanguageModelV4FunctionTool {
  const inputSchema = { type: 'object', properties, required } as const
  return {
    type: 'function',
    name,
    inputSchema: inputSchema as LanguageModelV4FunctionTool['inputSchema'],
  }
}

const string = { type: 'string' }
const sendEmail = tool('email__send', { to: string, subject: string, text: string }, [
  'to',
  'subject',
  'text',
])
const requestInput = tool('request_input', { question: string }, ['question'])

void test('calls a tool that the task names, once, with arguments from the input, then reports', async () => {
  const tools = [requestInput, sendEmail]
  const task = `${news}\n\nSend an email to ada@example.org with a summary.`
  const first = await run(writer, task, { tools })
  assert.equal(first.finishReason, 'tool-calls')
  const [call] = first.content
  assert.ok(call?.type === 'tool-call')
  assert.equal(call.toolName, 'email__send')
  const input = JSON.parse(call.input) as Record<string, string>
  assert.equal(input['to'], 'ada@example.org')
  assert.match(input['subject'] ?? '', /city council/)
  const messages: ModelMessage[] = [
    user(task),
    toAssistantMessage(first.content),
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: call.toolCallId,
          toolName: call.toolName,
          output: { type: 'json', value: { sent: true } },
        },
      ],
    },
  ]
  const second = await run(writer, '', { messages, tools })
  assert.equal(second.finishReason, 'stop')
  assert.match(second.text, /## From the tools\n\n- email\.send: \{"sent":true\}/)
})

void test('sends a mail when its instructions say so and the input holds the address', async () => {
  const tools = [sendEmail]
  const instructions = `${writer} Then send the main points by email to the address in the text.`
  const task = `${news} Contact: ada@example.org`
  const { content } = await run(instructions, task, { tools })
  assert.ok(content[0]?.type === 'tool-call')
  const input = JSON.parse(content[0].input) as Record<string, string>
  assert.equal(input['to'], 'ada@example.org')
  assert.match(input['text'] ?? '', /^The city council met on Monday\./)
  assert.deepEqual((await run(instructions, task, { tools })).content, content)
})

void test('says in its text that a call was refused, with the reason, and does not ask again', async () => {
  const task = `${news} Send an email to ada@example.org.`
  const { content } = await run(writer, task, { tools: [sendEmail] })
  assert.ok(content[0]?.type === 'tool-call')
  const { toolCallId, toolName } = content[0]
  const output = {
    type: 'error-text' as const,
    value: 'A person rejected this action; it was not done. Reason: wrong address',
  }
  const messages: ModelMessage[] = [
    user(task),
    toAssistantMessage(content),
    { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] },
  ]
  const { text, finishReason } = await run(writer, '', { messages, tools: [sendEmail] })
  assert.equal(finishReason, 'stop')
  assert.match(text, /- email\.send: A person rejected this action; .* Reason: wrong address$/m)
})

void test('asks a person when the instructions say so', async () => {
  const { content } = await run('You write. Ask the user which tone they want.', news, {
    tools: [requestInput],
  })
  assert.ok(content[0]?.type === 'tool-call')
  assert.equal(content[0].toolName, 'request_input')
  assert.match(content[0].input, /city council/)
})

void test('leaves a tool alone that nobody named or whose arguments are not in the input', async () => {
  for (const task of [news, `${news} Send an email about it.`]) {
    assert.equal((await run(writer, task, { tools: [sendEmail] })).finishReason, 'stop')
  }
})
