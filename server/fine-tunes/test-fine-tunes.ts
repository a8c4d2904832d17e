import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe } from 'node:test'
import { until, untilFound } from '../../rig/until.ts'
import { startTestApp, type TestApp } from '../../test/test-app.ts'
import { providerIds, type ProviderId } from './providers/settings.ts'
import { startTrainer, type Trainer } from '../../rig/trainer.ts'

export const lines = (count: number): string =>
  Array.from({ length: count }, (_, number) =>
    JSON.stringify({ input: `Question ${number}?`, output: `Answer ${number}.` }),
  ).join('\n')

const shapes = {
  openai: {
    baseModel: 'gpt-4.1-mini-2025-04-14',
    hyperparameters: { epochs: 2 },
    foreign: { training_steps: 5 },
    words: { validating: 'validating_files', succeeded: 'succeeded', weird: 'weird' },
    // 40,000 tokens at 5 USD a million; the other provider reports the cost itself.
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

/** Runs the tests against a service with a provider of each API shape. */
export function describeShapes(what: string, addTests: (at: Rig) => void): void {
  for (const shape of providerIds) {
    describe(`${what} at a provider of the shape of ${shape}`, () => addTests(prepare(shape)))
  }
}

type Rig = ReturnType<typeof prepare>

function prepare(shape: ProviderId) {
  const facts = shapes[shape]
  let app: TestApp
  let trainer: Trainer
  before(async () => {
    trainer = await startTrainer(shape)
    const name = shape.toUpperCase()
    app = await startTestApp({
      env: { [`${name}_API_KEY`]: 'key', [`${name}_BASE_URL`]: trainer.url },
      intervals: { fineTunesMs: 50 },
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
  /** Makes the next read of a job ask the provider, however recent the last answer is. */
  async function freshRead(id: string) {
    await app.database.updateTable('fine_tunes').set({ polled_at: null }).execute()
    return read(id)
  }
  /** Makes the next sync of all unfinished jobs due. */
  const hurry = (fields: Record<string, unknown> = {}) =>
    app.database
      .updateTable('fine_tunes')
      .set({ next_sync_at: new Date(0), polled_at: null, ...fields })
      .where('next_sync_at', 'is not', null)
      .execute()
  const untilRow = (id: string, isSo: (row: Record<string, unknown>) => boolean) =>
    untilFound(`the row of ${id}`, 60_000, async () => {
      const all = app.database.selectFrom('fine_tunes').selectAll()
      const row = await all.where('id', '=', id).executeTakeFirst()
      return row !== undefined && isSo(row) ? row : undefined
    })
  /** Waits until nothing of the deleted jobs is left, here and at the provider. */
  const settled = (): Promise<void> =>
    until('nothing of the deleted jobs is left', 60_000, async () => {
      const rows = await app.database.selectFrom('fine_tunes').select('id').execute()
      const sets = await app.database.selectFrom('fine_tune_datasets').selectAll().execute()
      if (rows.length === 0 && sets.length === 0 && trainer.files.size === 0) return true
      await app.database.updateTable('fine_tunes').set({ polled_at: null }).execute()
      return false
    })
  const creates = () => trainer.calls.filter((call) => call.endsWith('POST /v1/fine_tuning/jobs'))
  return {
    get app() {
      return app
    },
    get trainer() {
      return trainer
    },
    shape,
    facts,
    body,
    post,
    create,
    read,
    freshRead,
    hurry,
    untilRow,
    creates,
  }
}
