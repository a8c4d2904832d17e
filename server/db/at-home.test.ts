import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { atHome, doAtHome } from './at-home.ts'
import type { Database } from './client.ts'
import { noCitus } from './test-citus.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

describe('a statement where an account is at home', { skip: noCitus }, () => {
  const account = 'acc_home'
  let testDatabase: TestDatabase
  let database: Database

  before(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open(2)
    await sql`insert into accounts (id, name) values (${account}, 'n')`.execute(database)
  })
  after(async () => {
    await database.destroy()
    await testDatabase[Symbol.asyncDispose]()
  })

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

  it('runs whole, answers rows with their times, and takes any text as a parameter', async () => {
    const names = [`a'b`, 'c\\d"e', 'f,g{h}', null]
    const rows = await atHome(database, account, insertJobs(names), ['ready_at'])
    assert.deepEqual(
      rows.map(({ run_id }) => run_id),
      [`a'b`, 'c\\d"e', 'f,g{h}'],
    )
    assert.ok(rows.every(({ ready_at }) => ready_at instanceof Date))
    assert.equal(await countJobs(), 3)
    assert.deepEqual(await atHome(database, account, insertJobs(names)), [])
  })

  it('is done and undone with the transaction around it', async () => {
    const stop = new Error('stop')
    const count = await countJobs()
    // Twice: a connection that has prepared a text in a transaction that failed prepares it again.
    for (let time = 0; time < 2; time++) {
      await assert.rejects(
        database.transaction().execute(async (transaction) => {
          await doAtHome(
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
    await assert.rejects(doAtHome(database, account, query), { code: '23502' })
  })
})
