import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, createPool, openNodes, type Database } from './client.ts'
import { inTurn, lookOver } from './look-over.ts'
import { Spread } from './spread.ts'
import { noCitus } from './test-citus.ts'
import { createTestDatabase } from './test-database.ts'

const count = sql<{ account: string; count: number; since: Date }>`
  select account_id as account, count(*)::int as count, min(ready_at) as since
  from jobs group by account_id`

it('a look goes on without the node that is away', { skip: noCitus }, async () => {
  await using stage = await openDatabase()
  const { database } = stage
  const accounts = Array.from({ length: 20 }, (_, number) => `acc_${number}`)
  for (const account of accounts) {
    await sql`insert into accounts (id, name) values (${account}, 'n')`.execute(database)
    await sql`insert into jobs (account_id, run_id) values (${account}, 'run')`.execute(database)
  }
  assert.equal((await lookOver(database, count)).length, accounts.length)

  const [lost, port] = await loseNode(database)
  const isLost = (account: string): boolean => lost.includes(account)
  assert.ok(accounts.some(isLost) && !accounts.every(isLost))
  await assert.rejects(count.execute(database), { code: '08006' })
  const rows = await lookOver(database, count, ['since'])
  assert.deepEqual(
    new Set(rows.map(({ account }) => account)),
    new Set(accounts.filter((account) => !isLost(account))),
  )
  assert.ok(rows.every(({ count: jobs, since }) => jobs === 1 && since instanceof Date))

  await movePort(database, 1, port)
  assert.equal((await lookOver(database, count)).length, accounts.length)
})

it('a look that is wrong fails', { skip: noCitus }, async () => {
  await using stage = await openDatabase()
  const { database } = stage
  await assert.rejects(lookOver(database, sql`select nothing from jobs`), { code: '42703' })
})

it('work in turn fails where it failed for one account and nothing was done for another', async () => {
  const away = new Error('away')
  const work =
    (done: number) =>
    async ([account]: [string]) => {
      if (account === 'b') throw away
      return done
    }
  assert.equal(await inTurn(['a', 'b', 'c'], work(1)), 2)
  await assert.rejects(inTurn(['a', 'b', 'c'], work(0)), away)
})

async function openDatabase(): Promise<AsyncDisposable & { database: Database }> {
  const testDatabase = await createTestDatabase()
  const { url } = testDatabase
  const spread = new Spread(createDatabase(createPool(url, 1)))
  const nodes = openNodes(url, 2)
  const database = createDatabase(createPool(url, 4), { spread, nodes })
  return {
    database,
    async [Symbol.asyncDispose]() {
      await database.destroy()
      await nodes[Symbol.asyncDispose]()
      await spread[Symbol.asyncDispose]()
      await testDatabase[Symbol.asyncDispose]()
    },
  }
}

/** The coordinator looks for a node where nobody listens. Returns the accounts that it has, and its port. */
async function loseNode(database: Database): Promise<[accounts: string[], port: number]> {
  const { rows } = await sql<{ port: number }>`
    select nodeport as port from pg_dist_node where groupid > 0 order by nodeid limit 1`.execute(
    database,
  )
  const port = rows[0]?.port ?? 0
  const lost = await sql<{ id: string }>`
    select id from accounts join pg_dist_shard_placement
      on shardid = get_shard_id_for_distribution_column('jobs', id)
    where nodeport = ${port}`.execute(database)
  await movePort(database, port, 1)
  return [lost.rows.map(({ id }) => id), port]
}

async function movePort(database: Database, from: number, to: number): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`set local allow_system_table_mods = on`.execute(transaction)
    await sql`update pg_dist_node set nodeport = ${to} where nodeport = ${from}`.execute(
      transaction,
    )
  })
}
