import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { until } from '../../rig/until.ts'
import pino from 'pino'
import { createAccount } from '../accounts/create-account.ts'
import { newId } from '../ids.ts'
import { startTrainer, type Intervention } from '../../rig/trainer.ts'
import { databaseFixture, fixture, prepare } from '../../test/fixture.ts'
import { makeJob } from './make.ts'
import { createFineTuneProviders, type FineTuneProviders } from './providers/providers.ts'
import type { FineTuneClient } from './providers/contract.ts'
import { cancelJob, insertJob, markDeleted, type JobRow } from './store.ts'
import { fineTuneWork } from './definition.ts'
import { doDue } from '../work/test-work.ts'

const gzip = new Uint8Array(gzipSync('{"messages":[]}\n'))

describe('a job that is made at its provider', () => {
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
  const read = (id: string) =>
    database.selectFrom('fine_tunes').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  /** Makes the next sync of all unfinished jobs due. */
  const hurry = (
    fields: Partial<Pick<JobRow, 'stage' | 'provider_file_id' | 'finished_at' | 'created_at'>> = {},
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
    return database.transaction().execute((transaction) => insertJob(transaction, accountId, job))
  }
  const uploadCall = 'POST /v1/files'
  const createCall = 'POST /v1/fine_tuning/jobs'
  const endings = [
    ['cancelled', (job: JobRow) => cancelJob(database, job, null)],
    ['deleted', (job: JobRow) => markDeleted(database, job)],
  ] as const

  /**
   * Makes a job; `meanwhile` runs after the provider has executed the call and before it answers.
   */
  async function makeWhile(call: string, meanwhile: (job: JobRow) => Promise<unknown>) {
    const job = await insert()
    trainer.intervene = (one): Intervention | undefined =>
      one === call ? { until: meanwhile(job) } : undefined
    await make(job)
    trainer.intervene = () => undefined
    return job
  }
  const madeAt = () => trainer.jobs.at(-1)
  const followDue = () => doDue(database, fineTuneWork({ database, fineTunes, log }, 0))
  async function follow(isDone: () => Promise<boolean>): Promise<void> {
    await until('the job is followed', 30_000, async () => {
      if (await isDone()) return true
      await hurry()
      await followDue()
      return false
    })
  }

  it('trains on its file, and its row has the id of the provider', async () => {
    const job = await insert()
    await make(job)
    const row = await read(job.id)
    assert.deepEqual(
      [row.stage, row.status, row.provider_job_id],
      ['created', 'validating', madeAt()?.id],
    )
    assert.deepEqual([...trainer.files.keys()], [row.provider_file_id])
  })

  for (const [what, end] of endings) {
    it(`is not created when it was ${what} during the upload, and its file goes`, async () => {
      const before = trainer.jobs.length
      const job = await makeWhile(uploadCall, end)
      assert.equal(trainer.jobs.length, before)
      await follow(async () => trainer.files.size === 0)
      const row = await database
        .selectFrom('fine_tunes')
        .select('status')
        .where('id', '=', job.id)
        .executeTakeFirst()
      assert.equal(row?.status, what === 'cancelled' ? 'cancelled' : undefined)
    })

    it(`is stopped at its provider when it was ${what} during the create`, async () => {
      const job = await makeWhile(createCall, end)
      assert.equal(madeAt()?.status, 'cancelled')
      const row = await read(job.id)
      assert.deepEqual([row.stage, row.provider_job_id], ['created', madeAt()?.id])
    })
  }

  it('keeps no error when it was cancelled before the provider refused it', async () => {
    const job = await insert()
    trainer.intervene = (call) =>
      call === createCall
        ? { status: 400, body: { error: {} }, until: cancelJob(database, job, null) }
        : undefined
    await make(job)
    const row = await read(job.id)
    assert.deepEqual([row.status, row.stage, row.error], ['cancelled', 'created', null])
  })

  it('is failed when its process died, after all its calls would have ended, and says what to look for', async () => {
    const job = await insert()
    await hurry()
    await followDue()
    assert.equal((await read(job.id)).status, 'queued')
    const created_at = new Date(Date.now() - 11 * 60_000)
    await hurry({ stage: 'creating', provider_file_id: 'file-gone', created_at })
    await follow(async () => (await read(job.id)).next_sync_at === null)
    const row = await read(job.id)
    assert.deepEqual([row.status, row.stage], ['failed', 'created'])
    assert.match(
      row.error ?? '',
      new RegExp(`look there for one that trains on the file file-gone \\(.*${job.id}`),
    )
    assert.deepEqual([row.cost_usd, row.provider_file_id], [null, null])
    assert.ok(!trainer.calls.includes(createCall))
  })

  it('keeps its file and has an unknown cost when the answer to its create was lost', async () => {
    const job = await insert()
    trainer.intervene = (call) => (call === createCall ? 'cut' : undefined)
    await make(job)
    await follow(async () => (await read(job.id)).next_sync_at === null)
    const row = await read(job.id)
    const [fileId = ''] = [...trainer.files.keys()]
    assert.deepEqual([row.status, row.cost_usd, trainer.files.size], ['failed', null, 1])
    assert.ok(row.error?.includes(`look there for one that trains on the file ${fileId} (`))
    trainer.files.clear()
  })

  it('is failed without a job when its process died during the upload', async () => {
    const job = await insert()
    const created_at = new Date(Date.now() - 11 * 60_000)
    await hurry({ stage: 'uploading', created_at })
    await followDue()
    await follow(async () => (await read(job.id)).next_sync_at === null)
    const row = await read(job.id)
    assert.deepEqual([row.status, Number(row.cost_usd)], ['failed', 0])
    assert.match(row.error ?? '', /ended before it asked for the job/)
  })

  it('is given up when it was cancelled a day ago and its provider could not be asked', async () => {
    const job = await insert()
    await make(job)
    await cancelJob(database, await read(job.id), null)
    await hurry({ finished_at: new Date(Date.now() - 25 * 3_600_000) })
    trainer.intervene = () => 'cut'
    await follow(async () => (await read(job.id)).next_sync_at === null)
  })

  it('is left to a process that has the key of its provider when it was deleted', async () => {
    const job = await insert()
    await make(job)
    await markDeleted(database, job)
    const none = { ...fineTunes, clientOf: () => undefined }
    await doDue(database, fineTuneWork({ database, fineTunes: none, log }, 0))
    assert.ok(((await read(job.id)).next_sync_at?.getTime() ?? 0) >= Date.now())
    await follow(async () => trainer.files.size === 0)
    assert.equal(madeAt()?.status, 'cancelled')
  })
})
