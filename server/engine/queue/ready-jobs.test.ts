import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, createPool } from '../../db/client.ts'
import { createTestDatabase, type TestDatabase } from '../../db/test-database.ts'
import { explain } from '../../db/test-plans.ts'
import { takeReadyJobs } from './ready-jobs.ts'

let testDatabase: TestDatabase

before(async () => {
  testDatabase = await createTestDatabase()
  const database = createDatabase(createPool(testDatabase.url, 1))
  // The groups of 100,000 jobs, of one, and of one that is at work already.
  await sql`
    insert into pgboss.job_common (name, data, group_id, state, start_after, started_on)
    select 'run', '{"key": "k", "generation": 0}', case when n > 100000 then 'z' else 'crowd' end,
           (case when n <= 100 then 'active' else 'created' end)::pgboss.job_state,
           now() - interval '1 hour' + n * interval '1 ms', null
    from generate_series(1, 100001) as n`.execute(database)
  await sql`analyze pgboss.job_common`.execute(database)
  await database.destroy()
})
after(() => testDatabase[Symbol.asyncDispose]())

describe('taking ready jobs, with 100,000 of one group', () => {
  for (const perGroup of [100, 120]) {
    it(`reads few of them, ${perGroup === 100 ? 'at' : 'below'} the limit of the group`, async () => {
      const plan = await explain(testDatabase.url, (database) =>
        takeReadyJobs(database, { count: 128, perGroup, after: '' }),
      )
      assert.match(plan, /job_ready_by_group/)
      assert.doesNotMatch(plan, /Seq Scan on job_common/, plan)
      for (const [, rows] of plan.matchAll(/on job_common.*actual time=\S+ rows=(\d+)/g)) {
        assert.ok(Number(rows) <= 128, plan)
      }
    })
  }
})
