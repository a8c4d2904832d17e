import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createPlainDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertIndexed, blocksOf, explain } from '../db/test-plans.ts'
import { listWaiting } from '../engine/reads/waiting.ts'
import { findWaitingLong } from '../engine/reads/trouble.ts'

/**
 * Query plans of the inbox: of 6,000 waiting runs of an account, beside 400 accounts with a few
 * runs each, a page reads its own rows alone.
 */
let testDatabase: TestDatabase
const waiting = 6_000

before(async () => {
  testDatabase = await createPlainDatabase()
  const database = testDatabase.open(1)
  const pending = (
    id: string,
  ) => `json_build_object('id', ${id}, 'kind', 'approval', 'prompt', repeat('x', 500),
    'step_order', 0, 'role', 'r', 'approvers', json_build_object('users', '[]'::json, 'roles', '["admin"]'::json),
    'tool_input', json_build_object('text', repeat('y', 500)))`
  const fill = [
    `insert into accounts (id, name) select 'acc_' || n, 'a' from generate_series(0, 400) as n`,
    `insert into workflows (id, account_id, name, model, crew, human_in_the_loop, memory_enabled, limits)
     select 'wf_' || n, 'acc_' || n, 'w', 'm', '[]', '{}', false, '{}' from generate_series(0, 400) as n`,
    `insert into runs (id, account_id, workflow_id, status, input, pending, waiting_since, created_at)
     select 'run_' || lpad(n::text, 26, '0'), 'acc_0', 'wf_0', 'waiting_input', repeat('in ', 100),
            ${pending(`'pnd_' || lpad(n::text, 26, '0')`)}, at, at
     from generate_series(1, ${waiting}) as n,
          lateral (select now() - n * interval '1 minute' as at) as time`,
    `insert into runs (id, account_id, workflow_id, status, input, pending, waiting_since, finished_at, error, error_code)
     select 'run_' || account || '_' || n, 'acc_' || account, 'wf_' || account,
            case when n = 1 then 'waiting_input' else 'failed' end, 'in',
            case when n = 1 then ${pending(`'pnd_' || account || '_' || n`)} end,
            case when n = 1 then now() end, case when n > 1 then now() end, case when n > 1 then 'e' end, case when n > 1 then 'internal' end
     from generate_series(1, 400) as account, generate_series(1, 5) as n`,
    `vacuum analyze`,
  ]
  for (const statement of fill) await sql.raw(statement).execute(database)
  await database.destroy()
})
after(() => testDatabase[Symbol.asyncDispose]())

const at = (minutesAgo: number): Date => new Date(Date.now() - minutesAgo * 60_000)
const explainPage = (page: { limit: number; after?: { at: Date; id: string } }): Promise<string> =>
  explain(testDatabase.url, (on) => listWaiting(on, 'acc_0', page))

describe('what waits for a person', () => {
  it('is read in few blocks for a page of one', async () => {
    const plan = await explainPage({ limit: 2 })
    assertIndexed(plan, 'runs_waiting')
    assert.ok(blocksOf(plan) <= 100, plan)
  })

  it('is read by its index for a whole page, at the start and amid the list', async () => {
    for (const after of [undefined, { at: at(waiting / 2), id: 'run_' }]) {
      const plan = await explainPage({ limit: 101, ...(after && { after }) })
      assertIndexed(plan, 'runs_waiting')
      // Five for each row: the row itself, its workflow and the policies.
      assert.ok(blocksOf(plan) <= 600, plan)
    }
  })

  it('is filtered in the order of the index, and within what waits', async () => {
    for (const filter of [{ q: 'yyy' }, { action: 'email.send' }, { workflow_id: 'wf_0' }]) {
      const plan = await explain(testDatabase.url, (on) =>
        listWaiting(on, 'acc_0', { limit: 101, ...filter }),
      )
      assert.match(plan, /Index Scan using runs_waiting/)
      // A filter that finds nothing reads each waiting run once, and nothing else.
      assert.ok(blocksOf(plan) <= waiting / 3, plan)
    }
  })

  it('is found by its time for alerts about long waits', async () => {
    const plan = await explain(testDatabase.url, (on) =>
      findWaitingLong(on as never, 'acc_0', { since: at(1), workflowIds: null, minutes: 3_000 }),
    )
    assertIndexed(plan, 'runs_waiting')
    assert.ok(blocksOf(plan) <= 100, plan)
  })
})
