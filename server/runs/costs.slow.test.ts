import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { it } from 'node:test'
import { untilFound } from '../../rig/until.ts'
import { send } from '../../rig/scripted-server.ts'
import { streamAnswer } from '../../rig/stream-answer.ts'
import { callTools, complete, startTestApp, type ChatRequest } from '../../test/test-app.ts'
import { fixture } from '../../test/fixture.ts'

/**
 * Compares the costs of 1,000 runs with the bill that the model server writes: input read from and
 * written to the provider's cache, reasoning, retries, repairs, tool turns, streams, answers that
 * are empty, cut or refused, and calls whose token counts never arrive. Over two wire formats, for
 * each run and step and for the usage of all.
 */
const runs = 1_000

/** USD for a million tokens, from the models file and from the catalog. */
const prices = {
  chat: { in: 3, cached: 0.3, written: 0, out: 15 },
  messages: { in: 3, cached: 0.3, written: 3.75, out: 15 },
}
const messagesModel = 'claude-sonnet-4-5'

interface Used {
  in: number
  cached: number
  written: number
  out: number
  reasoning: number
}
const nothing: Used = { in: 0, cached: 0, written: 0, out: 0, reasoning: 0 }

/** `cost` counts 1e-10 dollars; `silent` counts calls whose token counts never left the server. */
const bills = Array.from({ length: runs }, () => ({ ...nothing, calls: 0, silent: 0, cost: 0n }))
type Bill = (typeof bills)[number]

function charge(bill: Bill, used: Used, format: keyof typeof prices): void {
  for (const part of ['in', 'cached', 'written', 'out', 'reasoning'] as const)
    bill[part] += used[part]
  const price = prices[format]
  const lines = [
    [used.in - used.cached - used.written, price.in],
    [used.cached, price.cached],
    [used.written, price.written],
    [used.out, price.out],
  ] as const
  for (const [tokens, usd] of lines) bill.cost += BigInt(tokens) * BigInt(Math.round(usd * 10_000))
}

type Say =
  | { text: string; reason?: string }
  | 'unavailable'
  | 'limited'
  | 'silent'
  | 'tool'
  | 'broken'

interface Kind {
  workflow: 'text' | 'object' | 'messages'
  isWatched?: boolean
  isFailed?: boolean
  used?: Partial<Used>
  /** What the model answers, call by call; the last answer repeats. */
  say: Say[]
}

const done = { text: 'done' }
const right = { text: '{"age":3}' }
const wrong = { text: '{"age":"3"}' }
const kinds: Kind[] = [
  { workflow: 'text', say: [done] },
  { workflow: 'text', say: [done], used: { cached: 500 } },
  { workflow: 'text', say: [done], used: { reasoning: 50 } },
  { workflow: 'text', say: ['unavailable', 'limited', done] },
  { workflow: 'text', say: ['silent'] },
  { workflow: 'text', say: [{ text: '' }, done] },
  { workflow: 'text', say: [{ text: 'do', reason: 'length' }] },
  { workflow: 'text', say: ['tool', done], used: { cached: 700, reasoning: 20 } },
  { workflow: 'text', say: [done], isWatched: true, used: { cached: 100 } },
  { workflow: 'text', say: ['broken', done], isWatched: true },
  { workflow: 'object', say: [wrong, right], used: { cached: 300 } },
  { workflow: 'object', say: [wrong, { text: '' }, wrong, right] },
  { workflow: 'object', say: [wrong], isFailed: true },
  { workflow: 'object', say: [{ ...right, reason: 'length' }], isFailed: true },
  { workflow: 'object', say: [{ ...right, reason: 'content_filter' }], isFailed: true },
  { workflow: 'messages', say: [done], used: { cached: 90 } },
  { workflow: 'messages', say: ['tool', done], used: { cached: 200, written: 300 } },
]
const kindOf = (number: number): Kind => kinds[number % kinds.length] as Kind

type Request = ChatRequest & { stream?: boolean; max_tokens?: number }

function answer(request: Request, response: ServerResponse): void {
  const number = Number(/job (\d+)\b/.exec(JSON.stringify(request.messages))?.[1])
  const { say, used: more, workflow, isWatched } = kindOf(number)
  const bill = bills[number] as Bill
  const said = say[Math.min(bill.calls, say.length - 1)] as Say
  if (isWatched !== true) assert.equal(request.stream, undefined)
  bill.calls += 1
  if (said === 'unavailable' || said === 'limited') {
    const status = said === 'limited' ? 429 : 503
    return send(response, { error: { message: 'later' } }, status, { 'retry-after': '0' })
  }
  if (said === 'silent' || said === 'broken') {
    bill.silent += 1
    if (said === 'broken') return void streamAnswer(response, 'x'.repeat(200), { breakAfter: 100 })
    const message = { role: 'assistant', content: 'ok' }
    return send(response, { choices: [{ index: 0, finish_reason: 'stop', message }] })
  }
  const count = { in: 1_000 + number + bill.calls, out: 100 + (number % 13) }
  const used = { ...nothing, ...more, ...count }
  const format = workflow === 'messages' ? 'messages' : 'chat'
  charge(bill, used, format)
  const note = { name: 'remember', arguments: { content: 'What was noted.' } }
  if (format === 'messages') return sendMessage(response, said === 'tool' ? note : 'done', used)
  const usage = {
    prompt_tokens: used.in,
    completion_tokens: used.out,
    total_tokens: used.in + used.out,
    prompt_tokens_details: { cached_tokens: used.cached },
    completion_tokens_details: { reasoning_tokens: used.reasoning },
  }
  if (said === 'tool') return callTools(response, [note], 0, 0, usage)
  if (request.stream === true)
    return void streamAnswer(response, said.text, { chunkUnits: 2, usage })
  complete(response, said.text, 0, 0, said.reason ?? 'stop', usage)
}

/** Answers like Anthropic, which counts cache reads and writes apart from other input. */
function sendMessage(
  response: ServerResponse,
  said: string | { name: string; arguments: object },
  used: Used,
): void {
  const isText = typeof said === 'string'
  const part = isText
    ? { type: 'text', text: said }
    : { type: 'tool_use', id: 'call_1', name: said.name, input: said.arguments }
  send(response, {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: messagesModel,
    content: [part],
    stop_reason: isText ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: {
      input_tokens: used.in - used.cached - used.written,
      cache_read_input_tokens: used.cached,
      cache_creation_input_tokens: used.written,
      output_tokens: used.out,
    },
  })
}

const app = fixture(() => {
  const env: Record<string, string> = {
    MUSTER_RUN_CONCURRENCY: '50',
    MUSTER_ACCOUNT_CONCURRENCY: '50',
    ANTHROPIC_API_KEY: 'key-of-the-test',
  }
  return startTestApp({
    env,
    prepareModels: ({ providers: [provider], models: [model] }) => {
      env['ANTHROPIC_BASE_URL'] = (provider as { base_url: string }).base_url
      const { in: price_in, cached: price_cached, out: price_out } = prices.chat
      Object.assign(model as object, { price_in, price_cached, price_out })
    },
    answer,
  })
})

const createWorkflow = (more: object = {}, fields: object = {}): Promise<string> =>
  app.createWorkflow({ crew: [{ role: 'a', systemPrompt: 'Work.', ...more }], ...fields })

async function play(workflows: Record<Kind['workflow'], string>, number: number) {
  const { workflow, isWatched = false } = kindOf(number)
  const path = `/v1/workflows/${workflows[workflow]}/runs${isWatched ? '?deltas=true' : ''}`
  const { body } = await app.call('POST', path, { body: { input: `job ${number}` } })
  return untilFound('the run has ended', 600_000, async () => {
    const run = await app.get(`/v1/runs/${body.data.id}?wait=60`)
    return run.finished_at === null ? undefined : run
  })
}

const tenthDecimals = (usd: number): bigint => BigInt(Math.round(usd * 10_000_000_000))

// oxlint-disable-next-line typescript/no-explicit-any -- a run or a step
const countsOf = (counted: any) => ({
  in: counted.tokens_in,
  cached: counted.tokens_cached,
  written: counted.tokens_cache_written,
  out: counted.tokens_out,
  reasoning: counted.tokens_reasoning,
  silent: counted.calls_without_usage,
  cost: tenthDecimals(counted.cost_usd),
})

it('1,000 runs cost what the model server bills, to the tenth decimal', async (t) => {
  const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] }
  const workflows = {
    text: await createWorkflow(),
    object: await createWorkflow({ output_schema: schema }),
    messages: await createWorkflow({}, { model: messagesModel }),
  }
  const ended = await Promise.all(bills.map((_, number) => play(workflows, number)))
  let sum = 0n
  for (const [number, run] of ended.entries()) {
    const at = `run ${number}, ${JSON.stringify(kindOf(number))}: ${run.error}`
    assert.equal(run.status, kindOf(number).isFailed === true ? 'failed' : 'completed', at)
    const { calls: _, ...bill } = bills[number] as Bill
    assert.deepEqual(countsOf(run), bill, at)
    assert.deepEqual(countsOf(run.steps[0]), bill, `the step of ${at}`)
    sum += bill.cost
  }
  const { body: usage } = await app.call('GET', '/v1/usage?group_by=model')
  const cost = usage.data.reduce(
    (total: bigint, row: { cost_usd: number }) => total + tenthDecimals(row.cost_usd),
    0n,
  )
  assert.equal(cost, sum)
  t.diagnostic(`${runs} runs of ${kinds.length} kinds, ${sum} tenth decimals of a dollar`)
})
