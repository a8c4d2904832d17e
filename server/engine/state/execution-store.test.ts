import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, createPool, type Database } from '../../db/client.ts'
import { createTestDatabase, type TestDatabase } from '../../db/test-database.ts'
import { readCandidates } from './candidate-store.ts'
import { releaseRun, takeRuns, type Take } from './execution-store.ts'
import { noUsage } from './run.ts'

let testDatabase: TestDatabase
let database: Database

before(async () => {
  testDatabase = await createTestDatabase()
  database = createDatabase(createPool(testDatabase.url, 2))
})
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
})
after(async () => {
  await database.destroy()
  await testDatabase[Symbol.asyncDispose]()
})

async function read(): Promise<Take> {
  const [run] = await readCandidates(database, ['run_1'])
  assert.ok(run?.begun)
  const { id, attempt, generation, lastSequence, begun } = run
  const step = { ...begun, memory: [] }
  return {
    runId: id,
    attempt,
    generation,
    lastSequence,
    definitionHash: 'aa',
    hasWaited: true,
    step,
    events: [],
  }
}

const fence = { runId: 'run_1', accountId: 'acc_1', attempt: 1 }
const release = () =>
  database
    .transaction()
    .execute((transaction) =>
      releaseRun(transaction, fence, { position: 0, tries: 0, usage: noUsage }),
    )

describe('taking a run', () => {
  it('raises its fence, and is refused to whoever read it before', async () => {
    const take = await read()
    const [taken] = await takeRuns(database, [take])
    assert.equal(taken?.attempt, 2)
    assert.deepEqual(await takeRuns(database, [take]), [undefined])
  })

  it('is given to one of two takes in one statement', async () => {
    const take = await read()
    const taken = await takeRuns(database, [take, take])
    assert.equal(taken.filter((one) => one !== undefined).length, 1)
  })

  it('is refused when the run was put off meanwhile, whose new job takes it', async () => {
    const take = await read()
    const job = await release()
    assert.deepEqual(job, { key: 'run_1', generation: 1, group: 'acc_1' })
    assert.deepEqual(await takeRuns(database, [take]), [undefined])
    const [taken] = await takeRuns(database, [await read()])
    assert.equal(taken?.attempt, 2)
  })
})
