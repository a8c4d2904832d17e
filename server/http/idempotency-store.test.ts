import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { createDatabase, createPool } from '../db/client.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { claim, reopen, type IdempotentRequest } from './idempotency-store.ts'

describe('a request that failed without anybody knowing what it did', () => {
  it('runs again at once under the id of the first try, or anew with another body', async () => {
    await using testDatabase = await createTestDatabase()
    const database = createDatabase(createPool(testDatabase.url, 1))
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
    assert.deepEqual(await claim(database, first), { kind: 'run', reserved: first.reserved })
    assert.deepEqual(await claim(database, request('a')), { kind: 'in-progress' })
    await reopen(database, first)
    assert.deepEqual(await claim(database, request('a')), { kind: 'run', reserved: first.reserved })
    assert.deepEqual(await claim(database, request('a')), { kind: 'in-progress' })
    await reopen(database, first)
    const other = request('b')
    assert.deepEqual(await claim(database, other), { kind: 'run', reserved: other.reserved })
    await database.destroy()
  })
})
