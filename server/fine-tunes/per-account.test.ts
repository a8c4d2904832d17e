import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../../rig/until.ts'
import { codeOf } from '../../test/api-client.ts'
import { startTestApp } from '../../test/test-app.ts'
import { createAccount } from '../accounts/create-account.ts'
import { lockAccount } from '../accounts/bounds.ts'
import { askWhileLocked } from '../db/test-locks.ts'
import { startTrainer } from '../../rig/trainer.ts'
import { fixture } from '../../test/fixture.ts'

describe('the fine-tunes of an account that have not ended', () => {
  const trainer = fixture(() => startTrainer('openai'))
  const app = fixture(() =>
    startTestApp({
      // Without a worker, only the requests of the test call the provider.
      role: 'api',
      env: {
        OPENAI_API_KEY: 'key',
        OPENAI_BASE_URL: trainer.url,
        MUSTER_FINE_TUNES_PER_ACCOUNT: '2',
      },
    }),
  )

  const body = {
    name: 'Bounded',
    base_model: 'gpt-4.1-mini-2025-04-14',
    source: 'upload',
    training_data: '{"input":"a","output":"b"}\n'.repeat(10),
  }
  const post = (key = app.key) => app.call('POST', '/v1/fine-tunes', { body, key })
  const status = async (): Promise<number> => (await post()).status
  const newest = async () => (await app.get('/v1/fine-tunes'))[0]
  const remove = (id: string) => app.call('DELETE', `/v1/fine-tunes/${id}`)

  it('are as many as the setting says, also when they come at once, for each account', async () => {
    const answers = await askWhileLocked(
      app.database,
      (transaction) => lockAccount(transaction, app.accountId),
      () => [post(), post(), post(), post()],
    )
    const [refused, ...others] = answers.filter((answer) => answer.status !== 201)
    assert.equal(others.length, 1)
    assert.deepEqual(codeOf(refused), [409, 'too_many_fine_tunes'])
    assert.match(refused?.body.error.message, /^Cannot create fine-tune: .* 2 fine-tunes/)
    assert.deepEqual([trainer.jobs.length, trainer.files.size], [2, 2])
    const { adminKey } = await createAccount(app.database, 'other')
    assert.equal((await post(adminKey)).status, 201)
  })

  it('make room when they end, are cancelled or deleted', async () => {
    const job = trainer.jobs[0]
    assert.ok(job !== undefined)
    trainer.setStatus(job, 'failed', 'no quota')
    await app.sql`update fine_tunes set polled_at = null`
    await app.call('GET', '/v1/fine-tunes')
    assert.deepEqual([await status(), await status()], [201, 409])
    await app.call('POST', `/v1/fine-tunes/${(await newest()).id}/cancel`)
    assert.deepEqual([await status(), await status()], [201, 409])
    await remove((await newest()).id)
    assert.deepEqual([await status(), await status()], [201, 409])
  })

  it('are those too that were deleted and not stopped, as their provider is down', async () => {
    trainer.intervene = (call) => (call.endsWith('/cancel') ? 'cut' : undefined)
    const { id } = await newest()
    assert.equal((await remove(id)).status, 200)
    assert.equal((await app.call('GET', `/v1/fine-tunes/${id}`)).status, 404)
    assert.equal(await status(), 409)
    trainer.intervene = () => undefined
    // The worker goes on with the job.
    await using _worker = await app.startAnother('worker')
    const row = () =>
      app.database.selectFrom('fine_tunes').select('id').where('id', '=', id).executeTakeFirst()
    await until('the job is gone', 30_000, async () => (await row()) === undefined)
    assert.equal(await status(), 201)
  })

  it('do not count where their upload failed', async () => {
    await remove((await newest()).id)
    trainer.intervene = (call) => (call === 'POST /v1/files' ? 'cut' : undefined)
    assert.deepEqual([await status(), await status()], [503, 503])
    trainer.intervene = () => undefined
    assert.equal(await status(), 201)
  })
})
