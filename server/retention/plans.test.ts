import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql, type RawBuilder } from 'kysely'
import { createPlainDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertIndexed, explain } from '../db/test-plans.ts'
import { pruneDeletedEndpoints } from './deleted-endpoints-store.ts'
import { firstCursor, pruneDeliveries, pruneOfRuns, pruneRuns } from './store.ts'

/**
 * Query plans of one batch of each kind, over 30,000 runs: each walks an index and touches few
 * rows.
 */
let testDatabase: TestDatabase
const runs = 30_000

before(async () => {
  testDatabase = await createPlainDatabase()
  const database = testDatabase.open(1)
  const fill = [
    sql`insert into accounts (id, name) values ('acc_a', 'a')`,
    sql`insert into webhook_endpoints (id, account_id, url, events, secret)
        values ('whk_a', 'acc_a', 'https://a.example', '{run.completed}', '')`,
    // The oldest runs are still open.
    sql`insert into runs (id, account_id, workflow_id, status, input, output, created_at, finished_at)
        select 'run_' || lpad(n::text, 26, '0'), 'acc_a', 'wf_a',
               case when n > 150 then 'completed' else 'running' end, 'in',
               case when n > 150 then 'out' end, at, case when n > 150 then at end
        from generate_series(1, ${sql.lit(runs)}) as n,
        lateral (select now() - (${sql.lit(runs)} - n) * interval '1 hour' as at) as time`,
    sql`insert into events (run_id, sequence, id, account_id, type, data)
        select id, number, 'evt', account_id, 'step.started', '{}'
        from runs, generate_series(1, 5) as number`,
    sql`insert into steps (run_id, position, id, account_id, role, model)
        select id, 0, 'step', account_id, 'r', 'm' from runs`,
    sql`insert into step_turns (account_id, run_id, step_position, turn, message)
        select account_id, id, 0, number, '{}' from runs, generate_series(0, 1) as number`,
    sql`insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event_type, run_id,
                                        snapshot, status, next_attempt_at, created_at)
        select 'dlv_' || id, account_id, 'whk_a', 'evt', 'run.completed', id, '{}', 'succeeded', null,
               created_at from runs`,
    sql`analyze`,
  ]
  for (const statement of fill) await statement.execute(database)
  await database.destroy()
})
after(() => testDatabase[Symbol.asyncDispose]())

const start = { ...firstCursor, accountId: 'acc_a' }
const deep = { accountId: 'acc_a', id: `run_${'15000'.padStart(26, '0')}`, isBegun: true }

describe('one batch of retention, over 30,000 runs', () => {
  for (const table of ['events', 'step_turns'] as const) {
    it(`walks the key of ${table}, from its start and from amidst`, async () => {
      for (const cursor of [start, deep]) {
        const plan = await explain(testDatabase.url, (database) =>
          pruneOfRuns(database, table, 10, cursor),
        )
        assertIndexed(plan, `${table}_pkey`)
        assert.match(plan, /Tid Scan/)
      }
    })
  }

  it('walks the key of deliveries', async () => {
    const plan = await explain(testDatabase.url, (database) =>
      pruneDeliveries(database, 10, { ...deep, id: `dlv_${deep.id}` }),
    )
    assertIndexed(plan, 'webhook_deliveries_pkey')
  })

  it('finds what is left of a deleted endpoint by its index', async () => {
    const database = testDatabase.open(1)
    const mark = (deletedAt: RawBuilder<unknown>) =>
      sql`update webhook_endpoints set deleted_at = ${deletedAt}`.execute(database)
    await mark(sql`now()`)
    const plan = await explain(testDatabase.url, pruneDeletedEndpoints)
    assertIndexed(plan, 'webhook_deliveries_by_endpoint')
    await mark(sql`null`)
    await database.destroy()
  })

  it('walks the key of runs, and finds what belongs to each by key', async () => {
    for (const cursor of [start, deep]) {
      const plan = await explain(testDatabase.url, (database) => pruneRuns(database, 10, cursor))
      assertIndexed(plan, 'runs_pkey')
    }
  })
})
