import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql, type RawBuilder } from 'kysely'
import { asTime, execute, openBatcher, run, runEach } from '../run.ts'
import { notInOneShard } from './run-on-shard.ts'
import { createDatabase, createPool, openNodePools, type Database } from '../client.ts'
import { ShardMap, type NodePools } from './shard-map.ts'
import { noCitus } from './test-citus.ts'
import { createTestDatabase, type TestDatabase } from '../test-database.ts'
import { pluck } from '../../../test/pluck.ts'

describe('a statement in the shard of an account', { skip: noCitus }, () => {
  const account = 'acc_home'
  let testDatabase: TestDatabase
  let coordinator: Database
  let shards: ShardMap
  let nodes: NodePools
  let database: Database
  /** An account in the same shard as `account`, and one in another shard. */
  let near: string
  let far: string

  before(async () => {
    testDatabase = await createTestDatabase()
    const { url } = testDatabase
    shards = new ShardMap(createDatabase(createPool(url, 1)))
    nodes = openNodePools(url, 2)
    coordinator = createDatabase(createPool(url, 2), { shards })
    database = createDatabase(createPool(url, 2), { shards, nodes })
    const { rows } = await sql<{ id: string; is_near: boolean }>`
      select id, ${shardOf(sql`id`)} = ${shardOf(sql`${account}`)} as is_near
      from (select 'acc_' || number as id from generate_series(1, 500) as number) as many`.execute(
      database,
    )
    near = rows.find(({ is_near }) => is_near)?.id ?? ''
    far = rows.find(({ is_near }) => !is_near)?.id ?? ''
    await know([account, near, far])
  })
  after(async () => {
    await database.destroy()
    await coordinator.destroy()
    await nodes[Symbol.asyncDispose]()
    await shards[Symbol.asyncDispose]()
    await testDatabase[Symbol.asyncDispose]()
  })

  const shardOf = (id: RawBuilder<unknown>) =>
    sql`get_shard_id_for_distribution_column('muster.runs', ${id}::text)`
  const know = (accounts: string[]) => Promise.all(accounts.map((one) => shards.learn(one)))
  const insertJobs = (runIds: (string | null)[]) => sql<{ run_id: string; ready_at: Date }>`
    with made as (
      insert into jobs (account_id, run_id)
      select ${account}, id from unnest(${runIds}::text[]) as wanted (id)
      where id is not null and not exists (select from jobs where jobs.run_id = id)
      returning *
    )
    select run_id, ready_at from made order by run_id`
  const countJobs = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from jobs where account_id = ${account}`.execute(database)
    return rows[0]?.count ?? 0
  }
  const toItems = (accounts: string[]) => accounts.map((accountId) => ({ accountId }))
  const where = sql<{ port: number }>`select inet_server_port() as port`

  it('runs whole, answers rows with their times, and takes any text as a parameter', async () => {
    const names = [`a'b`, 'c\\d"e', 'f,g{h}', null]
    const rows = await run(database, account, insertJobs(names), { ready_at: asTime })
    assert.deepEqual(pluck(rows, 'run_id'), [`a'b`, 'c\\d"e', 'f,g{h}'])
    assert.ok(rows.every(({ ready_at }) => ready_at instanceof Date))
    assert.equal(await countJobs(), 3)
    assert.deepEqual(await run(database, account, insertJobs(names)), [])
  })

  it('is done and undone with the transaction around it', async () => {
    const stop = new Error('stop')
    const count = await countJobs()
    // Executed twice, so that a connection whose transaction failed prepares the text again.
    for (let time = 0; time < 2; time++) {
      await assert.rejects(
        database.transaction().execute(async (transaction) => {
          await execute(
            transaction,
            account,
            sql`insert into jobs (account_id, run_id) values (${account}, 'undone')`,
          )
          throw stop
        }),
        stop,
      )
    }
    assert.equal(await countJobs(), count)
  })

  it('fails with the code of its failure', async () => {
    const query = sql`insert into jobs (account_id, run_id) values (${account}, null)`
    await assert.rejects(execute(database, account, query), { code: '23502' })
    await assert.rejects(execute(coordinator, account, query), { code: '23502' })
  })

  it('goes to the node itself where the pool may, through the coordinator else, to the same one', async () => {
    const [direct] = await run(database, account, where)
    assert.deepEqual(await run(coordinator, account, where), [direct])
    assert.notEqual(String(direct?.port), new URL(testDatabase.url).port)
    const node = shards.nodeOf(account)
    assert.ok(node)
    nodes.avoid(node)
    assert.equal(nodes.at(node), undefined)
    assert.deepEqual(await run(database, account, where), [direct])
  })

  it('may be of all accounts of a shard, and of no other', async () => {
    const insert = sql`
      insert into jobs (account_id, run_id)
      select id, 'together' from unnest(${[account, near]}::text[]) as wanted (id)`
    await execute(database, toItems([account, near]), insert)
    const { rows } = await sql`select account_id from jobs where run_id = 'together'`.execute(
      database,
    )
    assert.equal(rows.length, 2)
    for (const one of [database, coordinator]) {
      await assert.rejects(execute(one, toItems([account, near, far]), where), {
        code: notInOneShard,
      })
      await know([account, near, far])
    }
  })

  it('gathers by shard, and each account by itself when they no longer lie together', async () => {
    const flushed: string[][] = []
    const gathered = openBatcher<{ accountId: string }, string>(database, async (items) => {
      const accounts = pluck(items, 'accountId')
      flushed.push(accounts)
      const isSplit = flushed.length === 1 && accounts.length > 1
      const [first = '', ...others] = isSplit ? [...accounts, far] : accounts
      await run(database, toItems([first, ...others]), where)
      return accounts
    })
    const asked = [account, far, near]
    const add = () => Promise.all(asked.map((accountId) => gathered.add({ accountId })))
    assert.deepEqual(await add(), asked)
    assert.deepEqual(sorted(flushed), sorted([[account], [account, near], [far], [near]]))
    // The shards were forgotten above and are looked up again.
    await know(asked)
    flushed.length = 0
    const batch = asked.map((accountId) => ({ accountId }))
    await runEach(database, batch, async (part) => {
      flushed.push(pluck(part, 'accountId'))
      return part
    })
    assert.deepEqual(sorted(flushed), sorted([[account, near], [far]]))
  })

  const sorted = (flushes: string[][]) => flushes.map((accounts) => accounts.join(' ')).sort()
})
