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
  /** Creates that reached the provider, and the jobs that it made. */
  creates: number
  jobs: number
}

const createCall = 'POST /v1/fine_tuning/jobs'
const cases: Case[] = [
  {
    when: 'after the upload and before the create',
    call: 'POST /v1/files',
    way: 'do-and-hang',
    creates: 0,
    jobs: 0,
  },
  {
    when: 'after the create and before it was stored',
    call: createCall,
    way: 'do-and-hang',
    creates: 1,
    jobs: 1,
  },
  {
    when: 'while a create was on its way that never arrived',
    call: createCall,
    way: 'hang',
    creates: 1,
    jobs: 0,
  },
]

describe('a fine-tune whose process is killed', () => {
  for (const { when, call, way, creates, jobs } of cases) {
    it(`${when} is failed, names the file to look for, and is never created again`, async () => {
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
      await until('the job has failed', 30_000, async () => {
        // Passes the time after which the process that made it must have died.
        await database.query(
          `update fine_tunes set next_sync_at = now(), polled_at = null,
             created_at = (now() at time zone 'UTC' - interval '11 minutes') at time zone 'UTC'
           where stage <> 'created'`,
        )
        return (await list()).body.data[0].status === 'failed'
      })
      const { data } = (await list()).body
      assert.equal(data.length, 1)
      assert.match(data[0].error, new RegExp(`trains on the file ${data[0].id}`))
      assert.equal(trainer.jobs.length, jobs)
      assert.equal(trainer.calls.filter((one) => one === 'POST /v1/files').length, 1)
      assert.equal(trainer.calls.filter((one) => one === createCall).length, creates)
    })
  }
})
