import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, createPool, type Database } from '../../db/client.ts'
import { createTestDatabase, type TestDatabase } from '../../db/test-database.ts'
import { beginEpoch } from './epochs.ts'
import { callStatuses, markInDoubt, type CallStatus } from '../run/ledger.ts'
import { readCandidates, takeRuns } from './take.ts'
import { fetched } from '../queue/dispatch.ts'

describe('an epoch in which something may be missing', () => {
  let testDatabase: TestDatabase
  let pool: ReturnType<typeof createPool>
  let database: Database

  before(async () => {
    testDatabase = await createTestDatabase()
    pool = createPool(testDatabase.url, 2)
    database = createDatabase(pool)
    await sql`insert into accounts (id, name) values ('acc_1', 'a')`.execute(database)
  })
  after(async () => {
    await database.destroy()
    await testDatabase[Symbol.asyncDispose]()
  })

  const begin = async (after: number, isInDoubt: boolean): Promise<void> => {
    const connection = await pool.connect()
    const epoch = { reason: 'restored', identity: undefined, home: undefined } as const
    await beginEpoch(connection, after, { ...epoch, isInDoubt }).finally(() => connection.release())
  }

  const open: CallStatus[] = ['proposed', 'approved', 'executing', 'unknown']
  const calls = callStatuses.flatMap((status) =>
    [true, false].map((sensitive) => {
      const decision = status === 'approved' ? ('approved' as const) : null
      return { status, sensitive, tool: 'a.b', decision, output: open.includes(status) ? null : '' }
    }),
  )

  /**
   * A run with all of these calls, which waits for some of them; if there are none it is running.
   */
  const addRun = async (id: string, ...waitsFor: number[]): Promise<void> => {
    const asked = waitsFor.map((number) => ({ id: `pnd_${id}`, call_id: `call_${number}` }))
    const kind =
      asked[0] === undefined ? null : { ...asked[0], ...(asked.length > 1 && { calls: asked }) }
    await sql`
      insert into runs (id, account_id, workflow_id, input, status, started_at, pending, waiting_since)
      values (${id}, 'acc_1', 'wf_1', 'x', ${kind === null ? 'running' : 'waiting_input'}, now(),
              ${kind === null ? null : JSON.stringify(kind)}::json,
              case when ${kind !== null} then now() - interval '1 hour' end)`.execute(database)
    if (kind === null) {
      await sql`insert into jobs (account_id, run_id) values ('acc_1', ${id})`.execute(database)
    }
    await sql`
      insert into tool_calls (account_id, run_id, step_position, turn, position, id,
                              provider_call_id, tool, sensitive, input, status, output, decision,
                              decided_at, started_at)
      select 'acc_1', ${id}, 0, 0, number, 'call_' || number, 'c', tool, sensitive, '{}', status,
             output, decision, case when decision is not null then now() end, now()
      from json_to_recordset(${JSON.stringify(
        calls.map((one, number) => ({ ...one, number })),
      )}::json) as one (number int, tool text, sensitive boolean, status text, output text,
                        decision text)`.execute(database)
  }

  const read = async (id: string) => {
    const { rows } = await sql<Record<string, unknown>>`
      select status, pending, waited_ms >= 3600000 as "hasWaited",
             (select count(*)::int from jobs where run_id = ${id}) as jobs
      from runs where id = ${id}`.execute(database)
    return rows[0]
  }
  const readCalls = (id: string) =>
    database
      .selectFrom('tool_calls')
      .select(['status', 'sensitive', 'tool', 'decision', 'output'])
      .where('run_id', '=', id)
      .orderBy('position')
      .execute()

  it('doubts what has not gone out, and takes those again that wait for its approval', async () => {
    const found = (status: CallStatus, sensitive: boolean): number =>
      calls.findIndex((one) => one.status === status && one.sensitive === sensitive)
    await addRun('acting')
    await addRun('asking', found('proposed', true))
    await addRun('reading', found('proposed', false))
    await addRun('repeating', found('unknown', true))
    await addRun('asking_among', found('proposed', false), found('proposed', true))

    await begin(0, false)
    assert.deepEqual(await readCalls('asking'), calls, 'nothing is in doubt')
    assert.equal((await read('asking'))?.['status'], 'waiting_input')

    await begin(1, true)
    const doubted = calls.map((one) =>
      one.sensitive && (one.status === 'proposed' || one.status === 'approved')
        ? { ...one, ...markInDoubt({ ...one, unknownReason: null }) }
        : one,
    )
    for (const id of ['acting', 'asking', 'asking_among', 'reading', 'repeating']) {
      assert.deepEqual(await readCalls(id), doubted, id)
    }
    const taken = { status: 'running', pending: null, hasWaited: true, jobs: 1 }
    for (const id of ['asking', 'asking_among']) assert.deepEqual(await read(id), taken)
    for (const id of ['reading', 'repeating']) {
      const run = await read(id)
      assert.deepEqual([run?.['status'], run?.['jobs']], ['waiting_input', 0], id)
    }
  })

  it('counts once how long a run has waited that is taken to be asked for anew', async () => {
    const asked = calls.findIndex((one) => one.status === 'proposed' && one.sensitive)
    await addRun('asked', asked)
    const since = new Date(Date.now() - 3_600_000)
    await database
      .updateTable('runs')
      .set({ last_sequence: 1, waiting_since: since, counted_to: since })
      .where('id', '=', 'asked')
      .execute()
    await sql`
      insert into events (account_id, run_id, sequence, id, type, data, created_at)
      values ('acc_1', 'asked', 1, 'evt_1', 'run.waiting_input', '{}', ${since})`.execute(database)
    await sql`
      insert into steps (account_id, run_id, position, id, role, model)
      values ('acc_1', 'asked', 0, 'step_1', 'r', 'm')`.execute(database)
    const { rows } = await sql<{ number: number }>`
      select max(number) as number from epochs`.execute(database)
    await begin(rows[0]?.number ?? 0, true)
    await sql`update jobs set worker = 'w', lease_until = now() where run_id = 'asked'`.execute(
      database,
    )
    const job = { accountId: 'acc_1', runId: 'asked' }
    await using worker = testDatabase.open(1)
    const [run] = await readCandidates(worker, [fetched(job)])
    assert.ok(run?.begun)
    const { accountId, attempt, lastSequence, begun } = run
    const take = { ...job, accountId, attempt, lastSequence, hasWaited: true }
    const step = { ...begun, memory: [] }
    await takeRuns(worker, 'w', [{ ...take, definitionHash: 'aa', step, events: [] }])
    const { waited_ms: waitedMs } = await database
      .selectFrom('runs')
      .select('waited_ms')
      .where('id', '=', 'asked')
      .executeTakeFirstOrThrow()
    assert.ok(Math.abs(waitedMs - 3_600_000) < 60_000, `${waitedMs} ms`)
  })

  it('lets nothing wait for the time by which the clock of its server is behind', async () => {
    const readyIn = async (): Promise<Record<string, number>> => {
      const { rows } = await sql<{ run_id: string; seconds: number }>`
        select run_id, extract(epoch from ready_at - now())::float8 as seconds from jobs
        where run_id like 'clock%'`.execute(database)
      return Object.fromEntries(rows.map(({ run_id: id, seconds }) => [id, seconds]))
    }
    // The previous server's clock was two hours ahead; one job was delayed by an hour, the other
    // was due.
    await sql`
      insert into jobs (account_id, run_id, ready_at)
      values ('acc_1', 'clock_due', now() + interval '2 hours'),
             ('acc_1', 'clock_later', now() + interval '3 hours')`.execute(database)
    await sql`
      insert into workers (id, seen_at)
      values ('clock', now() + interval '2 hours')`.execute(database)
    const { rows } = await sql<{ number: number }>`
      select max(number) as number from epochs`.execute(database)
    const number = rows[0]?.number ?? 0
    await begin(number, false)
    const found = await readyIn()
    assert.ok((found['clock_due'] ?? 99) <= 0, 'what was due is due')
    assert.ok(Math.abs((found['clock_later'] ?? 0) - 3_600) < 60, 'what was put off is not')

    await begin(number + 1, false)
    assert.ok(((await readyIn())['clock_later'] ?? 0) > 3_500, 'it is done once')
  })
})
