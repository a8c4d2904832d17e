import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { createTestDatabase } from '../db/test-database.ts'
import { claim, reopen, type IdempotentRequest } from './idempotency-store.ts'

const leaseMs = 4_000

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
