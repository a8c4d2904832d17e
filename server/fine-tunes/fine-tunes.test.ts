import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../../test/test-app.ts'
import { createAccount } from '../accounts/create-account.ts'
import type { ProviderId } from './settings.ts'
import { startTrainer, type Trainer } from './test-trainer.ts'

const lines = (count: number) =>
  Array.from({ length: count }, (_, number) =>
    JSON.stringify({ input: `Question ${number}?`, output: `Answer ${number}.` }),
  ).join('\n')

const shapes = {
  openai: {
    baseModel: 'gpt-4.1-mini-2025-04-14',
    hyperparameters: { epochs: 2 },
    foreign: { training_steps: 5 },
    words: { validating: 'validating_files', succeeded: 'succeeded', weird: 'weird' },
    // 40,000 tokens at 5 USD a million; the other provider says it itself.
    costUsd: 0.2,
    rates: { inference_rate: { in: 0.8, out: 3.2 }, training_rate: 5 },
    runCostUsd: 0.0024,
  },
  mistral: {
    baseModel: 'mistral-small-latest',
    hyperparameters: { training_steps: 20, learning_rate: 0.0001 },
    foreign: { epochs: 5 },
    words: { validating: 'VALIDATING', succeeded: 'SUCCESS', weird: 'WEIRD' },
    costUsd: 4,
    rates: { inference_rate: null, training_rate: undefined },
    runCostUsd: 0,
  },
} satisfies Record<ProviderId, unknown>

for (const shape of ['openai', 'mistral'] as const) {
  const facts = shapes[shape]

  describe(`a fine-tune at a provider of the shape of ${shape}`, () => {
    let app: TestApp
    let trainer: Trainer
    before(async () => {
      trainer = await startTrainer(shape)
      const name = shape.toUpperCase()
      app = await startTestApp({
        env: { [`${name}_API_KEY`]: 'key', [`${name}_BASE_URL`]: trainer.url },
      })
    })
    beforeEach(() => {
      trainer.intervene = () => undefined
      trainer.calls.length = 0
    })
    afterEach(async () => {
      trainer.intervene = () => undefined
      trainer.release()
      for (const { id } of (await app.call('GET', '/v1/fine-tunes')).body.data) {
        await app.call('DELETE', `/v1/fine-tunes/${id}`)
      }
      await settled()
    })
    after(async () => {
      await app[Symbol.asyncDispose]()
      await trainer[Symbol.asyncDispose]()
    })

    const body = (fields: Record<string, unknown> = {}) => ({
      name: 'Tone of support',
      base_model: facts.baseModel,
      source: 'upload',
      training_data: lines(12),
      ...fields,
    })
    const post = (fields: Record<string, unknown> = {}) =>
      app.call('POST', '/v1/fine-tunes', { body: body(fields) })
    async function create(fields: Record<string, unknown> = {}) {
      const answered = await post(fields)
      assert.equal(answered.status, 201, JSON.stringify(answered.body))
      const job = trainer.jobs.at(-1)
      assert.ok(job !== undefined)
      return { made: answered.body.data, job }
    }
    const read = async (id: string) => (await app.call('GET', `/v1/fine-tunes/${id}`)).body.data
    /** Lets the next read ask the provider at once. */
    async function freshRead(id: string) {
      await app.database.updateTable('fine_tunes').set({ polled_at: null }).execute()
      return read(id)
    }
    /** Lets the background look at everything now. */
    const hurry = (fields: Record<string, unknown> = {}) =>
      app.database
        .updateTable('fine_tunes')
        .set({ next_sync_at: new Date(0), polled_at: null, ...fields })
        .where('next_sync_at', 'is not', null)
        .execute()
    async function untilRow(id: string, isSo: (row: Record<string, unknown>) => boolean) {
      for (;;) {
        const row = await app.database
          .selectFrom('fine_tunes')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirst()
        if (row !== undefined && isSo(row)) return row
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    /** Nothing is left of what was deleted, here and at the provider. */
    async function settled(): Promise<void> {
      for (;;) {
        const rows = await app.database.selectFrom('fine_tunes').select('id').execute()
        const sets = await app.database.selectFrom('fine_tune_datasets').selectAll().execute()
        if (rows.length === 0 && sets.length === 0 && trainer.files.size === 0) return
        await app.database.updateTable('fine_tunes').set({ polled_at: null }).execute()
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const creates = () => trainer.calls.filter((call) => call.endsWith('POST /v1/fine_tuning/jobs'))

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
      const file = trainer.files.get(job.fileId)
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

      trainer.setStatus(job, 'queued')
      assert.equal((await freshRead(made.id)).status, 'queued')
      trainer.setStatus(job, 'running')
      const running = await freshRead(made.id)
      assert.equal(running.status, 'running')
      assert.notEqual(running.started_at, undefined)
      // A provider may change its mind, and may say what nobody knows.
      trainer.setStatus(job, 'queued')
      assert.equal((await freshRead(made.id)).status, 'queued')
      trainer.setStatus(job, 'running')
      await freshRead(made.id)
      trainer.setStatus(job, 'weird')
      const weird = await freshRead(made.id)
      assert.deepEqual([weird.status, weird.provider_status], ['running', facts.words.weird])
      trainer.setStatus(job, 'succeeded')
      const done = await freshRead(made.id)
      assert.deepEqual(
        [done.status, done.provider_status, done.fine_tuned_model, done.trained_tokens],
        ['succeeded', facts.words.succeeded, job.fineTunedModel, 40_000],
      )
      assert.equal(done.cost_usd, facts.costUsd)
      assert.equal(done.finished_at, new Date((job.finishedAt ?? 0) * 1000).toISOString())

      const { body: log } = await app.call('GET', `/v1/fine-tunes/${made.id}/events`)
      assert.equal(log.data.length, job.events.length)
      const times = log.data.map(({ at }: { at: string }) => at)
      assert.deepEqual(
        times,
        times.toSorted((a: string, b: string) => a.localeCompare(b)),
      )
      assert.deepEqual(Object.keys(log.data[0]).sort(), ['at', 'level', 'message'])
      // What has ended stays as it is, and its file goes.
      await trainer.until(() => trainer.files.size === 0)
      trainer.setStatus(job, 'running')
      assert.equal((await freshRead(made.id)).status, 'succeeded')
    })

    it('is asked for once a second at most, and shows what is stored while the provider is down', async () => {
      const { made, job } = await create()
      trainer.setStatus(job, 'running')
      await app.database.updateTable('fine_tunes').set({ polled_at: null }).execute()
      trainer.calls.length = 0
      const [first] = await Promise.all(Array.from({ length: 5 }, () => read(made.id)))
      assert.equal(trainer.calls.length, 1)
      assert.ok(['running', 'validating'].includes(first.status))
      for (const way of ['cut', { status: 500, body: { error: {} } }] as const) {
        trainer.intervene = () => way
        trainer.setStatus(job, 'queued')
        const stored = await freshRead(made.id)
        assert.equal(stored.status, 'running')
        trainer.intervene = () => undefined
        trainer.setStatus(job, 'running')
      }
      const { body: log } = await app.call('GET', `/v1/fine-tunes/${made.id}/events`)
      trainer.intervene = () => 'cut'
      await app.database.updateTable('fine_tunes').set({ events_polled_at: null }).execute()
      const { body: again } = await app.call('GET', `/v1/fine-tunes/${made.id}/events`)
      assert.ok(log.data.length > 0)
      assert.deepEqual(again.data, log.data)
    })

    it('is answered within the time-out by a provider that hangs', async () => {
      const { made } = await create()
      trainer.intervene = () => 'hang'
      const began = performance.now()
      assert.equal((await freshRead(made.id)).status, 'validating')
      assert.ok(performance.now() - began > 4_000, 'it was to wait for the provider')
    })

    it('is followed by the background', async () => {
      const { made, job } = await create()
      trainer.setStatus(job, 'succeeded')
      await hurry()
      await untilRow(made.id, ({ status }) => status === 'succeeded')
      await untilRow(made.id, ({ next_sync_at }) => next_sync_at === null)
      assert.equal(trainer.files.size, 0)
    })

    it('that the provider rejects, or fails, has its words and no model', async () => {
      trainer.intervene = (call) =>
        call === 'POST /v1/fine_tuning/jobs'
          ? { status: 400, body: { error: { message: 'no quota' }, message: 'no quota' } }
          : undefined
      const rejected = await post()
      assert.equal(rejected.status, 201)
      const { status, error, provider_job_id, finished_at } = rejected.body.data
      assert.deepEqual([status, error, provider_job_id], ['failed', 'no quota', undefined])
      assert.notEqual(finished_at, undefined)
      trainer.intervene = () => undefined
      await trainer.until(() => trainer.files.size === 0)

      const { made, job } = await create()
      trainer.setStatus(job, 'failed', 'line 3 is bad')
      const failed = await freshRead(made.id)
      assert.deepEqual(
        [failed.status, failed.error, failed.cost_usd, failed.fine_tuned_model],
        ['failed', 'line 3 is bad', 0, null],
      )
    })

    it('whose upload fails is not stored: 503, safe to repeat', async () => {
      const before = trainer.jobs.length
      const ways = [
        'cut',
        'do-and-cut',
        { status: 500, body: {} },
        { status: 401, body: {} },
      ] as const
      for (const way of ways) {
        trainer.intervene = (call) => (call === 'POST /v1/files' ? way : undefined)
        const { status, body, headers } = await post()
        assert.equal(status, 503)
        assert.equal(body.error.code, 'provider_unavailable')
        assert.notEqual(headers.get('retry-after'), null)
      }
      assert.deepEqual((await app.call('GET', '/v1/fine-tunes')).body.data, [])
      assert.equal(trainer.jobs.length, before)
      assert.equal(trainer.files.size, 0)
      trainer.intervene = () => undefined
      await create()
    })

    it('whose create was cut off after it was made is found and not made again', async () => {
      trainer.intervene = (call) =>
        call === 'POST /v1/fine_tuning/jobs' ? 'do-and-cut' : undefined
      const { made, job } = await create()
      assert.equal(made.provider_job_id, job.id)
      assert.equal(creates().length, 1)
    })

    it('whose create has an unknown end is looked for, and failed when it never arrived', async () => {
      const before = trainer.jobs.length
      let isDown = true
      trainer.intervene = (call) => {
        if (call === 'POST /v1/fine_tuning/jobs') return { status: 500, body: {} }
        return isDown && call === 'GET /v1/fine_tuning/jobs' ? 'cut' : undefined
      }
      const { body } = await post()
      const { id, status, provider_job_id: jobId } = body.data
      assert.deepEqual([status, jobId], ['queued', undefined])
      isDown = false
      await hurry()
      await trainer.until(() => trainer.calls.at(-1) === 'GET /v1/fine_tuning/jobs')
      assert.equal((await read(id)).status, 'queued')
      await hurry({ create_sent_at: new Date(Date.now() - 121_000) })
      await untilRow(id, (row) => row['status'] === 'failed')
      assert.match((await read(id)).error, /did not say/)
      assert.equal(creates().length, 1)
      assert.equal(trainer.jobs.length, before)
      await trainer.until(() => trainer.files.size === 0)
    })

    it('can be cancelled while it is active, and is unchanged by that afterwards', async () => {
      const { made, job } = await create()
      trainer.setStatus(job, 'running')
      const cancel = () => app.call('POST', `/v1/fine-tunes/${made.id}/cancel`)
      trainer.intervene = (call) => (call.endsWith('/cancel') ? 'cut' : undefined)
      const down = await cancel()
      assert.deepEqual([down.status, down.body.error.code], [503, 'provider_unavailable'])
      trainer.intervene = () => undefined
      const { status, body } = await cancel()
      assert.equal(status, 200)
      assert.deepEqual([body.data.status, body.data.cost_usd], ['cancelled', 0])
      assert.equal(job.status, 'cancelled')
      trainer.calls.length = 0
      assert.deepEqual((await cancel()).body.data.finished_at, body.data.finished_at)
      assert.ok(!trainer.calls.some((call) => call.endsWith('/cancel')))

      const other = await create()
      trainer.setStatus(other.job, 'succeeded')
      const late = await app.call('POST', `/v1/fine-tunes/${other.made.id}/cancel`)
      assert.equal(late.body.data.status, 'succeeded')
    })

    it('that is cancelled while it is being made ends at the provider too', async () => {
      const held = Promise.withResolvers<string>()
      trainer.intervene = (call) => {
        if (call !== 'POST /v1/fine_tuning/jobs') return undefined
        void app
          .call('GET', '/v1/fine-tunes')
          .then(({ body }) => app.call('POST', `/v1/fine-tunes/${body.data[0].id}/cancel`))
          .then(({ body }) => held.resolve(body.data.status))
        return 'do-and-hang'
      }
      void post().catch(() => {})
      assert.equal(await held.promise, 'cancelled')
      trainer.intervene = () => undefined
      trainer.release()
      await hurry()
      await trainer.until(() => trainer.jobs.at(-1)?.status === 'cancelled')
      assert.equal(creates().length, 1)
    })

    it('that is deleted is stopped, and is gone even where the provider is down', async () => {
      const { made, job } = await create()
      trainer.intervene = () => 'cut'
      const { status, body } = await app.call('DELETE', `/v1/fine-tunes/${made.id}`)
      assert.equal(status, 200)
      assert.deepEqual(body.data, { id: made.id, deleted: true })
      assert.equal((await app.call('GET', `/v1/fine-tunes/${made.id}`)).status, 404)
      assert.deepEqual((await app.call('GET', '/v1/fine-tunes')).body.data, [])
      trainer.intervene = () => undefined
      await hurry()
      await trainer.until(() => job.status === 'cancelled' && trainer.files.size === 0)
    })

    it('is made once however often a request with the same Idempotency-Key is sent', async () => {
      const headers = { 'idempotency-key': 'once' }
      const send = (data: string) =>
        app.call('POST', '/v1/fine-tunes', { body: body({ training_data: data }), headers })
      const first = await send(lines(12))
      const again = await send(lines(12))
      assert.equal(again.headers.get('idempotent-replayed'), 'true')
      assert.equal(again.body.data.id, first.body.data.id)
      assert.equal((await send(lines(13))).status, 422)
      assert.equal(creates().length, 1)
    })

    it('takes only what its provider knows', async () => {
      const cases: [Record<string, unknown>, string, RegExp][] = [
        [{ hyperparameters: facts.foreign }, 'invalid_value', /does not take/],
        [{ hyperparameters: { epoch: 2 } }, 'unknown_field', /epochs/],
        [
          { base_model: 'gpt-9' },
          'unknown_base_model',
          /gpt-4\.1-2025-04-14, gpt-4\.1-mini-2025-04-14, mistral-small-latest, codestral-latest/,
        ],
        [{ suffix: 'not ok' }, 'invalid_format', /suffix/],
        [{ workflow_id: 'wf_x' }, 'invalid_value', /workflow_id/],
        [{ source: 'runs' }, 'invalid_value', /training_data/],
        [{ source: 'runs', training_data: undefined }, 'required', /workflow_id/],
        [{ training_data: undefined }, 'required', /training_data/],
        [{ training_data: 7 }, 'invalid_type', /training_data/],
        [
          { source: 'runs', training_data: undefined, workflow_id: 'wf_x' },
          'unknown_workflow',
          /wf_x/,
        ],
      ]
      for (const [fields, code, words] of cases) {
        const { status, body } = await post(fields)
        assert.equal(status, 400, JSON.stringify(body))
        assert.equal(body.error.code, code)
        assert.match(body.error.message, words)
      }
      const missing = shape === 'openai' ? 'codestral-latest' : 'gpt-4.1-2025-04-14'
      const { status, body } = await post({ base_model: missing, hyperparameters: undefined })
      assert.equal(status, 503)
      assert.equal(body.error.code, 'provider_not_configured')
      assert.match(body.error.message, shape === 'openai' ? /Mistral/ : /OpenAI/)
      assert.deepEqual(trainer.calls, [])
    })

    it('learns from runs, and its model runs the workflow that it came from', async () => {
      const crew = [
        { role: 'planner', systemPrompt: 'Plan.' },
        { role: 'writer', systemPrompt: 'Write.' },
      ]
      const workflow = { name: 'Support', crew, model: 'test/echo' }
      const { id: workflowId } = (await app.call('POST', '/v1/workflows', { body: workflow })).body
        .data
      const run = async (input: string) => {
        const path = `/v1/workflows/${workflowId}/runs`
        const { body } = await app.call('POST', path, { body: { input } })
        return (await app.call('GET', `/v1/runs/${body.data.id}?wait=20`)).body.data
      }
      const source = {
        source: 'runs',
        workflow_id: workflowId,
        role: 'writer',
        training_data: undefined,
      }
      for (let number = 0; number < 9; number++) await run(`input ${number}`)
      const few = await post(source)
      assert.deepEqual([few.status, few.body.error.code], [400, 'too_few_examples'])
      assert.match(few.body.error.message, /9 examples/)
      for (let number = 9; number < 12; number++) await run(`input ${number}`)

      const preview = await app.call('POST', '/v1/fine-tunes/preview', { body: body(source) })
      assert.equal(preview.body.data.example_count, 12)
      const { made, job } = await create(source)
      assert.deepEqual(
        [made.source, made.source_workflow_id, made.source_role, made.example_count],
        ['runs', workflowId, 'writer', 12],
      )
      const [newest] = (trainer.files.get(job.fileId)?.content ?? '').split('\n')
      assert.deepEqual(JSON.parse(newest ?? ''), preview.body.data.examples[0])
      assert.deepEqual(JSON.parse(newest ?? '').messages, [
        { role: 'system', content: 'Write.' },
        {
          role: 'user',
          content: 'input 11\n\n## Output of planner (step 0)\n\necho: input 11',
        },
        { role: 'assistant', content: 'echo: echo: input 11' },
      ])

      const setModel = (model: string, key = app.key) =>
        app.call('PATCH', `/v1/workflows/${workflowId}`, { body: { model }, key })
      trainer.setStatus(job, 'succeeded')
      const tuned = String(job.fineTunedModel)
      assert.equal((await setModel(tuned)).status, 400)
      assert.equal((await freshRead(made.id)).fine_tuned_model, tuned)
      assert.equal((await setModel(tuned)).status, 200)
      trainer.chats.length = 0
      const done = await run('a new input')
      assert.equal(done.status, 'completed', done.error)
      assert.deepEqual(
        trainer.chats.map(({ model }) => model),
        [tuned, tuned],
      )
      assert.equal(done.steps[0].cost_usd, facts.runCostUsd)
      const listed = (await app.call('GET', '/v1/models')).body.data.at(-1)
      assert.deepEqual(
        [listed.id, listed.kind, listed.available, listed.provider, listed.price_in],
        [tuned, 'fine_tuned', true, shape, facts.rates.inference_rate?.in ?? null],
      )

      const other = await createAccount(app.database, 'other')
      const theirs = { body: { name: 'x', model: tuned }, key: other.adminKey }
      const refused = await app.call('POST', '/v1/workflows', theirs)
      assert.deepEqual([refused.status, refused.body.error.code], [400, 'unknown_model'])
      assert.ok(!refused.body.error.message.includes(`nearest are ${tuned}`))
      const seen = (await app.call('GET', '/v1/models', { key: other.adminKey })).body.data
      assert.ok(!seen.some(({ id }: { id: string }) => id === tuned))

      const near = await setModel(`${tuned}x`)
      assert.match(
        near.body.error.message,
        new RegExp(`nearest are ${tuned.replaceAll('.', '\\.')}`),
      )
      await app.call('DELETE', `/v1/fine-tunes/${made.id}`)
      assert.equal((await setModel(tuned)).status, 400)
      trainer.chats.length = 0
      const failed = await run('once more')
      assert.equal(failed.status, 'failed')
      assert.match(failed.error, /step 0 \(planner\): Cannot run ft:.* was deleted/)
      assert.deepEqual(trainer.chats, [])
    })
  })
}
