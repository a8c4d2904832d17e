import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql, type RawBuilder } from 'kysely'
import { allAccounts } from '../db/run.ts'
import { createDatabase, createPool, type Database } from '../db/client.ts'
import { createPlainDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertIndexed, explain } from '../db/test-plans.ts'
import { readProgress, countOpenRuns, hasOpenRuns } from '../engine/reads/events.ts'
import { insertRuns } from '../engine/journal/begin.ts'
import { warningTerm } from '../engine/journal/search-terms.ts'
import { hashWords } from '../engine/journal/run-words.ts'
import { noUsage } from '../models/contract.ts'
import { failRun, finishStep, runErrorCodes } from '../engine/run/run.ts'
import { lockExpired } from '../engine/journal/expire.ts'
import { applyChanges } from '../engine/journal/boundary.ts'
import { defaultHumanInTheLoop, defaultLimits } from '../workflows/definition.ts'
import { noClaim, renewLeases } from '../engine/queue/jobs.ts'
import { readCandidates, takeRuns } from '../engine/journal/take.ts'
import { countRuns, listRunKeys, listRuns, type RunFilter } from '../engine/reads/search.ts'
import { findRunWithSteps } from '../engine/reads/runs.ts'
import { listWaiting } from '../engine/reads/waiting.ts'
import { fetched } from '../engine/queue/dispatch.ts'

/**
 * Query plans of the frequent requests, over 1,000,000 runs: each reads an index and touches few
 * rows.
 */
let testDatabase: TestDatabase
let database: Database
const runs = 1_000_000
const waiting = 20_000

before(async () => {
  testDatabase = await createPlainDatabase()
  database = createDatabase(createPool(testDatabase.url, 1, { statementMs: 0, answerMs: 0 }))
  await run(sql`insert into accounts (id, name) values ('acc_a', 'a'), ('acc_b', 'b')`)
  await run(sql`
    insert into runs (id, account_id, workflow_id, status, input, output, error, error_code,
                      created_at, finished_at)
    select 'run_' || lpad(n::text, 26, '0'), 'acc_a', 'wf_' || (n % 20), status, 'in',
           case when status = 'completed' then 'out' end,
           case when status = 'failed' then 'e' end,
           case when status <> 'failed' then null when n % 1000 = 0 then 'cancelled' else 'step_failed' end,
           now() - n * interval '1 second',
           case when status in ('completed', 'failed') then now() end
    from generate_series(1, ${sql.lit(runs)}) as n,
    lateral (select case when n % 5000 = 0 then 'queued'
                         when n % 100 = 0 then 'failed' else 'completed' end as status) as s`)
  // One run was retried 500 times, which may make only the reads of its retries slower; the others
  // once.
  await run(sql`
    update runs set retry_of = 'run_' || case when n <= 100000 then 'often' else n::text end
    from (select id, right(id, 7)::int as n from runs) as numbered
    where runs.id = numbered.id and n % 200 = 0`)
  await run(sql`
    insert into steps (run_id, position, id, account_id, role, model, output, finished_at)
    select 'run_' || lpad(n::text, 26, '0'), 0, 'step_' || n, 'acc_a', 'r', 'm', 'out', now()
    from generate_series(1, 1000) as n`)
  await run(sql`
    insert into workflows (id, account_id, name, model, crew, human_in_the_loop, memory_enabled, limits)
    select 'wf_' || n, 'acc_a', 'w', 'm', '[]', '{}', false, '{}' from generate_series(0, 19) as n`)
  await run(sql`
    insert into definitions (account_id, hash, body)
    values ('acc_a', '', '{"humanInTheLoop": {"on_timeout": "fail"}}')`)
  await run(sql`
    insert into runs (id, account_id, workflow_id, status, attempt, input, pending, waiting_since,
                      expires_at, definition_hash)
    select 'run_1' || lpad(n::text, 25, '0'), 'acc_a', 'wf_' || (n % 20), 'waiting_input', 1, 'in',
           '{"step_order": 0}', now() - n * interval '1 second',
           case when n % 2 = 0 then now() + (n - 5000) * interval '1 second' end, ''
    from generate_series(1, ${sql.lit(waiting)}) as n`)
  await run(sql`
    insert into steps (run_id, position, id, account_id, role, model)
    select 'run_1' || lpad(n::text, 25, '0'), 0, 'step_w' || n, 'acc_a', 'r', 'm'
    from generate_series(1, ${sql.lit(waiting)}) as n`)
  await run(sql`
    insert into tool_calls (run_id, step_position, turn, position, id, account_id,
                            provider_call_id, tool, sensitive, input, status)
    select 'run_1' || lpad(n::text, 25, '0'), 0, 0, 0, 'call_' || n, 'acc_a', 'c', 'a.b', true, '{}',
           'proposed'
    from generate_series(1, ${sql.lit(waiting)}) as n`)
  // Every run has the first two tags, every hundredth a third one; 1,000 runs share a customer, and
  // each has its own job.
  await run(sql`
    insert into run_marks (account_id, run_id, created_at, mark)
    select account_id, id, created_at, mark
    from (select *, right(id, 7)::int as n from runs where status <> 'waiting_input') as runs,
    lateral (values ('tag env:prod', true), ('tag customer:' || n % 1000, true),
                    ('tag rare:yes', n % 100 = 0), ('tag job:' || n, n % 10 = 0),
                    ('agent agt_' || n % 7, n % 2 = 0), ('word quota', status = 'failed'),
                    ('word seldom', n % 18000 = 0), ('warning', n % 50 = 7), ('cost 0.01', n % 50 = 0)) as m (mark, has)
    where has`)
  await run(
    sql`update runs set cost_usd = 0.05 where right(id, 7)::int % 50 = 0 and status <> 'waiting_input'`,
  )
  // One word occurs in all runs, one in some, one in few.
  const [all, some, few] = ['invoice', 'dragon', 'unicorn'].map(
    (word) => hashWords('acc_a', [word])[0],
  )
  await run(sql`
    insert into run_words (account_id, run_id, created_at, words)
    select 'acc_a', id, created_at,
           array[${sql.lit(all)}::bigint, n, 10000000 + n % 1000, 20000000 + n % 5000] || case when n % 100 = 0 then array[${sql.lit(some)}::bigint] end
             || case when n % 18000 = 0 then array[${sql.lit(few)}::bigint] end
    from (select *, right(id, 7)::int as n from runs where finished_at is not null) as runs`)
  await run(sql`
    insert into jobs (account_id, run_id) select account_id, id from runs limit 50000`)
  await run(sql`vacuum analyze`)
})
after(async () => {
  await database.destroy()
  await testDatabase[Symbol.asyncDispose]()
})

async function run(statement: RawBuilder<unknown>): Promise<unknown[]> {
  return (await statement.execute(database)).rows
}

const at = (n: number) => ({ at: new Date(Date.now() - n * 1_000), id: `run_${'0'.repeat(26)}` })
const list = (filter: Partial<Parameters<typeof listRuns>[2]>) =>
  explain(testDatabase.url, (explaining) =>
    listRuns(explaining, 'acc_a', {
      workflowId: 'wf_7',
      limit: 51,
      after: undefined,
      ...filter,
    }),
  )

/** The rows that the scans of a plan returned or dropped, over all loops. */
function rowsRead(plan: string): number {
  let rows = 0
  let loops = 1
  for (const line of plan.split('\n')) {
    const found = /Scan.* on .*actual .*rows=([\d.]+) loops=(\d+)/.exec(line)
    if (found !== null) {
      loops = Number(found[2])
      rows += Number(found[1]) * loops
    }
    rows += Number(/Rows Removed by (?:Filter|Index Recheck): (\d+)/.exec(line)?.[1] ?? 0) * loops
  }
  return rows
}

describe('over 1,000,000 runs', () => {
  it('the newest runs of a workflow are read from an index', async () => {
    assertIndexed(await list({}), 'runs_by_workflow')
  })

  it('so is a page far behind', async () => {
    assertIndexed(await list({ after: at(900_000) }), 'runs_by_workflow')
  })

  it('so are all runs of the account, of a status and of an error', async () => {
    const all = { workflowId: undefined }
    assertIndexed(await list(all), 'runs_by_account')
    assertIndexed(await list({ ...all, after: at(900_000) }), 'runs_by_account')
    assertIndexed(await list({ ...all, statuses: ['failed'] }), 'runs_by_account')
    assertIndexed(await list({ ...all, createdBefore: new Date(0) }), 'runs_by_account')
    assertIndexed(await list({ ...all, errorCodes: ['step_failed'] }), 'runs_by_error')
    for (const retryOf of ['run_150000', 'run_often', 'run_none']) {
      assertIndexed(await list({ ...all, retryOf }), 'runs_by_retried')
    }
  })

  it('runs are counted up to a bound of each status, whatever the filters', async () => {
    const ask = (...filters: Partial<RunFilter>[]) =>
      explain(testDatabase.url, (explaining) =>
        countRuns(
          explaining,
          'acc_a',
          filters.map((filter) => ({ ...filter, limit: 1_001, after: undefined })),
        ),
      )
    const statuses = ['queued', 'running', 'waiting_input', 'completed', 'cancelled'] as const
    const errorCodes = runErrorCodes.filter((code) => code !== 'cancelled')
    const each = (filter: Partial<RunFilter> = {}) => [
      ...statuses.map((status) => ({ ...filter, statuses: [status] })),
      { ...filter, statuses: ['completed' as const], marks: [warningTerm] },
      { ...filter, statuses: ['failed' as const], errorCodes },
    ]
    for (const filter of [{}, { workflowId: 'wf_7' }, { marks: ['tag customer:7'] }]) {
      const plan = await ask(...each(filter))
      assert.doesNotMatch(plan, /Seq Scan on (runs|run_marks)/, plan)
      const read = rowsRead(plan)
      assert.ok(read > 1_000 && read < 30_000, `${read}\n${plan}`)
    }
  })

  it('so are the keys of 10,000 runs, for a file', async () => {
    for (const filter of [
      {},
      { workflowId: 'wf_7' },
      { statuses: ['failed', 'cancelled'] as const },
      { statuses: ['cancelled'] as const },
      { marks: ['tag env:prod'] },
      { minCostUsd: 0.02 },
    ]) {
      const plan = await explain(testDatabase.url, (explaining) =>
        listRunKeys(explaining, 'acc_a', { ...filter, limit: 10_001, after: undefined }),
      )
      assert.doesNotMatch(plan, /Seq Scan/, plan)
    }
  })

  it('so are the runs of a rare status', async () => {
    assertIndexed(await list({ workflowId: 'wf_0', statuses: ['failed'] }), 'runs_by_workflow')
  })

  it('a run and its steps are read by key', async () => {
    const plan = await explain(testDatabase.url, (explaining) =>
      findRunWithSteps(explaining, 'acc_a', `run_${'7'.padStart(26, '0')}`),
    )
    assertIndexed(plan, 'runs_pkey')
    assert.ok(plan.includes('steps_pkey'), plan)
  })

  it('whether a workflow has open runs is an index look-up, and so is their number', async () => {
    const open = await explain(testDatabase.url, (explaining) =>
      hasOpenRuns(explaining as never, 'acc_a', 'wf_3'),
    )
    assertIndexed(open, 'runs_')
    assertIndexed(await explain(testDatabase.url, countOpenRuns), 'runs_waiting')
  })

  it('what waits for a person is read from an index, at any page', async () => {
    for (const after of [undefined, at(10_000)]) {
      const plan = await explain(testDatabase.url, (explaining) =>
        listWaiting(explaining, 'acc_a', { limit: 101, after }),
      )
      assertIndexed(plan, 'runs_waiting')
    }
  })

  it('so are waits whose time is over', async () => {
    const plan = await explain(testDatabase.url, (explaining) =>
      lockExpired(explaining as never, 100, allAccounts),
    )
    assertIndexed(plan, 'runs_expiring')
    assert.ok(plan.includes('steps_pkey'), plan)
  })
})

/** Filters alone and in pairs: values that many runs have, that few have, and that none has. */
describe('every filter of the list of all runs', () => {
  const filters: Record<string, Partial<RunFilter>> = {
    'a status': { statuses: ['failed'] },
    'cancelled ones': { statuses: ['cancelled'] },
    'an open status': { statuses: ['waiting_input'] },
    'an error': { errorCodes: ['cancelled'] },
    'an error that nobody had': { errorCodes: ['internal'] },
    'a workflow': { workflowId: 'wf_7' },
    'a time long ago': { createdBefore: new Date(Date.now() - 900_000_000) },
    'the last minutes': { createdAfter: new Date(Date.now() - 600_000) },
    'an agent': { marks: ['agent agt_3'] },
    'the retry of a run': { retryOf: 'run_150000' },
    'a run that was retried often': { retryOf: 'run_often' },
    'a run that was never retried': { retryOf: 'run_none' },
    'a tag of all': { marks: ['tag env:prod'] },
    'a tag of some': { marks: ['tag customer:17'] },
    'a tag of few': { marks: ['tag job:77770'] },
    'a tag of none': { marks: ['tag a:b'] },
    'a warning': { marks: [warningTerm] },
    'a word of errors': { words: ['quota'] },
    'a rare word of errors': { words: ['seldom'] },
    'a word of all texts': { words: ['invoice'] },
    'a word of some texts': { words: ['dragon'] },
    'a word of few texts': { words: ['unicorn'] },
    'words of texts that are seldom together': { words: ['invoice', 'dragon', 'unicorn'] },
    'a word of none': { words: ['griffin'] },
    'a cost': { minCostUsd: 0.02 },
    'a start of an id': { idStart: 'run_00000000000000000000700' },
    'the start of all ids': { idStart: 'run_' },
    'a page far behind': { after: at(900_000) },
  }
  const names = Object.keys(filters)
  for (const [place, first] of names.entries()) {
    for (const second of names.slice(place)) {
      it(first === second ? first : `${first} and ${second}`, async () => {
        const [a, b] = [filters[first] as RunFilter, filters[second] as RunFilter]
        const marks = [...new Set([...(a.marks ?? []), ...(b.marks ?? [])])]
        const words = [...new Set([...(a.words ?? []), ...(b.words ?? [])])]
        const filter = { ...a, ...b, marks, words: words.length > 0 ? words : undefined }
        const plan = await list({ workflowId: undefined, ...filter })
        assert.doesNotMatch(plan, /Seq Scan/, plan)
        // Two values that many runs have, but no run both, read the shorter list to its end.
        // The full-text index has its 10,000 runs in no order.
        const isFullText = first === 'a word of some texts'
        const most = first !== second ? 100_000 : isFullText ? 12_000 : 5_000
        for (const [, rows, loops] of plan.matchAll(/rows=([\d.]+) loops=(\d+)/g)) {
          assert.ok(Number(rows) * Number(loops) < most, plan)
        }
      })
    }
  }
})

/**
 * Statements about many runs find each by its key, whatever statistics the planner has of the
 * tables.
 */
describe('a batch of 200 runs', () => {
  const ids = Array.from(
    { length: 200 },
    (_, n) => `run_${String(5000 * (n + 1)).padStart(26, '0')}`,
  )
  const keys = ids.map((runId, n) => ({ accountId: `acc_${n % 3 === 0 ? 'a' : n}`, runId }))
  const step = (position: number) => ({
    id: 'step_1',
    position,
    role: 'r',
    model: 'm',
    agentId: null,
    memory: [],
  })
  const usage = { ...noUsage, tokensIn: 1, tokensOut: 1 }
  const body = { crew: [], humanInTheLoop: defaultHumanInTheLoop, limits: defaultLimits }
  const definition = { accountId: 'acc_a', hash: 'aa', body }
  const statements: Record<string, (database: Database) => Promise<unknown>> = {
    'is triggered': (on) =>
      insertRuns(
        on,
        keys.map(({ accountId, runId }) => ({
          id: `${runId}n`,
          accountId,
          workflowId: 'wf_1',
          input: 'x',
          data: null,
          checked: null,
          defaultModel: 'muster/demo',
          triggeredBy: { id: 'key_1', name: 'k' },
          audit: undefined,
          start: { state: '', version: 1, definition, step: step(0), events: [] },
        })),
        { ...noClaim, worker: 'w', leaseMs: 4_000, slots: 200, perAccount: 100 },
      ),
    'is read': (on) => readCandidates(on, keys.map(fetched)),
    'is taken': (on) =>
      takeRuns(
        on,
        'w',
        keys.map((key) => ({
          ...key,
          attempt: 0,
          lastSequence: 0,
          definitionHash: 'aa',
          hasWaited: true,
          step: step(0),
          events: [],
        })),
      ),
    'goes on, or fails': (on) =>
      applyChanges(
        on,
        keys.map((key, n) =>
          n % 2 === 0
            ? finishStep({ ...key, attempt: 0 }, step(0), 'out', usage, null)
            : failRun({ ...key, attempt: 0 }, { code: 'internal', message: 'x' }),
        ),
      ),
    'is watched': (on) => readProgress(on, keys),
    'is renewed': (on) => renewLeases(on, 'w', keys, 1_000),
  }
  const wholeTable = /Seq Scan on (runs|steps|events|jobs|tool_calls|webhook_deliveries)/
  // A claim searches the waiting jobs of its account by another index.
  const otherIndex = /Scan (using|on) (runs|jobs|webhook_deliveries)_(?!pkey|ready)/
  for (const [what, statement] of Object.entries(statements)) {
    it(`${what} by key`, async () => {
      const plan = await explain(testDatabase.url, statement)
      assert.doesNotMatch(plan, wholeTable, plan)
    })

    it(`${what} by key also where nobody has looked at the tables, which are empty`, async () => {
      await using fresh = await createPlainDatabase()
      const plan = await explain(fresh.url, statement)
      assert.doesNotMatch(plan, wholeTable, plan)
      assert.doesNotMatch(plan, otherIndex, plan)
    })
  }
})
