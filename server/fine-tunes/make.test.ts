import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sql, type KyselyPlugin } from 'kysely'
import pino from 'pino'
import { createAccount } from '../accounts/create-account.ts'
import { bySystem } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import type { Database } from '../db/client.ts'
import { countBlocked } from '../db/test-locks.ts'
import { newId } from '../ids.ts'
import { findMade, makeJob } from './make.ts'
import { createFineTuneProviders, type FineTuneProviders } from './providers.ts'
import type { FineTuneClient } from './providers/contract.ts'
import { cancelFineTune } from './stop.ts'
import { cancelJob, insertJob, markDeleted, type JobRow } from './store.ts'
import { startTrainer, type Intervention, type TrainerJob } from '../../rig/trainer.ts'
import { Tracker } from './tracker.ts'
import { claimDue, failMaking, finishCancelled } from './tracking-store.ts'
import { prepare, databaseFixture, fixture } from '../../test/fixture.ts'

const gzip = new Uint8Array(gzipSync('{"messages":[]}\n'))

/** One maker is slow and holds no lease any more; another one does the same work. */
describe('two makers of one job', () => {
  let fineTunes: FineTuneProviders
  let client: FineTuneClient
  let accountId: string
  const database = databaseFixture(3)
  const trainer = fixture(() => startTrainer('openai'))
  prepare(async () => {
    const openai = { apiKey: 'key', baseUrl: trainer.url }
    const none = { apiKey: undefined, baseUrl: undefined }
    const providers = { openai, mistral: none, anthropic: none, google: none }
    fineTunes = await createFineTuneProviders(
      { providers, fineTunesFile: undefined, sharesModelKeys: true, fineTunesPerAccount: 10 },
      { isAvailable: () => true },
    )
    client = fineTunes.clientOf('openai') as FineTuneClient
    accountId = (await createAccount(database, 'makers')).id
  })
  beforeEach(async () => {
    trainer.intervene = () => undefined
    trainer.calls.length = 0
    trainer.files.clear()
    await database.deleteFrom('fine_tunes').execute()
  })
  after(async () => {
    await fineTunes[Symbol.asyncDispose]()
  })

  const log = pino({ level: 'silent' })
  const make = (job: JobRow) => makeJob({ database, log }, client, job, gzip)
  const find = (job: JobRow) => findMade({ database, log }, client, job)
  const read = (id: string) =>
    database.selectFrom('fine_tunes').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  /** Has the background look at the jobs that it has not done with. */
  const hurry = (
    fields: Partial<Pick<JobRow, 'stage' | 'provider_file_id' | 'finished_at'>> = {},
  ) =>
    database
      .updateTable('fine_tunes')
      .set({ next_sync_at: new Date(0), polled_at: null, ...fields })
      .where('next_sync_at', 'is not', null)
      .execute()
  async function insert(): Promise<JobRow> {
    const job = {
      id: newId('ft'),
      name: 'Made twice',
      provider: 'openai',
      provider_label: 'OpenAI',
      base_model: 'gpt-4.1-mini-2025-04-14',
      base_model_label: 'GPT-4.1 mini',
      source: 'upload' as const,
      example_count: 10,
      training_bytes: 16,
      hyperparameters: {},
      training_rate: 5,
    }
    return database
      .transaction()
      .execute((transaction) => insertJob(transaction, accountId, job, gzip))
  }
  /** The lease has run out, and the background takes the job. */
  async function takeOver(): Promise<JobRow> {
    await hurry()
    const [job] = await claimDue(database, 1)
    assert.ok(job !== undefined)
    return job
  }
  /** The next such call is done, which `done` waits for, and answered when `release` is called. */
  function hold(call: string) {
    const gate = Promise.withResolvers<void>()
    let isHeld = false
    const others = trainer.intervene
    trainer.intervene = (one): Intervention | undefined => {
      if (one !== call || isHeld) return others(one)
      isHeld = true
      return { until: gate.promise }
    }
    return { done: trainer.until(() => isHeld), release: gate.resolve }
  }
  /** A maker whose call is done, and answered when it is to `finish`. */
  async function slowMaker(call: string) {
    const job = await insert()
    const held = hold(call)
    const made = make(job)
    await held.done
    const finish = async () => {
      held.release()
      await made
    }
    return { job, finish }
  }
  const cancels = () => trainer.calls.filter((call) => call.endsWith('/cancel'))
  const uploadCall = 'POST /v1/files'
  const findFileCall = 'GET /v1/files'
  const createCall = 'POST /v1/fine_tuning/jobs'
  const findCall = 'GET /v1/fine_tuning/jobs'
  const atProvider = () => trainer.jobs.at(-1)
  const lastMade = (): TrainerJob => {
    const made = atProvider()
    assert.ok(made !== undefined)
    return made
  }

  it('leave alone a job that the other one found', async () => {
    const { job, finish } = await slowMaker(createCall)
    assert.equal(await find(await takeOver()), true)
    await finish()
    assert.deepEqual(cancels(), [])
    const row = await read(job.id)
    assert.deepEqual([row.status, row.provider_job_id], ['validating', atProvider()?.id])
  })

  it('leave alone a job that the other one made', async () => {
    const { job, finish } = await slowMaker(createCall)
    const look = hold(findCall)
    const late = find(await takeOver())
    await look.done
    await finish()
    look.release()
    await late
    assert.deepEqual(cancels(), [])
    const row = await read(job.id)
    assert.deepEqual([row.status, row.provider_job_id], ['validating', atProvider()?.id])
  })

  it('stop a job that the row does not name', async () => {
    const { job, finish } = await slowMaker(createCall)
    const other = { stage: 'created', status: 'running', provider_job_id: 'other' } as const
    await database.updateTable('fine_tunes').set(other).execute()
    await finish()
    assert.equal(atProvider()?.status, 'cancelled')
    const row = await read(job.id)
    assert.deepEqual([row.status, row.provider_job_id], ['running', 'other'])
  })

  for (const [what, end] of [
    ['cancelled', (job: JobRow) => cancelJob(database, job, null)],
    ['deleted', (job: JobRow) => markDeleted(database, job)],
  ] as const) {
    it(`stop a job that was ${what} meanwhile, once is enough`, async () => {
      const { job, finish } = await slowMaker(createCall)
      await end(job)
      assert.equal(await find(await takeOver()), true)
      assert.equal(atProvider()?.status, 'cancelled')
      await finish()
      const row = await read(job.id)
      assert.deepEqual([row.stage, row.provider_job_id], ['created', atProvider()?.id])
    })
  }

  it('do not go on about a job that ended at its provider before it could be stopped', async () => {
    const { job, finish } = await slowMaker(createCall)
    await cancelJob(database, job, null)
    const made = lastMade()
    // The background is refused for another reason first.
    trainer.intervene = (call) =>
      call.endsWith('/cancel') ? { status: 429, body: { error: {} } } : undefined
    await assert.rejects(find(await takeOver()), { kind: 'rejected' })
    assert.equal((await read(job.id)).stage, 'creating')
    trainer.intervene = () => undefined
    trainer.setStatus(made, 'failed', 'no quota')
    assert.equal(await find(await takeOver()), true)
    assert.equal((await read(job.id)).stage, 'created')
    await finish()
    assert.equal((await read(job.id)).status, 'cancelled')
  })

  for (const call of [findFileCall, createCall]) {
    it(`keep the file that the other one trains on, while its ${call} is under way`, async () => {
      const { job, finish } = await slowMaker(uploadCall)
      const other = hold(call)
      const second = make(await takeOver())
      await other.done
      await finish()
      assert.equal(trainer.files.size, 1)
      other.release()
      await second
      const row = await read(job.id)
      assert.deepEqual([row.status, row.provider_job_id], ['validating', atProvider()?.id])
      assert.deepEqual([...trainer.files.keys()], [row.provider_file_id])
    })
  }

  it('leave no file behind when both uploaded one', async () => {
    const { finish } = await slowMaker(uploadCall)
    // It is not to be found yet.
    const [first] = [...trainer.files]
    trainer.files.clear()
    await make(await takeOver())
    assert.ok(first !== undefined)
    trainer.files.set(...first)
    await finish()
    const made = lastMade()
    assert.ok(trainer.files.has(made.fileId))
    trainer.setStatus(made, 'failed', 'no quota')
    await using tracker = new Tracker({ database, fineTunes, log })
    while (trainer.files.size > 0) {
      await hurry()
      await tracker.tick()
    }
  })

  it('leave no file behind when the job was cancelled before it was uploaded', async () => {
    const { job, finish } = await slowMaker(uploadCall)
    await cancelJob(database, job, null)
    await finish()
    assert.equal(trainer.files.size, 0)
  })

  for (const [what, end] of [
    ['cancelled', (job: JobRow) => cancelJob(database, job, null)],
    ['deleted', (job: JobRow) => markDeleted(database, job)],
  ] as const) {
    it(`leave no file behind when the job was ${what} during the upload, and the maker cannot delete it`, async () => {
      const { job, finish } = await slowMaker(uploadCall)
      // It has not arrived yet.
      const [file] = [...trainer.files]
      assert.ok(file !== undefined)
      trainer.files.clear()
      await end(job)
      await using tracker = new Tracker({ database, fineTunes, log })
      await tracker.tick()
      trainer.files.set(...file)
      trainer.intervene = (call) => (call.startsWith('DELETE') ? 'cut' : undefined)
      await finish()
      assert.equal(trainer.files.size, 1)
      trainer.intervene = () => undefined
      await hurry()
      await trainer.until(() => trainer.files.size === 0)
    })
  }

  it('do not hide a job from a cancel that comes while the row gets its id', async () => {
    const { job, finish } = await slowMaker(createCall)
    const made = lastMade()
    const audit = bySystem('test', 'fine_tune.cancelled')
    const ctx = { database, fineTunes, log, accountId, audit } as unknown as Context
    const cancelling = await database.transaction().execute(async (transaction) => {
      await sql`select from fine_tunes where account_id = ${accountId} and id = ${job.id} for update`.execute(
        transaction,
      )
      const promise = cancelFineTune(ctx, job.id)
      while ((await countBlocked(database)) === 0)
        await new Promise((resolve) => setTimeout(resolve, 10))
      const fields = { stage: 'created', status: 'running', provider_job_id: made.id } as const
      await transaction.updateTable('fine_tunes').set(fields).where('id', '=', job.id).execute()
      return { promise }
    })
    assert.equal((await cancelling.promise).status, 'cancelled')
    assert.equal(made.status, 'cancelled')
    await finish()
  })

  it('leave nothing of a job that was cancelled before the provider refused it', async () => {
    const job = await insert()
    trainer.intervene = (call) => {
      if (call !== createCall) return undefined
      return {
        status: 400,
        body: { error: {} },
        until: cancelJob(database, job, null),
      }
    }
    await make(job)
    const row = await read(job.id)
    assert.deepEqual([row.status, row.stage, row.error], ['cancelled', 'created', null])
    assert.deepEqual(await database.selectFrom('fine_tune_datasets').selectAll().execute(), [])
  })

  it('give up a cancelled job after a day in which the provider could not be asked', async () => {
    const job = await insert()
    await cancelJob(database, job, null)
    const dayAgo = new Date(Date.now() - 25 * 3_600_000)
    const lost = { stage: 'creating', provider_file_id: 'x', finished_at: dayAgo } as const
    await hurry(lost)
    trainer.intervene = () => 'cut'
    await using tracker = new Tracker({ database, fineTunes, log })
    while ((await read(job.id)).next_sync_at !== null) await tracker.tick()
    assert.equal((await read(job.id)).stage, 'created')
    assert.deepEqual(await database.selectFrom('fine_tune_datasets').selectAll().execute(), [])
  })

  it('leave a job that was deleted to a process that has the key of its provider', async () => {
    const job = await insert()
    await make(job)
    const made = atProvider()
    await markDeleted(database, job)
    const none = { ...fineTunes, clientOf: () => undefined }
    await using without = new Tracker({ database, fineTunes: none, log })
    while (((await read(job.id)).next_sync_at?.getTime() ?? 0) < Date.now()) await without.tick()
    await without[Symbol.asyncDispose]()
    await using tracker = new Tracker({ database, fineTunes, log })
    await hurry()
    await tracker.tick()
    await trainer.until(() => trainer.files.size === 0)
    assert.equal(made?.status, 'cancelled')
  })

  it('do not hold up other jobs while a training set is taken slowly', async () => {
    const upload = hold(uploadCall)
    const slow = await insert()
    await using tracker = new Tracker({ database, fineTunes, log })
    await hurry()
    await upload.done
    const { id } = await insert()
    const other = { stage: 'created', status: 'running', provider_job_id: 'other' } as const
    await database
      .updateTable('fine_tunes')
      .set({ next_sync_at: new Date(0), polled_at: null, ...other })
      .where('id', '=', id)
      .execute()
    await trainer.until(() => trainer.calls.includes('GET /v1/fine_tuning/jobs/other'))
    assert.equal((await read(slow.id)).stage, 'uploading')
    upload.release()
    await tracker[Symbol.asyncDispose]()
    assert.equal((await read(slow.id)).status, 'validating')
  })

  for (const [what, end] of [
    [
      'was cancelled',
      (one: Database, job: JobRow) => finishCancelled(one, job, { jobId: 'x', status: 'x' }),
    ],
    ['failed', (one: Database, job: JobRow) => failMaking(one, job, 'no quota')],
  ] as const) {
    it(`keep no training set of a job that ${what}, should the process die after a statement`, async () => {
      const { id } = await insert()
      const dying = database.withPlugin(dieAfterOne())
      await end(dying, await read(id))
      assert.equal((await read(id)).stage, 'created')
      assert.deepEqual(await database.selectFrom('fine_tune_datasets').selectAll().execute(), [])
    })
  }
})

/** The connection is gone after the first statement. */
function dieAfterOne(): KyselyPlugin {
  let isDead = false
  return {
    transformQuery: ({ node }) => {
      if (isDead) throw new Error('dead')
      return node
    },
    transformResult: async ({ result }) => {
      isDead = true
      return result
    },
  }
}
