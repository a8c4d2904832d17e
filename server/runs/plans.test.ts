import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql, type RawBuilder } from 'kysely'
import { createDatabase, createPool, type Database } from '../db/client.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { hasOpenRuns, listRuns, findRunWithSteps, countOpenRuns } from './store.ts'

/**
 * The plans of what users ask for all the time, over 1,000,000 runs: each reads an index and touches
 * few rows. The
 * statements are caught on their way to the server and explained there.
 */
let testDatabase: TestDatabase
let database: Database
const runs = 1_000_000

before(async () => {
  testDatabase = await createTestDatabase()
  database = createDatabase(createPool(testDatabase.url, 1))
  await run(sql`insert into accounts (id, name) values ('acc_a', 'a'), ('acc_b', 'b')`)
  await run(sql`set statement_timeout = 0`)
  await run(sql`
    insert into runs (id, account_id, workflow_id, status, input, output, error, error_code,
                      created_at, finished_at)
    select 'run_' || lpad(n::text, 26, '0'), 'acc_a', 'wf_' || (n % 20), status, 'in',
           case when status = 'completed' then 'out' end,
           case when status = 'failed' then 'e' end,
           case when status = 'failed' then 'step_failed' end,
           now() - n * interval '1 second',
           case when status in ('completed', 'failed') then now() end
    from generate_series(1, ${sql.lit(runs)}) as n,
    lateral (select case when n % 5000 = 0 then 'queued'
                         when n % 100 = 0 then 'failed' else 'completed' end as status) as s`)
  await run(sql`
    insert into steps (run_id, position, id, account_id, role, model, output, finished_at)
    select 'run_' || lpad(n::text, 26, '0'), 0, 'step_' || n, 'acc_a', 'r', 'm', 'out', now()
    from generate_series(1, 1000) as n`)
  await run(sql`analyze`)
})
after(async () => {
  await database.destroy()
  await testDatabase[Symbol.asyncDispose]()
})

async function run(statement: RawBuilder<unknown>): Promise<unknown[]> {
  return (await statement.execute(database)).rows
}

/** Runs an operation against a database that explains each statement, and returns the plans. */
async function explain(operation: (explaining: Database) => Promise<unknown>): Promise<string> {
  const plans: string[] = []
  const pool = createPool(testDatabase.url, 1)
  const explaining = createDatabase(pool)
  const executor = explaining.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  executor.executeQuery = async (query) => {
    const parameters = [...query.parameters]
    const { rows } = await pool.query(`explain (analyze, buffers) ${query.sql}`, parameters)
    plans.push(rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n'))
    return execute(query)
  }
  await operation(explaining)
  await explaining.destroy()
  assert.ok(plans.length > 0)
  return plans.join('\n\n')
}

function assertIndexed(plan: string, index: string): void {
  assert.ok(plan.includes(index), plan)
  assert.doesNotMatch(plan, /Seq Scan on runs|Seq Scan on steps|Sort Method/, plan)
  for (const [, count] of plan.matchAll(/Rows Removed by Filter: (\d+)/g)) {
    assert.ok(Number(count) < 1_000, plan)
  }
}

const at = (n: number) => ({ at: new Date(Date.now() - n * 1_000), id: `run_${'0'.repeat(26)}` })
const list = (filter: Partial<Parameters<typeof listRuns>[2]>) =>
  explain((explaining) =>
    listRuns(explaining, 'acc_a', {
      workflowId: 'wf_7',
      status: undefined,
      limit: 51,
      after: undefined,
      ...filter,
    }),
  )

describe('over 1,000,000 runs', () => {
  it('the newest runs of a workflow are read from an index', async () => {
    assertIndexed(await list({}), 'runs_by_workflow')
  })

  it('so is a page far behind', async () => {
    assertIndexed(await list({ after: at(900_000) }), 'runs_by_workflow')
  })

  it('so are the runs of a rare status', async () => {
    assertIndexed(await list({ workflowId: 'wf_0', status: 'failed' }), 'runs_by_status')
  })

  it('a run and its steps are read by key', async () => {
    const plan = await explain((explaining) =>
      findRunWithSteps(explaining, 'acc_a', `run_${'7'.padStart(26, '0')}`),
    )
    assertIndexed(plan, 'runs_pkey')
    assert.ok(plan.includes('steps_pkey'), plan)
  })

  it('whether a workflow has open runs is an index look-up, and so is their number', async () => {
    const open = await explain((explaining) => hasOpenRuns(explaining as never, 'acc_a', 'wf_3'))
    assertIndexed(open, 'runs_')
    assert.match(await explain(countOpenRuns), /runs_open/)
  })
})
