import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, createPool, openNodePools, type Database } from '../client.ts'
import { allAccounts, asTime, run } from '../run.ts'
import { inTurn } from './scatter.ts'
import { ShardMap } from './shard-map.ts'
import { loseNode, noCitus } from './test-citus.ts'
import { createTestDatabase } from '../test-database.ts'
import { pluck } from '../../../test/pluck.ts'

const count = sql<{ account: string; count: number; since: Date }>`
  select account_id as account, count(*)::int as count, min(ready_at) as since
  from jobs group by account_id`

it('a read of all accounts goes on without the node that is away', { skip: noCitus }, async () => {
  await using stage = await openDatabase()
  const { database } = stage
  const accounts = Array.from({ length: 20 }, (_, number) => `acc_${number}`)
  for (const account of accounts) {
    await sql`insert into accounts (id, name) values (${account}, 'n')`.execute(database)
    await sql`insert into jobs (account_id, run_id) values (${account}, 'run')`.execute(database)
  }
  assert.equal((await run(database, allAccounts, count)).length, accounts.length)

  const lost = await loseNode(stage.url)
  await assert.rejects(count.execute(database), { code: '08006' })
  const rows = await run(database, allAccounts, count, { since: asTime })
  assert.deepEqual(new Set(pluck(rows, 'account')), new Set(accounts).difference(lost.accounts))
  assert.ok(rows.every(({ count: jobs, since }) => jobs === 1 && since instanceof Date))

  await lost.find()
  assert.equal((await run(database, allAccounts, count)).length, accounts.length)
})

it('a read that is wrong fails', { skip: noCitus }, async () => {
  await using stage = await openDatabase()
  const { database } = stage
  await assert.rejects(run(database, allAccounts, sql`select nothing from jobs`), { code: '42703' })
})

it('work in turn fails where it failed for one account and nothing was done for another', async () => {
  const away = new Error('away')
  const work = (done: number) => async (account: string) => {
    if (account === 'b') throw away
    return done
  }
  assert.equal(await inTurn(['a', 'b', 'c'], work(1)), 2)
  await assert.rejects(inTurn(['a', 'b', 'c'], work(0)), away)
})

async function openDatabase(): Promise<AsyncDisposable & { database: Database; url: string }> {
  const testDatabase = await createTestDatabase()
  const { url } = testDatabase
  const shards = new ShardMap(createDatabase(createPool(url, 1)))
  const nodes = openNodePools(url, 2)
  const database = createDatabase(createPool(url, 4), { shards, nodes })
  return {
    database,
    url,
    async [Symbol.asyncDispose]() {
      await database.destroy()
      await nodes[Symbol.asyncDispose]()
      await shards[Symbol.asyncDispose]()
      await testDatabase[Symbol.asyncDispose]()
    },
  }
}
