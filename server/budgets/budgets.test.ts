import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { askWhileLocked } from '../db/test-locks.ts'
import { callTools, complete, startTestApp, testModel } from '../../test/test-app.ts'
import { until, untilFound } from '../../rig/until.ts'
import { fixture, prepare } from '../../test/fixture.ts'
import { estimateCost } from '../engine/run/estimate.ts'

/** The cost of a call with 20 input and 256 output tokens, at 1 and 2 USD for a million. */
const callUsd = 0.000532
let calls = 0
/** Answers wait for it. */
let gate = Promise.resolve()
const cheap = 'test/cheap'
const app = fixture(() =>
  startTestApp({
    prepareModels: (file) => {
      file.models.push({ id: cheap, provider: 'test', model: 'cheap', price_in: 0, price_out: 0 })
    },
    answer: async (request, response) => {
      calls += 1
      await gate
      complete(response, `from ${request.model}`, 20, 256)
    },
  }),
)
fixture(() => app.startAnother('worker'))

let workflow: string
const crew = [{ role: 'a', systemPrompt: 'a', maxTokens: 256 }]
// The account has a budget before its first run, so that no process has cached that it has none.
prepare(async () => {
  await app.post('/v1/budgets', { name: 'All', scope: 'account', window: 'day', cap_usd: 1_000 })
})
beforeEach(async () => {
  workflow = await app.createWorkflow({ crew })
  calls = 0
})

async function budget(fields: object): Promise<string> {
  const body = { name: 'B', scope: 'workflow', scope_value: workflow, window: 'day', ...fields }
  return (await app.post('/v1/budgets', body)).id
}

const start = (count: number, fields: object = {}) =>
  Promise.all(Array.from({ length: count }, () => app.trigger(workflow, { input: 'x', ...fields })))

describe('a budget', () => {
  it('is exceeded by no call of 50 runs at once over two processes', async () => {
    const id = await budget({ cap_usd: 10 * callUsd, on_cap: 'refuse', thresholds: [0.5] })
    const url = 'http://127.0.0.1:9/'
    const hook = await app.post('/v1/webhooks', {
      url,
      events: ['budget.threshold', 'budget.reached'],
    })
    // A trigger after the cap is reached would be refused.
    const open = Promise.withResolvers<void>()
    gate = open.promise
    const ids = await start(50)
    open.resolve()
    const runs = await Promise.all(ids.map((run) => app.rest(run)))
    const failed = runs.filter(({ status }) => status === 'failed')
    assert.ok(calls <= 10 && calls >= 5, `${calls} calls`)
    assert.equal(failed.length, 50 - calls)
    assert.equal(failed[0].error_code, 'budget_exceeded')
    assert.match(failed[0].error, /the budget B of 0\.00532 USD a day has no room/)
    const now = await app.get(`/v1/budgets/${id}`)
    assert.ok(Math.abs(now.spent_usd - calls * callUsd) < 1e-9)
    assert.equal(now.reserved_usd, 0)
    const [usage] = await app
      .get(`/v1/usage?group_by=workflow`)
      .then((rows) => rows.filter((row: { workflow: string }) => row.workflow === workflow))
    assert.ok(Math.abs(usage.cost_usd - now.spent_usd) < 1e-9)
    const events = await app.get(`/v1/webhooks/${hook.id}/deliveries`)
    const types = events.map((one: { event_type: string }) => one.event_type)
    assert.equal(types.filter((type: string) => type === 'budget.threshold').length, 1)
  })

  it('lets a call wait while only the estimates of calls in progress are in its way', async () => {
    for (const on_cap of ['refuse', 'hold', 'ask', 'fallback']) {
      const many = [{ role: 'a', systemPrompt: 'a', maxTokens: 25_600 }]
      workflow = await app.createWorkflow({ crew: many })
      // Room for one estimate at a time, and for the cost of a hundred calls.
      const id = await budget({ cap_usd: 0.06, on_cap })
      const ids = await start(6)
      // The reservation of a call that its worker has lost, on a busy machine, counts for a minute.
      await until('all have ended', 90_000, async () => {
        const runs = await Promise.all(ids.map((run) => app.rest(run)))
        return runs.every(({ status }) => status !== 'running' && status !== 'queued')
      })
      const runs = await Promise.all(ids.map((run) => app.get(`/v1/runs/${run}`)))
      assert.deepEqual(
        runs.map(({ status }) => status),
        Array(6).fill('completed'),
        `${on_cap}: ${runs.find(({ error }) => error !== null)?.error}`,
      )
      assert.equal((await app.get(`/v1/budgets/${id}`)).reached, false)
    }
  })

  it('is reached by the first call that it has no room for, until its cap is raised', async () => {
    const url = 'http://127.0.0.1:9/'
    const hook = await app.post('/v1/webhooks', { url, events: ['budget.reached'] })
    const id = await budget({ cap_usd: 1.5 * callUsd, on_cap: 'refuse' })
    const [first = ''] = await start(1)
    assert.equal((await app.rest(first)).status, 'completed')
    const [second = ''] = await start(1)
    const refused = await app.rest(second)
    assert.equal(refused.error_code, 'budget_exceeded')
    assert.match(
      refused.error,
      /has no room for the call \(spent: 0\.000532 USD, estimate of this call: up to 0\.0007\d+ USD\)/,
    )
    assert.equal((await app.get(`/v1/budgets/${id}`)).reached, true)
    const path = `/v1/workflows/${workflow}/runs`
    const third = await app.call('POST', path, { body: { input: 'x' } })
    assert.deepEqual([third.status, third.body.error.code], [409, 'budget_reached'])
    const events = await app.get(`/v1/webhooks/${hook.id}/deliveries`)
    assert.equal(events.length, 1)
    await app.patch(`/v1/budgets/${id}`, { cap_usd: 10 * callUsd })
    assert.equal((await app.get(`/v1/budgets/${id}`)).reached, false)
    const [fourth = ''] = await start(1)
    assert.equal((await app.rest(fourth)).status, 'completed')
    await app.delete(`/v1/webhooks/${hook.id}`)
  })

  it('closes its requests to people when it is raised or deleted, and the runs go on', async () => {
    for (const change of ['PATCH', 'DELETE']) {
      workflow = await app.createWorkflow({ crew })
      const id = await budget({ cap_usd: 1.5 * callUsd, on_cap: 'ask' })
      const [first = ''] = await start(1)
      await app.rest(first)
      const [asking = ''] = await start(1)
      assert.equal((await app.rest(asking)).pending.kind, 'budget')
      // A change that makes no room leaves the request, or asks anew.
      await app.patch(`/v1/budgets/${id}`, { name: 'Renamed' })
      assert.equal((await app.rest(asking)).pending.kind, 'budget')
      if (change === 'PATCH') await app.patch(`/v1/budgets/${id}`, { cap_usd: 1 })
      else await app.delete(`/v1/budgets/${id}`)
      const ended = await app.rest(asking)
      assert.deepEqual([ended.status, ended.error], ['completed', null])
      const { body } = await app.call('GET', `/v1/runs/${asking}/events`)
      assert.match(String(body), /"decision":"withdrawn"/)
    }
  })

  it('counts what steps in progress have cost when it is made', async () => {
    workflow = await app.createWorkflow({ crew, human_in_the_loop: { enabled: true } })
    const { answer } = app
    app.answer = (request, response) => {
      if (request.messages.at(-1)?.role === 'tool') return answer(request, response, {} as never)
      callTools(response, [{ name: 'request_input', arguments: { question: 'Which?' } }])
    }
    const [asking = ''] = await start(1)
    const run = await app.rest(asking)
    assert.deepEqual([run.status, run.cost_usd > 0], ['waiting_input', true])
    const id = await budget({ cap_usd: 1 })
    assert.equal((await app.get(`/v1/budgets/${id}`)).spent_usd, run.cost_usd)
    await app.post(`/v1/runs/${asking}/respond`, { action: 'input', input: 'This.' })
    const ended = await app.rest(asking)
    assert.equal((await app.get(`/v1/budgets/${id}`)).spent_usd, ended.cost_usd)
    app.answer = answer
  })

  it('holds runs, which go on once the cap is raised', async () => {
    const id = await budget({ cap_usd: 1.5 * callUsd, on_cap: 'hold' })
    const [first = ''] = await start(1)
    assert.equal((await app.rest(first)).status, 'completed')
    const [held = ''] = await start(1)
    const run = await untilFound('the run is held', 20_000, async () => {
      const now = await app.get(`/v1/runs/${held}`)
      return now.held === null ? undefined : now
    })
    assert.equal(run.held.reason, 'budget')
    assert.match(run.held.message, /budget B .* resets at/)
    await app.call('PATCH', `/v1/budgets/${id}`, { body: { cap_usd: 1 } })
    await app.sql`update jobs set ready_at = now() where run_id = ${held}`
    assert.equal((await app.rest(held)).status, 'completed')
  })

  it('goes on with cheaper fallbacks', async () => {
    const body = { crew, fallbacks: [cheap], model: testModel }
    await app.call('PATCH', `/v1/workflows/${workflow}`, { body })
    await budget({ cap_usd: 1.5 * callUsd, on_cap: 'fallback' })
    const [first = ''] = await start(1)
    assert.equal((await app.rest(first)).output, 'from echo')
    const [second = ''] = await start(1)
    assert.equal((await app.rest(second)).output, 'from cheap')
  })

  it('counts a tag, and what its window has cost before', async () => {
    const [before = ''] = await start(1, { tags: { customer: 'acme' } })
    await app.rest(before)
    const fields = { scope: 'tag', scope_value: 'customer:acme', cap_usd: 2.5 * callUsd }
    const id = await budget({ ...fields, on_cap: 'refuse' })
    assert.ok(Math.abs((await app.get(`/v1/budgets/${id}`)).spent_usd - callUsd) < 1e-9)
    const statuses: string[] = []
    for (const tags of [{ customer: 'acme' }, { customer: 'acme' }, { customer: 'other' }]) {
      const [run = ''] = await start(1, { tags })
      statuses.push((await app.rest(run)).status)
    }
    assert.deepEqual(statuses, ['completed', 'failed', 'completed'])
  })

  it('has spent what calls of its scope cost in its window before it was created', async () => {
    const agentId = await app.createAgent({ role: 'own' })
    const own = await app.createWorkflow({ crew: [{ ...crew[0], role: 'own', agentId }] })
    const runs = [
      await app.trigger(own, { input: 'x', tags: { region: 'eu:west' } }),
      await app.trigger(own, { input: 'x', tags: { region: 'eu' } }),
      ...(await start(1, { tags: { region: 'us' } })),
    ]
    for (const run of runs) assert.equal((await app.rest(run)).status, 'completed')
    const spentBy = async (scope: string, scope_value: string | null): Promise<number> => {
      const body = { name: 'B', scope, scope_value, window: 'day', cap_usd: 1_000 }
      return (await app.post('/v1/budgets', body)).spent_usd
    }
    const today = new Date().toISOString().slice(0, 10)
    const [day] = await app.get(`/v1/usage?from=${today}`)
    const cases = [
      ['workflow', own, 2 * callUsd],
      ['workflow', workflow, callUsd],
      ['agent', agentId, 2 * callUsd],
      ['tag', 'region:eu:west', callUsd],
      ['tag', 'region:none', 0],
      ['account', null, day.cost_usd],
    ] as const
    assert.ok(day.cost_usd >= 3 * callUsd)
    for (const [scope, value, usd] of cases) {
      const spent = await spentBy(scope, value)
      assert.ok(Math.abs(spent - usd) < 1e-9, `${scope} ${value}: ${spent} instead of ${usd}`)
    }
  })

  it('refuses further runs once it is spent, also as retries, forks and items of batches', async () => {
    const id = await budget({ cap_usd: 1.5 * callUsd, on_cap: 'refuse' })
    const [first = ''] = await start(1)
    const path = `/v1/workflows/${workflow}/runs`
    const send = (method: string, path: string, body: object = {}) =>
      app.call(method, path, { body })
    assert.equal((await app.rest(first)).status, 'completed')
    await app.call('PATCH', `/v1/budgets/${id}`, { body: { cap_usd: callUsd } })
    const refused = [
      await send('POST', path, { input: 'x' }),
      await send('POST', `/v1/runs/${first}/fork`, { from_step: 0 }),
    ]
    for (const { status, body } of refused) {
      assert.deepEqual(
        [status, body.error.type, body.error.code],
        [409, 'conflict', 'budget_reached'],
      )
      assert.match(body.error.message, /the budget B of 0\.000532 USD a day is spent .* resets at/)
    }
    const batch = await app.post(`/v1/workflows/${workflow}/batches`, { items: [{ input: 'x' }] })
    await until('the batch is held', 15_000, async () => {
      const { held } = await app.get(`/v1/batches/${batch.id}`)
      return held?.includes('is spent') === true
    })
    const other = await app.createWorkflow({ crew })
    assert.equal((await app.run(other)).status, 'completed')
    await app.call('PATCH', `/v1/budgets/${id}`, { body: { cap_usd: 1 } })
    const [again = ''] = await start(1)
    assert.equal((await app.rest(again)).status, 'completed')
    await app.post(`/v1/batches/${batch.id}/cancel`)
  })

  it('lets no call go out while its sums cannot be written', async () => {
    await budget({ cap_usd: 1, on_cap: 'refuse' })
    const [run] = await askWhileLocked(
      app.database,
      (transaction) => sql`lock table budget_windows in share mode`.execute(transaction),
      () => [start(1).then(([id = '']) => app.rest(id))],
      async () => assert.equal(calls, 0),
    )
    assert.deepEqual([run?.status, calls], ['completed', 1])
  })

  it('drops a reservation that is not renewed', async () => {
    const id = await budget({ cap_usd: 1.5 * callUsd, on_cap: 'refuse' })
    await app.sql`
      insert into budget_reservations (account_id, id, budget_id, starts_at, amount_usd, expires_at)
      values (${app.accountId}, 'x', ${id}, now(), 1, now() - interval '1 second')`
    const [run = ''] = await start(1)
    assert.equal((await app.rest(run)).status, 'completed')
  })

  it('turns at midnight of its zone', async () => {
    const id = await budget({ cap_usd: 1, window: 'month', time_zone: 'Pacific/Auckland' })
    const { starts_at, ends_at } = await app.get(`/v1/budgets/${id}`)
    const inZone = (time: string) =>
      new Intl.DateTimeFormat('en-GB', {
        timeZone: 'Pacific/Auckland',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
      }).format(new Date(time))
    assert.deepEqual([inZone(starts_at), inZone(ends_at)], ['01, 00:00', '01, 00:00'])
  })

  it('says what it expects', async () => {
    const refused = async (body: object, pattern: RegExp): Promise<void> => {
      const base = { name: 'B', scope: 'account', window: 'day', cap_usd: 1 }
      const answer = await app.call('POST', '/v1/budgets', { body: { ...base, ...body } })
      assert.equal(answer.status >= 400, true, JSON.stringify(answer.body))
      assert.match(answer.body.error.message, pattern)
    }
    await refused({ time_zone: 'Mars/Base' }, /IANA/)
    await refused({ scope: 'workflow' }, /which workflow/)
    await refused({ scope: 'workflow', scope_value: 'wf_none' }, /wf_none/)
    await refused({ scope: 'tag', scope_value: 'acme' }, /key:value/)
    await refused({ scope_value: workflow }, /scope_value goes with/)
  })
})

it('estimates the whole prompt and the longest answer', () => {
  const request = { instructions: 'a'.repeat(298), messages: [], maxOutputTokens: 100 }
  const usd = estimateCost({ priceIn: 3, priceOut: 10 }, request)
  assert.equal(usd.toFixed(8), ((302 / 3) * 3e-6 + 100 * 10e-6).toFixed(8))
  assert.equal(estimateCost({ priceIn: null, priceOut: null }, request), 0)
})
