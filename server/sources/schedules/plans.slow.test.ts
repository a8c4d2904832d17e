import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { fixture, prepare } from '../../../test/fixture.ts'
import { createTestDatabase } from '../../db/test-database.ts'
import { explain } from '../../db/test-plans.ts'
import { claimOf } from '../../work/table.ts'
import { firings } from './firing-store.ts'
import { readDue } from './plan-store.ts'

/** 200,000 schedules of 200 accounts, and a million firings; 1,000 of each are due. */
const testDatabase = fixture(() => createTestDatabase())

prepare(async () => {
  await using database = testDatabase.open(1)
  const fill = [
    sql`set statement_timeout = 0`,
    sql`insert into accounts (id, name) select 'acc_' || n, 'a' from generate_series(1, 200) as n`,
    sql`
      insert into schedules
        (account_id, id, name, workflow_id, cron, time_zone, input, overlap, catch_up, catch_up_seconds,
         jitter_seconds, status, next_due_at, next_start_at)
      select 'acc_' || 1 + n % 200, 'sch_' || n, 'many', 'wf_1', '0 9 * * 1', 'UTC', 'go', 'skip', 'last', 3600, 0,
             'active', due, due
      from generate_series(1, 200000) as n,
           lateral (select now() + (n - 1000) * interval '1 second' as due) as one`,
    // In parts, as a query of the pool has to be answered within its time limit.
    ...Array.from(
      { length: 10 },
      (_, part) => sql`
      insert into schedule_firings
        (account_id, id, schedule_id, number, kind, due_at, status, run_id, next_try_at, settled_at)
      select 'acc_' || 1 + s % 200, 'fir_' || s || '_' || n, 'sch_' || s, n, 'scheduled',
             now() - n * interval '1 hour', case when n = 1 and s <= 1000 then 'due' else 'fired' end, 'run_' || s || n,
             case when n = 1 and s <= 1000 then now() end, case when n > 1 or s > 1000 then now() end
      from generate_series(${sql.lit(part * 1_000 + 1)}, ${sql.lit((part + 1) * 1_000)}) as s, generate_series(1, 100) as n`,
    ),
    sql`analyze`,
  ]
  for (const one of fill) await one.execute(database)
})

const plansOf = (work: Parameters<typeof explain>[1]) => explain(testDatabase.url, work)

function assertReadsIndex(plan: string, index: string): void {
  assert.ok(plan.includes(index), plan)
  assert.doesNotMatch(plan, /Seq Scan on schedule/, plan)
  for (const [, ms] of plan.matchAll(/Execution Time: ([\d.]+) ms/g)) {
    assert.ok(Number(ms) < 500, plan)
  }
}

it('finds the schedules that are due by an index', async () => {
  const plan = await plansOf((database) =>
    database.transaction().execute((transaction) => readDue(database, transaction)),
  )
  assertReadsIndex(plan, 'schedules_due')
})

it('claims firings by an index', async () => {
  const plan = await plansOf((database) =>
    claimOf(firings)(database, { count: 50, perAccount: 40, busy: [] }, ''),
  )
  assertReadsIndex(plan, 'schedule_firings_waiting')
  assertReadsIndex(plan, 'schedule_firings_by_schedule')
})
