import assert from 'node:assert/strict'
import { it } from 'node:test'
import { timeouts } from './providers/contract.ts'
import { describeShapes } from './test-fine-tunes.ts'
import { pluck } from '../../test/pluck.ts'

describeShapes('a fine-tune', (at) => {
  const { shape, facts, create, read, freshRead, hurry, untilRow } = at

  it('goes from its creation to a model, with every field of the provider', async () => {
    const { hyperparameters } = facts
    const { made, job } = await create({ suffix: 'tone-1', hyperparameters })
    assert.deepEqual(
      {
        ...made,
        id: '',
        created_at: '',
        last_synced_at: '',
      },
      {
        id: '',
        name: 'Tone of support',
        provider: shape,
        provider_label: made.provider_label,
        base_model: facts.baseModel,
        base_model_label: made.base_model_label,
        suffix: 'tone-1',
        status: 'validating',
        provider_status: facts.words.validating,
        source: 'upload',
        example_count: 12,
        training_bytes: made.training_bytes,
        hyperparameters,
        provider_job_id: job.id,
        fine_tuned_model: null,
        trained_tokens: null,
        cost_usd: 0,
        inference_rate: facts.rates.inference_rate,
        ...(facts.rates.training_rate === undefined ? {} : { training_rate: 5 }),
        error: null,
        created_at: '',
        last_synced_at: '',
      },
    )
    assert.match(made.id, /^ft_/)
    const file = at.trainer.files.get(job.fileId)
    assert.equal(Buffer.byteLength(file?.content ?? ''), made.training_bytes)
    assert.deepEqual(JSON.parse(file?.content.split('\n')[3] ?? ''), {
      messages: [
        { role: 'user', content: 'Question 3?' },
        { role: 'assistant', content: 'Answer 3.' },
      ],
    })
    assert.equal(job.request['suffix'], 'tone-1')
    assert.deepEqual(
      shape === 'openai' ? job.request['method'] : job.request['hyperparameters'],
      shape === 'openai'
        ? { type: 'supervised', supervised: { hyperparameters: { n_epochs: 2 } } }
        : hyperparameters,
    )

    at.trainer.setStatus(job, 'queued')
    assert.equal((await freshRead(made.id)).status, 'queued')
    at.trainer.setStatus(job, 'running')
    const running = await freshRead(made.id)
    assert.equal(running.status, 'running')
    assert.notEqual(running.started_at, undefined)
    // A status may go back, and a status word that is unknown here leaves the last known one.
    at.trainer.setStatus(job, 'queued')
    assert.equal((await freshRead(made.id)).status, 'queued')
    at.trainer.setStatus(job, 'running')
    await freshRead(made.id)
    at.trainer.setStatus(job, 'weird')
    const weird = await freshRead(made.id)
    assert.deepEqual([weird.status, weird.provider_status], ['running', facts.words.weird])
    at.trainer.setStatus(job, 'succeeded')
    const done = await freshRead(made.id)
    assert.deepEqual(
      [done.status, done.provider_status, done.fine_tuned_model, done.trained_tokens],
      ['succeeded', facts.words.succeeded, job.fineTunedModel, 40_000],
    )
    assert.equal(done.cost_usd, facts.costUsd)
    assert.equal(done.finished_at, new Date((job.finishedAt ?? 0) * 1000).toISOString())

    const data = await at.app.get(`/v1/fine-tunes/${made.id}/events`)
    assert.equal(data.length, job.events.length)
    const times = pluck(data, 'at')
    assert.deepEqual(
      times,
      times.toSorted((a: string, b: string) => a.localeCompare(b)),
    )
    assert.deepEqual(Object.keys(data[0]).sort(), ['at', 'level', 'message'])
    // An ended job keeps its status, and its training file is deleted at the provider.
    await at.trainer.until(() => at.trainer.files.size === 0)
    at.trainer.setStatus(job, 'running')
    assert.equal((await freshRead(made.id)).status, 'succeeded')
  })

  it('is asked for once a second at most, and shows what is stored while the provider is down', async () => {
    const { made, job } = await create()
    at.trainer.setStatus(job, 'running')
    await at.app.sql`update fine_tunes set polled_at = null`
    at.trainer.calls.length = 0
    const [first] = await Promise.all(Array.from({ length: 5 }, () => read(made.id)))
    assert.equal(at.trainer.calls.length, 1)
    assert.ok(['running', 'validating'].includes(first.status))
    for (const way of ['cut', { status: 500, body: { error: {} } }] as const) {
      at.trainer.intervene = () => way
      at.trainer.setStatus(job, 'queued')
      const stored = await freshRead(made.id)
      assert.equal(stored.status, 'running')
      at.trainer.intervene = () => undefined
      at.trainer.setStatus(job, 'running')
    }
    const { body: log } = await at.app.call('GET', `/v1/fine-tunes/${made.id}/events`)
    at.trainer.intervene = () => 'cut'
    await at.app.sql`update fine_tunes set events_polled_at = null`
    const { body: again } = await at.app.call('GET', `/v1/fine-tunes/${made.id}/events`)
    assert.ok(log.data.length > 0)
    assert.deepEqual(again.data, log.data)
  })

  it('is answered within the time-out by a provider that hangs', async (test) => {
    test.mock.property(timeouts, 'read', 100)
    const { made } = await create()
    at.trainer.calls.length = 0
    at.trainer.intervene = () => 'hang'
    assert.equal((await freshRead(made.id)).status, 'validating')
    assert.ok(at.trainer.calls.length > 0)
  })

  it('is followed by the background', async () => {
    const { made, job } = await create()
    at.trainer.setStatus(job, 'succeeded')
    await hurry()
    await untilRow(made.id, ({ status }) => status === 'succeeded')
    await untilRow(made.id, ({ next_sync_at }) => next_sync_at === null)
    assert.equal(at.trainer.files.size, 0)
  })

  it('that its provider has not known for hours, whenever it was asked, has failed', async () => {
    const { made, job } = await create()
    at.trainer.setStatus(job, 'running')
    assert.equal((await freshRead(made.id)).status, 'running')
    const rowNow = () => untilRow(made.id, () => true)
    const set = (fields: Record<string, unknown>) =>
      at.app.database.updateTable('fine_tunes').set(fields).where('id', '=', made.id).execute()
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
    const forget = () => {
      at.trainer.intervene = (call) =>
        call === `GET /v1/fine_tuning/jobs/${job.id}`
          ? { status: 404, body: { error: { message: 'no such job' }, message: 'no such job' } }
          : undefined
    }
    forget()
    // Many answers that the job is missing, within a short time.
    for (let times = 0; times < 12; times++) {
      assert.equal((await freshRead(made.id)).status, 'running')
    }
    assert.equal((await rowNow())['missing_answers'], 12)
    // Only one such answer in a long time, during which the provider may have been unreachable.
    await set({ missing_since: hoursAgo(7), missing_answers: 1 })
    assert.equal((await freshRead(made.id)).status, 'running')
    at.trainer.intervene = () => ({ status: 500, body: {} })
    await set({ missing_answers: 100 })
    assert.equal((await freshRead(made.id)).status, 'running')
    // A later answer that knows the job resets the count.
    at.trainer.intervene = () => undefined
    assert.equal((await freshRead(made.id)).status, 'running')
    const { missing_since: since, missing_answers: answers } = await rowNow()
    assert.deepEqual([since, answers], [null, 0])

    forget()
    await freshRead(made.id)
    await set({ missing_since: hoursAgo(7), missing_answers: 9 })
    await hurry()
    await untilRow(made.id, ({ status }) => status === 'failed')
    const { error, cost_usd: cost, finished_at: end } = await read(made.id)
    assert.equal(error, 'The provider has not known the job for 6 hours')
    assert.equal(cost, undefined)
    assert.ok(end !== undefined)
    // The uploaded file is deleted, as at every other end of a job.
    await untilRow(made.id, ({ next_sync_at }) => next_sync_at === null)
    assert.equal(at.trainer.files.size, 0)
  })
})
