import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { callTools, complete, startTestApp } from '../../test/test-app.ts'
import { send } from '../../rig/scripted-server.ts'

/**
 * What 1,000 runs cost, against the bill that the model server writes for itself: cached and reasoning
 * tokens, retries, empty and cut answers, tool turns, answers that state no counts.
 */
const nano = 10_000_000_000
const prices = { in: 3, cached: 0.3, out: 15 }
const runs = 1_000

describe('costs', () => {
  it('of 1,000 runs are what the model server bills, to the tenth decimal', async () => {
    const bill = { calls: 0, in: 0, cached: 0, out: 0, reasoning: 0, silent: 0, cost: 0n }
    const failed = new Set<string>()
    await using app = await startTestApp({
      env: { MUSTER_RUN_CONCURRENCY: '50', MUSTER_ACCOUNT_CONCURRENCY: '50' },
      prepareModels: (file) => Object.assign(file.models[0] as object, modelPrices),
      answer: (request, response) => {
        const text = JSON.stringify(request.messages)
        const number = Number(/run (\d+)/.exec(text)?.[1])
        const [kind] = [kinds[number % kinds.length] as (typeof kinds)[number]]
        const isFirst = !failed.has(text)
        failed.add(text)
        if (kind === 'retried' && isFirst) {
          send(response, { error: { message: 'down' } }, 503, { 'retry-after': '0' })
          return
        }
        if (kind === 'silent') {
          bill.silent += 1
          const message = { role: 'assistant', content: 'ok' }
          send(response, { choices: [{ index: 0, finish_reason: 'stop', message }] })
          return
        }
        const used = {
          in: 1_000 + number,
          cached: kind === 'cached' ? 500 + (number % 7) : 0,
          out: 100 + (number % 13),
          reasoning: kind === 'reasoned' ? 50 : 0,
        }
        bill.calls += 1
        bill.in += used.in
        bill.cached += used.cached
        bill.out += used.out
        bill.reasoning += used.reasoning
        bill.cost +=
          BigInt((used.in - used.cached) * prices.in * 10 + used.cached * prices.cached * 10) *
            1_000n +
          BigInt(used.out * prices.out * 10) * 1_000n
        const usage = {
          prompt_tokens: used.in,
          completion_tokens: used.out,
          total_tokens: used.in + used.out,
          prompt_tokens_details: { cached_tokens: used.cached },
          completion_tokens_details: { reasoning_tokens: used.reasoning },
        }
        const isEmpty = kind === 'empty' && isFirst
        if (kind === 'tool' && !text.includes('"tool"')) {
          callTools(
            response,
            [{ name: 'remember', arguments: { content: `run ${number}` } }],
            0,
            0,
            usage,
          )
        } else {
          complete(response, isEmpty ? '' : 'done', 0, 0, kind === 'cut' ? 'length' : 'stop', usage)
        }
      },
    })
    const crew = [{ role: 'a', systemPrompt: 'Work.' }]
    const { body } = await app.call('POST', '/v1/workflows', { body: { name: 'w', crew } })
    const path = `/v1/workflows/${body.data.id}/runs`
    const ended = await Promise.all(
      Array.from({ length: runs }, async (_, number) => {
        const { body: run } = await app.call('POST', path, { body: { input: `run ${number}` } })
        for (;;) {
          const answer = await app.call('GET', `/v1/runs/${run.data.id}?wait=60`)
          if (answer.body.data?.finished_at != null) return answer.body.data
        }
      }),
    )
    assert.deepEqual([...new Set(ended.map(({ status }) => status))], ['completed'])
    const sum = (name: string): number => ended.reduce((total, run) => total + run[name], 0)
    const cost = ended.reduce((total, run) => total + BigInt(Math.round(run.cost_usd * nano)), 0n)
    assert.equal(cost, bill.cost)
    assert.deepEqual(
      [sum('tokens_in'), sum('tokens_cached'), sum('tokens_out'), sum('tokens_reasoning')],
      [bill.in, bill.cached, bill.out, bill.reasoning],
    )
    assert.equal(sum('calls_without_usage'), bill.silent)
  })
})

const kinds = ['plain', 'cached', 'reasoned', 'retried', 'silent', 'empty', 'cut', 'tool'] as const
const modelPrices = { price_in: prices.in, price_cached: prices.cached, price_out: prices.out }
