import assert from 'node:assert/strict'
import { it } from 'node:test'
import { LLMock } from '@copilotkit/aimock'
import { startTestApp } from '../../test/test-app.ts'
import { pluck } from '../../test/pluck.ts'

it("a fine-tune lives its whole life against an independent copy of OpenAI's API", async () => {
  const mock = new LLMock({ port: 0 })
  const url = await mock.start()
  try {
    await using app = await startTestApp({
      env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${url}/v1` },
      intervals: { fineTunesMs: 50 },
    })
    const training_data = Array.from({ length: 10 }, () => '{"input":"a","output":"b"}').join('\n')
    const body = {
      name: 'Tone',
      base_model: 'gpt-4.1-mini-2025-04-14',
      source: 'upload',
      training_data,
      suffix: 'tone',
      hyperparameters: { epochs: 3 },
    }
    const made = await app.call('POST', '/v1/fine-tunes', { body })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const path = `/v1/fine-tunes/${made.body.data.id}`
    const seen: string[] = [made.body.data.status]
    let job = made.body.data
    while (!['succeeded', 'failed'].includes(job.status) && seen.length < 100) {
      await app.sql`update fine_tunes set polled_at = null`
      job = await app.get(path)
      seen.push(job.status)
    }
    assert.deepEqual(seen, ['validating', 'queued', 'running', 'succeeded'])
    assert.match(job.fine_tuned_model, /^ft:gpt-4\.1-mini-2025-04-14:aimock:tone:/)
    assert.equal(job.cost_usd, (job.trained_tokens * 5) / 1_000_000)
    const events = await app.get(`${path}/events`)
    assert.ok(events.length >= 3)
    assert.match(events.at(-1).message, /Training complete/)

    const other = await app.post('/v1/fine-tunes', body)
    assert.equal((await app.post(`/v1/fine-tunes/${other.id}/cancel`)).status, 'cancelled')
    assert.equal((await app.call('DELETE', path)).status, 200)
    assert.deepEqual(pluck(await app.get('/v1/fine-tunes'), 'id'), [other.id])
  } finally {
    await mock.stop()
  }
})
