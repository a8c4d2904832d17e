import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { releaseRun } from './boundary.ts'
import { noUsage } from '../../models/contract.ts'
import { readCandidates, takeRuns, type Take } from './take.ts'
import { databaseFixture } from '../../../test/fixture.ts'
import { fetched } from '../queue/dispatch.ts'

const database = databaseFixture(2)
beforeEach(async () => {
  await sql`truncate accounts cascade`.execute(database)
  await sql`truncate steps`.execute(database)
  await sql`insert into accounts (id, name) values ('acc_1', 'a')`.execute(database)
  await sql`
    insert into runs (id, account_id, workflow_id, input, status, attempt, started_at)
    values ('run_1', 'acc_1', 'wf_1', 'x', 'running', 1, now())`.execute(database)
  await sql`
    insert into steps (run_id, position, id, account_id, role, model)
    values ('run_1', 0, 'step_1', 'acc_1', 'r', 'm')`.execute(database)
  await sql`truncate jobs`.execute(database)
  await sql`
    insert into jobs (account_id, run_id, worker, lease_until)
    values ('acc_1', 'run_1', 'w', now())`.execute(database)
})

async function read(): Promise<Take> {
  const [run] = await readCandidates(database, [fetched({ accountId: 'acc_1', runId: 'run_1' })])
  assert.ok(run?.begun)
  const { id, accountId, attempt, lastSequence, begun } = run
  const step = { ...begun, memory: [] }
  return {
    runId: id,
    accountId,
    attempt,
    lastSequence,
    definitionHash: 'aa',
    hasWaited: true,
    step,
    events: [],
  }
}

const fence = { runId: 'run_1', accountId: 'acc_1', attempt: 1 }
const release = () =>
  releaseRun(database, fence, { position: 0, tries: 0, usage: noUsage, delaySeconds: 0 })
const take = (...takes: Take[]) => takeRuns(database, 'w', takes)
const holdJob = (worker: string) =>
  sql`update jobs set worker = ${worker}, lease_until = now()`.execute(database)

describe('taking a run', () => {
  it('raises its fence, and is refused to whoever read it before', async () => {
    const seen = await read()
    const [taken] = await take(seen)
    assert.equal(taken?.attempt, 2)
    assert.deepEqual(await take(seen), [undefined])
  })

  it('is given to one of two takes in one statement', async () => {
    const seen = await read()
    const taken = await take(seen, seen)
    assert.equal(taken.filter((one) => one !== undefined).length, 1)
  })

  it('is refused when the run was put off meanwhile, until its job is taken again', async () => {
    const seen = await read()
    assert.equal(await release(), true)
    assert.deepEqual(await take(seen), [undefined])
    await holdJob('w')
    const [taken] = await take(await read())
    assert.equal(taken?.attempt, 2)
  })

  it('is refused to a worker whose job another one holds', async () => {
    const seen = await read()
    await holdJob('another')
    assert.deepEqual(await take(seen), [undefined])
    assert.equal((await read()).attempt, 1)
  })

  for (const hasWaited of [false, true]) {
    it(`counts no wait before the run began, ${hasWaited ? 'held' : 'queued'}`, async () => {
      const seen = await read()
      await sql`update runs set status = 'queued', started_at = null`.execute(database)
      await sql`truncate steps, events`.execute(database)
      await sql`
        insert into events (account_id, run_id, id, sequence, type, data, created_at)
        values ('acc_1', 'run_1', 'evt_1', 0, 'run.queued', '{}', now() - interval '1 hour')`.execute(
        database,
      )
      await sql`update jobs set ready_at = now() - interval '1 hour'`.execute(database)
      const [taken] = await take({ ...seen, hasWaited })
      // The column rounds to milliseconds.
      assert.ok(Math.abs(taken?.elapsedMs ?? Number.NaN) < 1, `${taken?.elapsedMs} ms`)
    })
  }
})
