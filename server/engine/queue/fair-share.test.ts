import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import { createPlainDatabase, type TestDatabase } from '../../db/test-database.ts'
import { explain } from '../../db/test-plans.ts'
import { shareOut, sharesOfShard, takeJobs, takeShares } from './fair-share.ts'
import { pluck } from '../../../test/pluck.ts'

let testDatabase: TestDatabase

before(async () => {
  testDatabase = await createPlainDatabase()
  const database = testDatabase.open(1)
  // An account of 100,000 jobs, some of them in progress, and one of a single job.
  await sql`
    insert into jobs (account_id, run_id, worker, lease_until, ready_at)
    select case when n > 100000 then 'z' else 'crowd' end, 'run_' || n,
           case when n <= 100 then 'w' end, case when n <= 100 then now() end,
           now() - interval '1 hour' + n * interval '1 ms'
    from generate_series(1, 100001) as n`.execute(database)
  await sql`analyze jobs`.execute(database)
  await database.destroy()
})
after(() => testDatabase[Symbol.asyncDispose]())

describe('taking ready jobs, with 100,000 of one account', () => {
  const of = (perAccount: number) => ({
    worker: 'w',
    leaseMs: 1,
    count: 128,
    perAccount,
    after: '',
  })
  const takes: Record<string, (database: Database, perAccount: number) => Promise<unknown>> = {
    'where the database is one': (database, perAccount) => takeJobs(database, of(perAccount)),
    'in the look into a shard': (database, perAccount) =>
      sharesOfShard(of(perAccount)).execute(database),
    'in a shard': (database, perAccount) =>
      takeShares(database, of(perAccount), [{ accountId: 'crowd', count: 100 }]),
  }
  for (const [where, take] of Object.entries(takes)) {
    for (const perAccount of [100, 120]) {
      it(`reads few of them ${where}, ${perAccount === 100 ? 'at' : 'below'} the limit of the account`, async () => {
        const plan = await explain(testDatabase.url, (database) => take(database, perAccount))
        assert.match(plan, /jobs_ready/)
        assert.doesNotMatch(plan, /Seq Scan on jobs/, plan)
        for (const [, rows] of plan.matchAll(/on jobs.*actual time=\S+ rows=(\d+)/g)) {
          assert.ok(Number(rows) <= 128, plan)
        }
      })
    }
  }
})

const turnsOf = (...args: Parameters<typeof shareOut>) => pluck(shareOut(...args), 'accountId')

describe('turns of accounts', () => {
  it('go to those with the least in progress', () => {
    const shares = [
      { accountId: 'large', active: 2, ready: 1_000 },
      { accountId: 'small', active: 0, ready: 3 },
    ]
    assert.deepEqual(turnsOf(shares, 5, 10), ['small', 'small', 'large', 'small', 'large'])
  })

  it('are no more than an account may have, has ready, or are wanted', () => {
    assert.deepEqual(turnsOf([{ accountId: 'a', active: 3, ready: 9 }], 5, 4), ['a'])
    assert.deepEqual(turnsOf([{ accountId: 'a', active: 0, ready: 1 }], 5, 4), ['a'])
    assert.deepEqual(turnsOf([{ accountId: 'a', active: 0, ready: 9 }], 2, 4), ['a', 'a'])
    assert.deepEqual(turnsOf([{ accountId: 'a', active: 5, ready: 9 }], 5, 4), [])
  })
})
