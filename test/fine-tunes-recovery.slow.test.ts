import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { connectTo } from '../rig/bench-database.ts'
import { adminKey, startMuster } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import { startTrainer, type Intervention } from '../rig/trainer.ts'
import { callApi } from './api-client.ts'

const body = {
  name: 'Cut short',
  base_model: 'gpt-4.1-2025-04-14',
  source: 'upload',
  training_data: Array.from({ length: 10 }, () => '{"input":"a","output":"b"}').join('\n'),
}

interface Case {
  when: string
  call: string
  way: Intervention
  /** The final jobs at the provider, and the record's status. */
  jobs: number
  status: string
}

const cases: Case[] = [
  {
    when: 'after the upload and before the create',
    call: 'POST /v1/files',
    way: 'do-and-hang',
    jobs: 1,
    status: 'validating',
  },
  {
    when: 'after the create and before it was stored',
    call: 'POST /v1/fine_tuning/jobs',
    way: 'do-and-hang',
    jobs: 1,
    status: 'validating',
  },
  {
    when: 'while a create was on its way that never arrived',
    call: 'POST /v1/fine_tuning/jobs',
    way: 'hang',
    jobs: 0,
    status: 'failed',
  },
]

describe('a fine-tune whose process is killed', () => {
  for (const { when, call, way, jobs, status } of cases) {
    it(`${when} has one job at the provider or none, and says which`, async () => {
      await using folder = await makeScratchFolder()
      await using testDatabase = await createTestDatabase()
      await using trainer = await startTrainer('openai')
      const env = {
        DATABASE_URL: testDatabase.url,
        OPENAI_API_KEY: 'key',
        OPENAI_BASE_URL: trainer.url,
      }
      await using first = await startMuster({ folder: folder.path, env })
      trainer.intervene = (one) => (one === call ? way : undefined)
      const request = callApi(first.url, adminKey, 'POST', '/v1/fine-tunes', { body })
      const cut = assert.rejects(request)
      await trainer.until(() => trainer.calls.at(-1) === call)
      await first.kill()
      await cut

      trainer.intervene = () => undefined
      await using second = await startMuster({ folder: folder.path, env })
      await using database = await connectTo(testDatabase.url)
      const list = () => callApi(second.url, adminKey, 'GET', '/v1/fine-tunes')
      await until(`the job is ${status}`, 30_000, async () => {
        // Lets the dead process's lease, and the time for a lost create, pass quickly.
        await database.query(
          `update fine_tunes set next_sync_at = now(), polled_at = null,
             create_sent_at = (create_sent_at at time zone 'UTC' - interval '1 minute') at time zone 'UTC'
           where stage <> 'created'`,
        )
        return (await list()).body.data[0].status === status
      })
      const { data } = (await list()).body
      assert.equal(data.length, 1)
      assert.equal(trainer.jobs.length, jobs)
      assert.equal(data[0].provider_job_id, trainer.jobs[0]?.id)
      assert.equal(trainer.calls.filter((one) => one === 'POST /v1/files').length, 1)
      const creates = trainer.calls.filter((one) => one === 'POST /v1/fine_tuning/jobs')
      assert.equal(creates.length, 1)
      if (jobs === 0) await trainer.until(() => trainer.files.size === 0)
    })
  }
})
