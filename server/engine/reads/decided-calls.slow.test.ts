import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, createPool } from '../../db/client.ts'
import { createPlainDatabase, type TestDatabase } from '../../db/test-database.ts'
import { explain } from '../../db/test-plans.ts'
import { listDecidedActions, readDecidedCalls } from './decided-calls.ts'

/** Query plans for proposing and testing rules, over 1,000,000 calls of 50 actions. */
let testDatabase: TestDatabase

before(async () => {
  testDatabase = await createPlainDatabase()
  const database = createDatabase(createPool(testDatabase.url, 1, { statementMs: 0, answerMs: 0 }))
  const statements = [
    sql`set session_replication_role = replica`,
    sql`insert into accounts (id, name) values ('acc_a', 'a')`,
    sql`
      insert into runs (id, account_id, workflow_id, status, input, output, finished_at)
      select 'run_' || n, 'acc_a', 'wf_1', 'completed', 'in', 'out', now()
      from generate_series(1, 10000) as n`,
    sql`
      insert into steps (run_id, position, id, account_id, role, model, output, finished_at)
      select 'run_' || n, 0, 'step_' || n, 'acc_a', 'r', 'm', 'out', now()
      from generate_series(1, 10000) as n`,
    sql`
      insert into tool_calls (run_id, step_position, turn, position, id, account_id, provider_call_id, tool, sensitive,
                              input, status, output, decision, decided_at)
      select 'run_' || 1 + n % 10000, 0, n / 10000, 0, 'call_' || n, 'acc_a', 'c', 'x.a' || n % 50, true, '{}',
             'rejected', 'out', case when n % 100 = 0 then 'refused' else 'approved' end,
             now() - n * interval '1 second'
      from generate_series(1, 1000000) as n`,
    sql`vacuum analyze tool_calls`,
    sql`analyze`,
  ]
  for (const statement of statements) await statement.execute(database)
  await database.destroy()
})
after(() => testDatabase[Symbol.asyncDispose]())

it('decisions are read by action, the newest alone', async () => {
  const { url } = testDatabase
  const actions = await explain(url, async (on) => {
    assert.equal((await listDecidedActions(on, 'acc_a')).length, 50)
  })
  const calls = await explain(url, async (on) => {
    assert.equal((await readDecidedCalls(on, 'acc_a', ['x.a1', 'x.a7'], 200)).length, 200)
  })
  for (const plan of [actions, calls]) {
    assert.match(plan, /tool_calls_decided/)
    assert.doesNotMatch(plan, /Seq Scan on tool_calls/)
    for (const [, rows] of plan.matchAll(/tool_calls.*actual time=\S+ rows=(\d+)/g)) {
      assert.ok(Number(rows) <= 200, plan)
    }
  }
})
