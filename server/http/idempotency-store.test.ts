import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Transaction } from '../db/client.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { onCitus } from '../db/test-citus.ts'
import { claim, reopen, storeAnswer, type IdempotentRequest } from './idempotency-store.ts'

const leaseMs = 4_000

describe('a key', () => {
  it(
    'waits for the disk only with an answer that a repeat would not get again',
    { skip: onCitus('it returns no setting') },
    async () => {
      await using testDatabase = await createTestDatabase()
      const database = testDatabase.open(1)
      const accountId = 'acc_1'
      await database.insertInto('accounts').values({ id: accountId, name: 'one' }).execute()
      const request: IdempotentRequest = {
        accountId,
        key: 'k',
        route: 'POST /v1/workflows',
        bodyHash: Buffer.from('a'),
        reserved: randomUUID(),
      }
      const answer = { status: 201, answer: Buffer.from('{}'), encrypted: false }
      const commitOf = (work: (transaction: Transaction) => Promise<unknown>): Promise<unknown> =>
        database.transaction().execute(async (transaction) => {
          await work(transaction)
          const { rows } = await sql<{ commit: string }>`
          select current_setting('synchronous_commit') as commit`.execute(transaction)
          return rows[0]?.commit
        })
      assert.equal(await commitOf((transaction) => claim(transaction, request, leaseMs)), 'off')
      for (const [isRepeatable, commit] of [
        [true, 'off'],
        [false, 'on'],
      ] as const) {
        const store = (transaction: Transaction) =>
          storeAnswer(transaction, request, answer, isRepeatable)
        assert.equal(await commitOf(store), commit)
        assert.deepEqual(await claim(database, request, leaseMs), { kind: 'replay', ...answer })
      }
      await database.destroy()
    },
  )
})

describe('a request that failed without anybody knowing what it did', () => {
  it('runs again at once under the id of the first try, or anew with another body', async () => {
    await using testDatabase = await createTestDatabase()
    await using database = testDatabase.open(1)
    const accountId = 'acc_1'
    await database.insertInto('accounts').values({ id: accountId, name: 'one' }).execute()
    const request = (body: string): IdempotentRequest => ({
      accountId,
      key: 'k',
      route: 'POST /v1/workflows',
      bodyHash: Buffer.from(body),
      reserved: randomUUID(),
    })
    const first = request('a')
    assert.deepEqual(await claim(database, first, leaseMs), {
      kind: 'run',
      reserved: first.reserved,
    })
    assert.deepEqual(await claim(database, request('a'), leaseMs), { kind: 'in-progress' })
    await reopen(database, first)
    assert.deepEqual(await claim(database, request('a'), leaseMs), {
      kind: 'run',
      reserved: first.reserved,
    })
    assert.deepEqual(await claim(database, request('a'), leaseMs), { kind: 'in-progress' })
    await reopen(database, first)
    const other = request('b')
    assert.deepEqual(await claim(database, other, leaseMs), {
      kind: 'run',
      reserved: other.reserved,
    })

    // One whose process died is free as soon as its lease is over.
    await sql`update idempotency_keys set locked_at = now() - interval '3 seconds'`.execute(
      database,
    )
    assert.deepEqual(await claim(database, request('b'), leaseMs), { kind: 'in-progress' })
    await sql`update idempotency_keys set locked_at = now() - interval '5 seconds'`.execute(
      database,
    )
    const again = await claim(database, request('b'), leaseMs)
    assert.deepEqual(again, { kind: 'run', reserved: other.reserved })
  })
})
