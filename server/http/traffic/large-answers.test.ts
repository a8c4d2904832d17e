import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'
import { createAccount } from '../../accounts/create-account.ts'
import { LargeAnswers } from './large-answers.ts'
import { RateLimiter } from '../../rate-limiter.ts'
import { testLimits } from '../../start/test-limits.ts'

const limited = (connections: number): LargeAnswers =>
  new LargeAnswers(testLimits({ MUSTER_DATABASE_READ_CONNECTIONS: `${connections}` }))

/** An account with lists of megabytes; `stranger` is the key of an account without data. */
let app: TestApp
let stranger: string
const agents = 600

before(async () => {
  const env = { MUSTER_ACCOUNT_RATE_MB: '60', MUSTER_ACCOUNT_RATE_LIMIT: '100' }
  app = await startTestApp({ role: 'api', env })
  stranger = (await createAccount(app.database, 'stranger')).adminKey
  await app.sql`
    insert into agents (account_id, id, name, category, role, system_prompt, connectors,
                        capabilities, status, memory_enabled)
    select id, 'agt_' || lpad(number::text, 26, '0'), 'n', 'c', 'r', repeat('ü', 5000), '{}', '{}',
           'active', true
    from accounts, generate_series(1, ${agents}) as number
    where name = 'default'`
})
after(() => app[Symbol.asyncDispose]())

describe('a large list', () => {
  it('is whole, and reads as a small one', async () => {
    const { body, headers } = await app.call('GET', '/v1/agents')
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(body.data.length, agents)
    assert.deepEqual(body.data[1], await app.get(`/v1/agents/${body.data[1].id}`))
    assert.deepEqual((await app.call('GET', '/v1/agents', { key: stranger })).body, { data: [] })
    const page = await app.call('GET', '/v1/agents?limit=2')
    assert.deepEqual(page.body.data, body.data.slice(0, 2))
    assert.match(page.headers.get('link') ?? '', /rel="next"/)
  })

  it('is refused to an account that had its bytes of the minute; small answers are not', async () => {
    const paths = ['/v1/agents', '/v1/runs', '/v1/runs/run_00000000000000000000000000']
    for (let count = 0; ; count++) {
      assert.ok(count < 12)
      const answers = await Promise.all(paths.map((path) => app.call('GET', path)))
      const [{ body, headers }] = answers as [(typeof answers)[0]]
      // On a busy machine the requests may fall into two minutes of the limit; then try again.
      if (!answers.every(({ status }) => status === 429)) continue
      assert.equal(body.error.code, 'rate_limited')
      assert.match(
        body.error.message,
        /^Cannot list agents: .*more than 60000000 bytes in a minute/,
      )
      assert.ok(Number(headers.get('retry-after')) >= 1)
      const beganAt = performance.now()
      if ((await app.call('GET', '/v1/runs')).status !== 429) continue
      assert.ok(performance.now() - beganAt > 950, 'who goes on waits for the refusal')
      break
    }
    const id = `agt_${'1'.padStart(26, '0')}`
    assert.equal((await app.call('GET', `/v1/agents/${id}`)).status, 200)
    assert.equal((await app.call('GET', '/v1/agents', { key: stranger })).status, 200)
  })
})

it('the requests of all keys of an account count together', async () => {
  const keys = await Promise.all(
    Array.from({ length: 5 }, async (_, number) => {
      const body = { name: `k${number}`, role: 'viewer' }
      return (await app.post('/v1/api-keys', body, stranger)).key
    }),
  )
  const statuses = await Promise.all(
    Array.from({ length: 300 }, async (_, number) => {
      const key = keys[number % keys.length]
      return (await app.call('GET', '/v1/account', { key })).status
    }),
  )
  assert.ok(statuses.every((status) => status === 200 || status === 429))
  assert.ok(statuses.filter((status) => status === 429).length >= 50)
  assert.equal((await app.call('GET', '/v1/account')).status, 200)
})

it('an account waits while its clients have much to read, and others do not', async () => {
  const large = limited(5)
  const askOf = (accountId: string) => ({ ctx: { accountId }, routeOptions: { config: {} } })
  const raw = new EventEmitter()
  large.count('a', { raw } as never, Buffer.alloc(17 * 1024 * 1024))
  const made: string[] = []
  const make = (accountId: string) =>
    large.make(askOf(accountId) as never, async () => made.push(accountId))
  const waiting = make('a')
  await make('b')
  assert.deepEqual(made, ['b'])
  raw.emit('close')
  await waiting
  assert.deepEqual(made, ['b', 'a'])
})

it('who waited beside many is refused when those before had the bytes of the minute', async () => {
  const large = new LargeAnswers({
    ...testLimits({ MUSTER_DATABASE_READ_CONNECTIONS: '2' }),
    answerBytes: new RateLimiter(600, 100),
  })
  const ask = { ctx: { accountId: 'a' }, routeOptions: { config: {} } }
  const answers = Array.from({ length: 10 }, async () => {
    await large.make(ask as never, async () => {})
    large.count('a', { raw: new EventEmitter() } as never, Buffer.alloc(150))
  })
  const [first, ...others] = await Promise.allSettled(answers)
  assert.equal(first?.status, 'fulfilled')
  for (const other of others) {
    assert.match(String(other.status === 'rejected' && other.reason), /more than 600 bytes/)
  }
})

it('leaves one connection of the pool for reads to what is small', async () => {
  for (const [connections, expected] of [
    [2, 1],
    [4, 3],
    [20, 19],
  ] as const) {
    const large = limited(connections)
    let begun = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    const all = Array.from({ length: 30 }, (_, number) =>
      large.make({ ctx: { accountId: `${number}` }, routeOptions: { config: {} } } as never, () => {
        begun++
        return promise
      }),
    )
    // Calls that have a slot begin within the next turns.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    assert.equal(begun, expected, `of ${connections} connections`)
    resolve()
    await Promise.all(all)
  }
})
