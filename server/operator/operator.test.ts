import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { createAccount } from '../accounts/create-account.ts'
import { leaveTimeOfDay } from '../../rig/day.ts'
import { until } from '../../rig/until.ts'
import { codeOf, type ApiClient } from '../../test/api-client.ts'
import { callTools, complete, startTestApp } from '../../test/test-app.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'
import { passTime } from '../../test/pass-time.ts'

let account: { id: string; adminKey: string }
let own: ApiClient

const app = fixture(() =>
  startTestApp({
    env: { MUSTER_LEASE_SECONDS: '0.4' },
    intervals: { deliveriesMs: 20, expiryMs: 20, erasureMs: 20, measureMs: 20 },
    answer: (_request, response) => complete(response, 'done', 1_000_000, 0),
  }),
)
prepare(async () => {
  account = await createAccount(app.database, 'Acme')
  own = app.as(account.adminKey)
})

/**
 * Waits until workers have read the account again, at the latest after a quarter of their lease.
 */
const outlastGate = () => new Promise((resolve) => setTimeout(resolve, 120))

const operate = (method: string, path = '', body?: unknown) =>
  app.call(method, `/v1/operator/accounts/${account.id}${path}`, body === undefined ? {} : { body })
const tryToTrigger = (workflowId: string) =>
  own.call('POST', `/v1/workflows/${workflowId}/runs`, { body: { input: 'x' } })
const statusOf = async (id: string): Promise<string> =>
  (await app.row`select status from runs where id = ${id}`).status
const untilStatus = (id: string, status: string) =>
  until(`the run is ${status}`, 10_000, async () => (await statusOf(id)) === status)

describe('the operator', () => {
  it('makes, lists, renames and reads accounts, and has a log of it', async () => {
    const made = await app.call('POST', '/v1/operator/accounts', { body: { name: 'New' } })
    assert.equal(made.status, 201)
    const { id, admin_key: key } = made.body.data
    assert.equal((await app.get('/v1/account', key)).name, 'New')
    const path = `/v1/operator/accounts/${id}`
    await app.call('PATCH', path, { body: { name: 'Newer' } })
    assert.equal((await app.get('/v1/operator/accounts'))[0].name, 'Newer')
    const log = await app.get('/v1/operator/log')
    assert.deepEqual(pluck(log.slice(0, 2), 'action', 'object_id', 'before', 'after'), [
      ['account.updated', id, { name: 'New' }, { name: 'Newer' }],
      ['account.created', id, null, { name: 'New' }],
    ])
    const audit = await app.get('/v1/audit?action=account.created', key)
    assert.equal(audit.length, 1)
    for (const [method, to] of [
      ['POST', '/v1/operator/accounts'],
      ['PATCH', path],
    ] as const) {
      const blank = await app.call(method, to, { body: { name: '  ' } })
      assert.deepEqual(codeOf(blank), [400, 'invalid_format'])
    }
    const absent = await app.call('GET', '/v1/operator/accounts/acc_none')
    assert.deepEqual(codeOf(absent), [404, 'not_found'])
  })
})

describe('a suspended account', () => {
  it('is locked out, its runs and webhooks rest, and all goes on when it is resumed', async () => {
    const { promise: answered, resolve: goOn } = Promise.withResolvers<void>()
    app.answer = (_request, response) => void answered.then(() => complete(response, 'done'))
    const crew = ['a', 'b'].map((role) => ({ role, systemPrompt: 's' }))
    const running = await own.trigger(await own.createWorkflow({ crew }))
    await untilStatus(running, 'running')
    await until('the model is asked', 20_000, () => app.models.requests.length > 0)

    const suspended = await operate('POST', '/suspend', { reason: 'unpaid' })
    assert.equal(suspended.body.data.status, 'suspended')
    const refused = await own.call('GET', '/v1/account')
    assert.deepEqual(codeOf(refused), [403, 'account_suspended'])
    await outlastGate()
    goOn()
    await until('the run was let go', 20_000, async () => {
      const rows = await app.sql<{ worker: string | null }>`
        select worker from jobs where run_id = ${running}`
      return rows[0]?.worker === null
    })
    assert.equal(await statusOf(running), 'running')
    const step = await sql<{ count: number }>`
      select count(*)::int as count from steps where run_id = ${running} and output is not null
    `.execute(app.database)
    assert.equal(step.rows[0]?.count, 1, 'the call in the air was not lost')

    assert.equal((await operate('POST', '/resume')).body.data.status, 'active')
    assert.equal((await own.call('GET', '/v1/account')).status, 200)
    await untilStatus(running, 'completed')
  })

  it('has nobody answer in time, so no wait expires', async () => {
    app.answer = (request, response) =>
      request.messages.some(({ role }) => role === 'tool')
        ? complete(response, 'done')
        : callTools(response, [{ name: 'request_input', arguments: { question: 'Well?' } }])
    const policy = { enabled: true, timeout_seconds: 60 }
    const run = await own.trigger(await own.createWorkflow({ human_in_the_loop: policy }))
    await untilStatus(run, 'waiting_input')
    await operate('POST', '/suspend', {})
    await passTime(app.database, '2 hours')
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.equal(await statusOf(run), 'waiting_input')
    await operate('POST', '/resume')
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.equal(await statusOf(run), 'waiting_input', 'a minute is left')
  })
})

describe('quotas', () => {
  prepare(() => leaveTimeOfDay(60_000))

  it('let through exactly as many runs a day, over two processes', async () => {
    app.answer = (_request, response) => complete(response, 'done', 0, 0)
    const workflow = await own.createWorkflow()
    const before = (await operate('GET', '/use')).body.data.runs_today
    assert.equal(before, 0, 'counted where there is a quota')
    const rows = await app.sql<{ count: number }>`
      select count(*)::int as count from runs where account_id = ${account.id}`
    const had = rows[0]?.count ?? 0
    await operate('PATCH', '', { max_runs_a_day: had + 10 })
    await using other = await app.startAnother('api')
    const urls = [app.url, other.url ?? '']
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, number) => {
        const response = await fetch(`${urls[number % 2]}/v1/workflows/${workflow}/runs`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${account.adminKey}`,
            'content-type': 'application/json',
          },
          body: '{"input":"x"}',
        })
        const body = (await response.json()) as { error?: { code: string } }
        return body.error?.code ?? response.status
      }),
    )
    assert.equal(answers.filter((one) => one === 202).length, 10)
    assert.equal(answers.filter((one) => one === 'quota_reached').length, 20)
    assert.equal((await operate('GET', '/use')).body.data.runs_today, had + 10)
    await operate('PATCH', '', { max_runs_a_day: null })
    assert.equal((await tryToTrigger(workflow)).status, 202)
  })

  it('hold runs when model calls have cost as much as they may, until more is allowed', async () => {
    await until('earlier runs have ended', 20_000, async () => {
      const rows = await app.sql`select from jobs where account_id = ${account.id}`
      return rows.length === 0
    })
    app.answer = (_request, response) => complete(response, 'done', 1_000_000, 0)
    const crew = ['a', 'b', 'c'].map((role) => ({ role, systemPrompt: 's' }))
    const workflow = await own.createWorkflow({ crew, limits: { max_cost_usd: 100 } })
    const spent = (await operate('PATCH', '', { max_cost_usd_a_day: 1_000 })).status
    assert.equal(spent, 200)
    const { cost_usd_today: sofar } = (await operate('GET', '/use')).body.data
    await operate('PATCH', '', { max_cost_usd_a_day: sofar + 2 })
    await outlastGate()
    const run = await own.trigger(workflow)
    await until('the run is held', 20_000, async () => {
      const { held } = await own.get(`/v1/runs/${run}`)
      return held?.reason === 'budget'
    })
    const { held, steps, status } = await own.get(`/v1/runs/${run}`)
    assert.match(held.next_try_at, /T00:00:00.000Z$/)
    assert.ok(Date.parse(held.since) <= Date.now() && Date.parse(held.since) > Date.now() - 60_000)
    assert.equal(status, 'running')
    assert.equal(steps.filter((step: { output: unknown }) => step.output !== null).length, 2)
    const { cost_usd_today: now } = (await operate('GET', '/use')).body.data
    assert.ok(Math.abs(now - sofar - 2) < 1e-9, `${now} after ${sofar}`)
    await operate('PATCH', '', { max_cost_usd_a_day: sofar + 100 })
    await untilStatus(run, 'completed')
  })

  it('refuse runs of an account that stores too much', async () => {
    const workflow = await own.createWorkflow()
    await operate('PATCH', '', { max_stored_bytes: 1_000 })
    await until('it is measured', 20_000, async () => {
      return (await operate('GET', '/use')).body.data.stored_bytes > 1_000
    })
    const { status, body } = await tryToTrigger(workflow)
    assert.deepEqual([status, body.error.code], [409, 'quota_reached'])
    await operate('PATCH', '', { max_stored_bytes: null })
  })

  it('on what is stored is measured more often past its half', async () => {
    const { findToMeasure } = await import('./quota-store.ts')
    // Other processes cannot measure an account whose change is not committed.
    const transaction = await app.database.startTransaction().execute()
    const isDue = async (stored: number, seconds: number) => {
      await sql`
        update accounts set max_stored_bytes = 1e12, stored_bytes = ${stored},
                            stored_bytes_at = now() - make_interval(secs => ${seconds})
        where id = ${account.id}`.execute(transaction)
      return (await findToMeasure(transaction, 1_000)) === account.id
    }
    assert.equal(await isDue(4e11, 7_000), false)
    assert.equal(await isDue(6e11, 7_000), true)
    assert.equal(await isDue(6e11, 5_000), false)
    assert.equal(await isDue(4e11, 61_000), true)
    await transaction.rollback().execute()
  })

  it('on what is stored is measured though another cannot be', async () => {
    const { findToMeasure } = await import('./quota-store.ts')
    const other = await createAccount(app.database, 'also measured')
    const transaction = await app.database.startTransaction().execute()
    await sql`
      update accounts set max_stored_bytes = 1e12, stored_bytes_at = null
      where id = any(${[account.id, other.id]})`.execute(transaction)
    const found = new Set<string | undefined>()
    for (let looks = 0; looks < 500 && found.size < 2; looks++) {
      found.add(await findToMeasure(transaction, 1_000))
    }
    assert.deepEqual(found, new Set([account.id, other.id]))
    await transaction.rollback().execute()
  })

  it('count mails of the operator, where that is less than the policy', async () => {
    const { takeMails } = await import('../engine/safety/quotas.ts')
    await operate('PATCH', '', { max_mails_a_day: 3 })
    const first = await takeMails(app.database, account.id, 2, 10)
    const second = await takeMails(app.database, account.id, 2, 10)
    assert.deepEqual(
      [first, second],
      [
        { taken: 2, limit: 3 },
        { taken: 1, limit: 3 },
      ],
    )
  })
})
