import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeShapes } from './test-fine-tunes.ts'
import { codeOf } from '../../test/api-client.ts'

describeShapes('a fine-tune', (at) => {
  const { post, create, hurry, creates } = at

  it('can be cancelled while it is active, and is unchanged by that afterwards', async () => {
    const { made, job } = await create()
    at.trainer.setStatus(job, 'running')
    const cancel = () => at.app.call('POST', `/v1/fine-tunes/${made.id}/cancel`)
    at.trainer.intervene = (call) => (call.endsWith('/cancel') ? 'cut' : undefined)
    const down = await cancel()
    assert.deepEqual(codeOf(down), [503, 'provider_unavailable'])
    at.trainer.intervene = () => undefined
    const { status, body } = await cancel()
    assert.equal(status, 200)
    assert.deepEqual([body.data.status, body.data.cost_usd], ['cancelled', 0])
    assert.equal(job.status, 'cancelled')
    at.trainer.calls.length = 0
    assert.deepEqual((await cancel()).body.data.finished_at, body.data.finished_at)
    assert.ok(!at.trainer.calls.some((call) => call.endsWith('/cancel')))

    const other = await create()
    at.trainer.setStatus(other.job, 'succeeded')
    assert.equal((await at.app.post(`/v1/fine-tunes/${other.made.id}/cancel`)).status, 'succeeded')
  })

  it('that is cancelled while it is being made ends at the provider too', async () => {
    const cancel = async (): Promise<string> => {
      const [job] = await at.app.get('/v1/fine-tunes')
      return (await at.app.post(`/v1/fine-tunes/${job.id}/cancel`)).status
    }
    let cancelled: Promise<string> | undefined
    at.trainer.intervene = (call) => {
      if (call !== 'POST /v1/fine_tuning/jobs') return undefined
      cancelled = cancel()
      return { until: cancelled }
    }
    assert.equal((await post()).body.data.status, 'cancelled')
    assert.equal(await cancelled, 'cancelled')
    await at.trainer.until(() => at.trainer.jobs.at(-1)?.status === 'cancelled')
    assert.equal(creates().length, 1)
  })

  it('that is deleted is stopped, and is gone even where the provider is down', async () => {
    const { made, job } = await create()
    at.trainer.intervene = () => 'cut'
    const { status, body } = await at.app.call('DELETE', `/v1/fine-tunes/${made.id}`)
    assert.equal(status, 200)
    assert.deepEqual(body.data, { id: made.id, deleted: true })
    assert.equal((await at.app.call('GET', `/v1/fine-tunes/${made.id}`)).status, 404)
    assert.deepEqual(await at.app.get('/v1/fine-tunes'), [])
    at.trainer.intervene = () => undefined
    await hurry()
    await at.trainer.until(() => job.status === 'cancelled' && at.trainer.files.size === 0)
  })
})
