import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql, type RawBuilder } from 'kysely'
import { until } from '../../rig/until.ts'
import { pluck } from '../../test/pluck.ts'
import type { Database } from './client.ts'
import { noCitus } from './cluster/test-citus.ts'
import { createStandIn } from './cluster/test-stand-in.ts'
import {
  preventDeletion,
  lockRow,
  notice,
  ownNumber,
  poolName,
  quickCommit,
  withNotices,
} from './fragments.ts'
import { Notices } from './notices.ts'
import {
  allAccounts,
  aroundParts,
  asBytes,
  asTime,
  eachAccount,
  eachPart,
  execute,
  fanOut,
  inScope,
  oneOrEach,
  openBatcher,
  run,
  runEach,
} from './run.ts'
import { statement, type Given } from './statement.ts'
import { createPlainDatabase, createTestDatabase, type TestDatabase } from './test-database.ts'

/** What `run` and its like promise, the same on one PostgreSQL and on a cluster. */
const suites: [string, () => Promise<TestDatabase>, string | false][] = [
  ['one PostgreSQL', createPlainDatabase, false],
  ['a stand-in for a cluster', createStandIn, false],
  ['a Citus cluster', createTestDatabase, noCitus],
]

for (const [name, create, skip] of suites) {
  describe(`a statement on ${name}`, { skip }, () => {
    const accounts = Array.from({ length: 12 }, (_, number) => `acc_${number}`)
    const [first = '', second = '', third = ''] = accounts
    const items = accounts.map((accountId) => ({ accountId }))
    let testDatabase: TestDatabase
    let database: Database

    before(async () => {
      testDatabase = await create()
      database = testDatabase.open(3)
      for (const id of accounts) {
        await sql`insert into accounts (id, name) values (${id}, 'n')`.execute(database)
      }
    })
    after(async () => {
      await database.destroy()
      await testDatabase[Symbol.asyncDispose]()
    })

    /** Inserts jobs in a CTE and returns them. */
    const insertJobs = (accountId: string, runIds: (string | null)[]) => sql<{
      run_id: string
      ready_at: Date
    }>`
      with made as (
        insert into jobs (account_id, run_id)
        select ${accountId}, id from unnest(${runIds}::text[]) as wanted (id)
        where id is not null and not exists (
          select from jobs where jobs.account_id = ${accountId} and jobs.run_id = id)
        returning *
      )
      select run_id, ready_at from made order by run_id`
    const jobsOf = async (accountId: string): Promise<string[]> => {
      const { rows } = await sql<{ run_id: string }>`
        select run_id from jobs where account_id = ${accountId} order by run_id`.execute(database)
      return pluck(rows, 'run_id')
    }

    it('returns its rows, times and bytes as such, for any text that it is given', async () => {
      const names = [`a'b`, 'c\\d"e', 'f,g{h}', null]
      const rows = await run(database, first, insertJobs(first, names), { ready_at: asTime })
      assert.deepEqual(pluck(rows, 'run_id'), [`a'b`, 'c\\d"e', 'f,g{h}'])
      assert.ok(rows.every(({ ready_at }) => ready_at instanceof Date))
      assert.deepEqual(await run(database, first, insertJobs(first, names)), [])
      const bytes = sql<{ hash: Buffer }>`
        insert into api_keys (account_id, id, name, role, prefix, hash)
        select ${first}, 'key', 'n', 'admin', 'p', ${Buffer.from([0, 255])} returning hash`
      if (name !== 'a Citus cluster') {
        const [row] = await run(database, first, bytes, { hash: asBytes })
        assert.deepEqual(row?.hash, Buffer.from([0, 255]))
      }
    })

    it('is done and undone with the transaction around it', async () => {
      const stop = new Error('stop')
      // Executed twice, so that a connection whose transaction failed prepares the text again.
      for (let time = 0; time < 2; time++) {
        await assert.rejects(
          database.transaction().execute(async (transaction) => {
            const query = sql`insert into jobs (account_id, run_id) values (${second}, 'undone')`
            await execute(transaction, second, query)
            throw stop
          }),
          stop,
        )
      }
      assert.deepEqual(await jobsOf(second), [])
    })

    it('fails with the code of its failure', async () => {
      const query = sql`insert into jobs (account_id, run_id) values (${first}, null)`
      await assert.rejects(execute(database, first, query), { code: '23502' })
    })

    it('is composed once for a shape, with values of its own each time', async () => {
      const doubling = statement(
        ({ word }: Given<{ word: string }>, { isDouble }: { isDouble: boolean }) => sql<{
          word: string
        }>`
          select ${word}::text ${isDouble ? sql`|| ${word}::text` : sql``} as word`,
      )
      const words: string[] = []
      for (const [word, isDouble] of [
        ['a', true],
        ['b', false],
        ['c', true],
      ] as const) {
        words.push(...pluck(await run(database, first, doubling({ word }, { isDouble })), 'word'))
      }
      assert.deepEqual(words, ['aa', 'b', 'cc'])
    })

    it('of a batch is one for each part, and of a batcher as well', async () => {
      const insert = (part: { accountId: string }[]) =>
        run(
          database,
          part,
          sql<{ account: string }>`
            insert into jobs (account_id, run_id)
            select id, 'batch' from unnest(${pluck(part, 'accountId')}::text[]) as wanted (id)
            returning account_id as account`,
        )
      const rows = await runEach(database, items, insert)
      assert.deepEqual(pluck(rows, 'account').sort(), [...accounts].sort())
      const read = async (part: { accountId: string }[]) => {
        const query = sql<{ account: string; count: number }>`
          select account_id as account, count(*)::int as count from jobs
          where account_id = any(${pluck(part, 'accountId')}) and run_id = 'batch' group by 1`
        const counts = new Map(
          (await run(database, part, query)).map((row) => [row.account, row.count]),
        )
        return part.map(({ accountId }) => counts.get(accountId))
      }
      const batcher = openBatcher(database, read)
      const counts = await Promise.all(items.map((item) => batcher.add(item)))
      assert.deepEqual(
        counts,
        items.map(() => 1),
      )
    })

    it('reads and sweeps over all accounts', async () => {
      const counting = sql<{ account: string; count: number }>`
        select account_id as account, count(*)::int as count from jobs where run_id = 'batch'
        group by account_id`
      for (const rows of [
        await run(database, allAccounts, counting),
        await fanOut(database, counting),
      ]) {
        assert.deepEqual(pluck(rows, 'account').sort(), [...accounts].sort())
      }
      const batch = sql`jobs where run_id = 'batch'`
      const begin = (scope: Parameters<typeof inScope>[1]) => sql`
        update jobs set begun = true where run_id = 'batch' and not begun${inScope('jobs', scope)}`
      const begun = await eachAccount(database, batch, async (scope) => {
        const { numAffectedRows } = await begin(scope).execute(database)
        return Number(numAffectedRows)
      })
      assert.equal(begun, accounts.length)
      const remove = sql`
        delete from jobs where ctid = any(array(select ctid from jobs where run_id = 'batch' for update skip locked))
        returning 1 as one`
      const removed = await database
        .transaction()
        .execute((transaction) =>
          eachPart(
            database,
            batch,
            async (scope, connection) => (await run(connection, scope, remove)).length,
            { within: transaction },
          ),
        )
      assert.equal(removed, accounts.length)
    })

    it('around its parts leaves them connections, however many there are at once', async () => {
      const batch = sql`jobs where run_id = 'batch'`
      const all = Array.from({ length: 6 }, () =>
        aroundParts(database, async (transaction) => {
          await sql`select 1`.execute(transaction)
          const read = async (scope: Parameters<typeof inScope>[1], on: Database) =>
            (await run(on, scope, sql`select 1 as one`)).length
          return eachPart(database, batch, read, { within: transaction })
        }),
      )
      await Promise.all(all)
    })

    it('sends notices when it has committed, some only of accounts that are watched', async () => {
      await using notices = new Notices(testDatabase.url, { retryMs: 10 })
      const heard: string[] = []
      notices.on(
        'muster_test_all',
        (payload) => payload !== undefined && heard.push(`all ${payload}`),
      )
      notices.on('muster_test_some', (payload) => payload !== undefined && heard.push(payload))
      await until('the process listens', 10_000, () => notices.isListening)
      await sql`insert into account_watches (account_id, until) values (${first}, now() + interval '1 hour')`.execute(
        database,
      )
      const wake = (accountId: string, isDue: boolean): RawBuilder<{ one: number }> => sql`
        with made as (
          insert into jobs (account_id, run_id, begun) values (${accountId}, ${`${isDue}`}, ${isDue})
          returning ${notice({ channel: 'muster_test_all', when: sql`begun` })}
        ), seen as (
          insert into events (account_id, run_id, sequence, id, type, data)
          select ${accountId}, 'noticed', 1, ${`${isDue}`}, 'x', '{}' from made
          on conflict do nothing
          returning ${notice({
            channel: 'muster_test_some',
            payload: sql`events.account_id`,
            watched: sql.ref('events.account_id'),
          })}
        )
        ${withNotices(sql<{ one: number }>`select 1 as one from made`, 'made', 'seen')}`
      assert.deepEqual(await run(database, second, wake(second, true)), [{ one: 1 }])
      assert.deepEqual(await run(database, first, wake(first, false)), [{ one: 1 }])
      await until('the notices arrive', 10_000, () => heard.length === 2)
      await execute(database, third, wake(third, true))
      await until('the notice arrives', 10_000, () => heard.length === 3)
      const [pool] = (await sql<{ name: string }>`select ${poolName} as name`.execute(database))
        .rows
      assert.deepEqual(heard.sort(), [first, `all ${pool?.name}`, `all ${pool?.name}`].sort())
    })

    it('locks a row of a table that every node has', async () => {
      const query = sql<{ name: string }>`select name from accounts where id = ${first}`
      const gate = Promise.withResolvers<void>()
      const order: string[] = []
      const holder = database.transaction().execute(async (transaction) => {
        assert.deepEqual(await lockRow(transaction, first, query), { name: 'n' })
        order.push('locked')
        gate.resolve()
        await sql`select pg_sleep(0.05)`.execute(transaction)
        order.push('released')
      })
      await gate.promise
      await database.transaction().execute(async (transaction) => {
        await lockRow(transaction, first, query)
        order.push('locked again')
        await sql`
          select role from memberships where user_id = 'none' ${preventDeletion('memberships')}`.execute(
          transaction,
        )
      })
      await holder
      assert.deepEqual(order, ['locked', 'released', 'locked again'])
    })

    it('numbers rows, and may commit without the disk', async () => {
      const number = ownNumber('id', 'muster.usage_deltas_id_seq')
      const query = sql<{ id: number }>`
        insert into usage_deltas (${number.column}account_id, day, workflow_id, completed, failed, cancelled,
                                  steps, tokens_in, tokens_out, cost_usd)
        select ${number.value}${first}, '2026-01-01', 'wf', 0, 0, 0, 0, 0, 0, 0
        returning id, ${quickCommit} as quick`
      const ids = [
        ...(await run(database, first, query)),
        ...(await run(database, first, query)),
      ].map(({ id }) => id)
      assert.notEqual(ids[0], ids[1])
    })

    it('has two ways of which one is taken', async () => {
      const way = await oneOrEach(database, {
        inOne: async () => 'one',
        inEach: async () => 'each',
      })
      assert.equal(way, name === 'one PostgreSQL' ? 'one' : 'each')
    })
  })
}
