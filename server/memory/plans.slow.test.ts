import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, createPool, type Database, type Transaction } from '../db/client.ts'
import { createPlainDatabase, type TestDatabase } from '../db/test-database.ts'
import type { MemoryScope } from './schema.ts'
import * as store from './store.ts'

/**
 * Query plans with 1,000,000 entries of other scopes: each query reads its own scope by an index.
 */
let testDatabase: TestDatabase
let database: Database

const agent: MemoryScope = { kind: 'agent', agentId: 'agt_7' }
const role: MemoryScope = { kind: 'role', workflowId: 'wf_7', role: 'role 1' }

before(async () => {
  testDatabase = await createPlainDatabase()
  database = createDatabase(createPool(testDatabase.url, 1, { statementMs: 0, answerMs: 0 }))
  await sql`insert into accounts (id, name) values ('acc_a', 'a')`.execute(database)
  // Without triggers, since a million foreign key checks would only take time.
  await sql`set session_replication_role = replica`.execute(database)
  await sql`
    insert into memory_entries
      (id, account_id, agent_id, workflow_id, role, content, words, pinned, source, created_at)
    select 'mem_' || n, 'acc_a', case when n % 2 = 0 then 'agt_' || n / 400 end,
           case when n % 2 = 1 then 'wf_' || n / 4000 end,
           case when n % 2 = 1 then 'role ' || n / 400 % 10 end,
           'entry ' || n, '{entry}', n % 50 = 0, 'user', now() - n * interval '1 second'
    from generate_series(1, 1000000) as n`.execute(database)
  await sql`analyze memory_entries`.execute(database)
})
after(async () => {
  await database.destroy()
  await testDatabase[Symbol.asyncDispose]()
})

/** Runs an operation on a database that explains each statement, and returns the plans. */
async function explain(operation: (explaining: Database) => Promise<unknown>): Promise<string> {
  const plans: string[] = []
  const executor = database.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  executor.executeQuery = async (query) => {
    const explained = sql.raw(`explain (analyze) ${query.sql}`).compile(database)
    const { rows } = await execute({
      ...explained,
      parameters: query.parameters,
    })
    plans.push((rows as Record<string, string>[]).map((row) => row['QUERY PLAN']).join('\n'))
    return { rows: [] }
  }
  try {
    await operation(database)
  } finally {
    executor.executeQuery = execute
  }
  assert.equal(plans.length, 1)
  return plans[0] as string
}

function assertIndexed(plan: string, index: string): void {
  assert.ok(plan.includes(index), plan)
  assert.doesNotMatch(plan, /Seq Scan on memory_entries/, plan)
  for (const [, count] of plan.matchAll(/Rows Removed by Filter: (\d+)/g)) {
    assert.ok(Number(count) <= 200, plan)
  }
}

describe('over 1,000,000 entries', () => {
  for (const [scope, index] of [
    [agent, 'memory_entries_by_agent'],
    [role, 'memory_entries_by_role'],
  ] as const) {
    const operations: [string, (explaining: Database) => Promise<unknown>][] = [
      ['recall', (on) => store.recallEntries(on, 'acc_a', scope, 'which entry?', 4_000)],
      ['search', (on) => store.searchEntries(on, 'acc_a', scope, 'entry', 100)],
      ['list', (on) => store.entries.list(on, 'acc_a', { limit: 100 }, store.columnsOf(scope))],
      [
        'insert',
        (on) =>
          store.insertEntry(on as Transaction, 'acc_a', scope, {
            id: `mem_${scope.kind}`,
            content: 'new',
            pinned: false,
            source: 'user',
            runId: null,
          }),
      ],
    ]
    for (const [name, operation] of operations) {
      it(`${name} of ${scope.kind} reads ${index}`, async () => {
        assertIndexed(await explain(operation), index)
      })
    }
  }

  it('the largest memory is searched without reading its words again for each match', async () => {
    // 660 words of two letters, nearly all of them in every entry.
    await sql`
      insert into memory_entries
        (id, account_id, workflow_id, role, content, words, pinned, source)
      select 'mem_wide' || n, 'acc_a', 'wf_wide', 'role ' || n % 10, array_to_string(words, ' '),
             words, false, 'user'
      from generate_series(1, 2000) as n cross join lateral (
        select array_agg(chr(97 + word / 26) || chr(97 + word % 26)) as words
        from (select (n * 13 + i) % 676 as word from generate_series(1, 660) as i) as letters
      ) as made`.execute(database)
    const { rows } = await sql<{ content: string }>`
      select content from memory_entries where id = 'mem_wide5'`.execute(database)
    const text = rows[0]?.content.slice(0, 1_000) ?? ''
    const wide = { kind: 'workflow', workflowId: 'wf_wide' } as const
    const found = await store.searchEntries(database, 'acc_a', wide, text, 200)
    assert.equal(found.length, 200)

    const plan = await explain((on) => store.searchEntries(on, 'acc_a', wide, text, 200))
    assert.match(plan, /hashed SubPlan/, plan)
    // Counts pages read from memory: about six an entry; a join that reads an entry for each match
    // read two million.
    const [, pages] = /Buffers: shared hit=(\d+)/.exec(plan) ?? []
    assert.ok(Number(pages) < 20_000, plan)
    for (const [, loops] of plan.matchAll(/loops=(\d+)/g)) assert.ok(Number(loops) <= 200, plan)
  })
})
