import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Transaction } from '../db/client.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { onCitus } from '../db/cluster/test-citus.ts'
import {
  claimKeys,
  renewClaims,
  readOther,
  reset,
  storeAnswers,
  type IdempotentRequest,
} from './idempotency-store.ts'
import { pluck } from '../../test/pluck.ts'
import { passTime } from '../../test/pass-time.ts'

const leaseMs = 4_000

function makeRequest(body: string, more: Partial<IdempotentRequest> = {}): IdempotentRequest {
  return {
    accountId: 'acc_1',
    key: 'k',
    route: 'POST /v1/workflows',
    bodyHash: Buffer.from(body),
    reserved: randomUUID(),
    ...more,
  }
}

async function openDatabase() {
  await using stack = new AsyncDisposableStack()
  const testDatabase = stack.use(await createTestDatabase())
  const database = stack.use(testDatabase.open(2))
  for (const id of ['acc_1', 'acc_2']) {
    await database.insertInto('accounts').values({ id, name: id }).execute()
  }
  const kept = stack.move()
  return { database, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

const answer = { status: 201, answer: Buffer.from('{"name":"Zoë"}'), encrypted: false }

describe('a key', () => {
  it(
    'waits for the disk only with an answer that a repeat would not get again',
    { skip: onCitus('it returns no setting') },
    async () => {
      await using opened = await openDatabase()
      const { database } = opened
      const request = makeRequest('a')
      const commitOf = (work: (transaction: Transaction) => Promise<unknown>): Promise<unknown> =>
        database.transaction().execute(async (transaction) => {
          await work(transaction)
          const { rows } = await sql<{ commit: string }>`
          select current_setting('synchronous_commit') as commit`.execute(transaction)
          return rows[0]?.commit
        })
      assert.equal(
        await commitOf((transaction) => claimKeys(transaction, [request], leaseMs)),
        'off',
      )
      for (const [areRepeatable, commit] of [
        [true, 'off'],
        [false, 'on'],
      ] as const) {
        const store = (transaction: Transaction) =>
          storeAnswers(transaction, [{ ...request, ...answer }], areRepeatable)
        assert.equal(await commitOf(store), commit)
        assert.deepEqual(await claimKeys(database, [request], leaseMs), [undefined])
        assert.deepEqual(await readOther(database, request), { kind: 'replay', ...answer })
      }
    },
  )
})

describe('keys that are claimed together', () => {
  it('belong each to the first request with them, by account and route', async () => {
    await using opened = await openDatabase()
    const { database } = opened
    const held = makeRequest('held', { key: 'held' })
    const batch = [
      makeRequest('a'),
      makeRequest('a'),
      makeRequest('a', { accountId: 'acc_2' }),
      makeRequest('a', { route: 'POST /v1/agents' }),
      makeRequest('held', { key: 'held' }),
      makeRequest('other', { key: 'held' }),
    ]
    await claimKeys(database, [held], leaseMs)
    const [first, , second, third] = pluck(batch, 'reserved')
    const claimed = await claimKeys(database, batch, leaseMs)
    assert.deepEqual(claimed, [first, undefined, second, third, undefined, undefined])
    assert.deepEqual(
      await Promise.all(batch.map(async (one) => (await readOther(database, one)).kind)),
      ['in-progress', 'in-progress', 'in-progress', 'in-progress', 'in-progress', 'other-body'],
    )
  })

  it('get each its own answer', async () => {
    await using opened = await openDatabase()
    const { database } = opened
    const requests = [
      makeRequest('a'),
      makeRequest('b', { key: 'l' }),
      makeRequest('c', { key: 'm' }),
    ]
    await claimKeys(database, requests, leaseMs)
    const answers = requests.map(({ reserved }, number) => ({
      status: 201 + number,
      answer: number === 1 ? null : Buffer.from(reserved),
      encrypted: number === 2,
    }))
    await storeAnswers(
      database,
      requests.map((request, number) => ({ ...request, ...(answers[number] as typeof answer) })),
      true,
    )
    assert.deepEqual(
      await Promise.all(requests.map((request) => readOther(database, request))),
      answers.map((one) =>
        one.answer === null ? { kind: 'not-kept' } : { kind: 'replay', ...one },
      ),
    )
  })
})

describe('signs of life', () => {
  it('go to the requests that sent them, and wait for no row that is locked', async () => {
    await using opened = await openDatabase()
    const { database } = opened
    const [locked, alive, answered, foreign] = [
      makeRequest('a'),
      makeRequest('b', { key: 'alive' }),
      makeRequest('c', { key: 'answered' }),
      makeRequest('b', { key: 'alive', accountId: 'acc_2' }),
    ]
    await claimKeys(database, [locked, alive, answered, foreign], leaseMs)
    await storeAnswers(database, [{ ...answered, ...answer }], true)
    await passTime(database, '1 minute')
    await database.transaction().execute(async (transaction) => {
      await sql`
        select from idempotency_keys where account_id = 'acc_1' and key = 'k' for update`.execute(
        transaction,
      )
      await renewClaims(database, [locked, alive, answered])
    })
    const { rows } = await sql<{ key: string; account_id: string }>`
      select account_id, key from idempotency_keys
      where locked_at > now() - interval '30 seconds'`.execute(database)
    assert.deepEqual(rows, [{ account_id: 'acc_1', key: 'alive' }])
  })
})

describe('a request that failed without anybody knowing what it did', () => {
  it('runs again at once under the id of the first try, or anew with another body', async () => {
    await using opened = await openDatabase()
    const { database } = opened
    const claim = async (request: IdempotentRequest) =>
      (await claimKeys(database, [request], leaseMs))[0] ??
      (await readOther(database, request)).kind
    const first = makeRequest('a')
    assert.equal(await claim(first), first.reserved)
    assert.equal(await claim(makeRequest('a')), 'in-progress')
    await reset(database, first)
    assert.equal(await claim(makeRequest('a')), first.reserved)
    assert.equal(await claim(makeRequest('a')), 'in-progress')
    await reset(database, first)
    const other = makeRequest('b')
    assert.equal(await claim(other), other.reserved)

    // The key of a request whose process died is free again when its lease has expired.
    await passTime(database, '3 s')
    assert.equal(await claim(makeRequest('b')), 'in-progress')
    await passTime(database, '2 s')
    assert.equal(await claim(makeRequest('b')), other.reserved)
  })
})
