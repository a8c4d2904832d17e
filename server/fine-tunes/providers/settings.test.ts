import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startTestApp } from '../../../test/test-app.ts'
import { readConfig } from '../../start/config.ts'
import { createFineTuneProviders } from './providers.ts'
import { startTrainer } from '../../../rig/trainer.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-fine-tunes-'))
})
after(() => rm(folder, { recursive: true, force: true }))

async function fileOf(content: unknown): Promise<string> {
  const path = join(folder, 'fine-tunes.json')
  await writeFile(path, JSON.stringify(content))
  return path
}

describe('MUSTER_FINE_TUNES_FILE', () => {
  it('points a provider at another host, whose tuned models another one runs', async (t) => {
    await using trainer = await startTrainer('openai')
    await using host = await startTrainer('openai')
    const modelsFile = join(folder, 'models.yaml')
    const host1 = { id: 'host', base_url: `${host.url}/v1` }
    await writeFile(modelsFile, JSON.stringify({ providers: [host1] }))
    const provider = {
      id: 'openai',
      label: 'Example Host',
      base_url: `${trainer.url}/v1`,
      api_key_env: 'EXAMPLE_HOST_KEY',
      models_provider: 'host',
      base_models: [
        {
          id: 'llama-3.1-8b',
          label: 'Llama',
          training_rate: 0.4,
          inference_rate: { in: 1, out: 2 },
        },
        { id: 'qwen-3' },
      ],
    }
    process.env['EXAMPLE_HOST_KEY'] = 'secret'
    t.after(() => delete process.env['EXAMPLE_HOST_KEY'])
    await using app = await startTestApp({
      env: {
        MUSTER_FINE_TUNES_FILE: await fileOf({ providers: [provider] }),
        MUSTER_MODELS_FILE: modelsFile,
        MUSTER_DEFAULT_MODEL: '',
      },
    })
    const training_data = Array.from({ length: 10 }, () => '{"input":"a","output":"b"}').join('\n')
    const body = { name: 'n', base_model: 'llama-3.1-8b', source: 'upload', training_data }
    const made = await app.post('/v1/fine-tunes', body)
    assert.deepEqual(
      [made.provider_label, made.base_model_label, made.training_rate],
      ['Example Host', 'Llama', 0.4],
    )
    const job = trainer.jobs[0]
    assert.ok(job !== undefined)
    trainer.setStatus(job, 'succeeded')
    // Hosts with OpenAI's API use model ids of their own form.
    job.fineTunedModel = 'models/org-1/tuned'
    await app.sql`update fine_tunes set polled_at = null`
    await app.call('GET', `/v1/fine-tunes/${made.id}`)
    const workflow = { name: 'w', model: job.fineTunedModel }
    const { id } = await app.post('/v1/workflows', workflow)
    const input = { input: 'hello' }
    const run = await app.post(`/v1/workflows/${id}/runs`, input)
    const done = await app.rest(run.id)
    assert.equal(done.status, 'completed', done.error)
    assert.equal(host.chats[0]?.model, job.fineTunedModel)
    assert.deepEqual(trainer.chats, [])
    assert.equal(done.steps[0].cost_usd, 0.002)
  })

  it('with a mistake stops the start, with its place', async () => {
    const config = readConfig({ MUSTER_FINE_TUNES_FILE: join(folder, 'fine-tunes.json') })
    const models = {
      isAvailable: (id: string) => (['openai', 'mistral'].includes(id) ? false : undefined),
    }
    for (const [content, words] of [
      [{ provider: [] }, /provider is not a known field, did you mean providers/],
      [{ providers: [{ id: 'nobody' }] }, /providers\[0\]\.id is "nobody", expected openai/],
      [{ providers: [{ id: 'openai' }, { id: 'openai' }] }, /as in providers\[0\]/],
      [{ providers: [{ id: 'openai', base_url: 'x' }] }, /base_url is "x", expected an http/],
      [{ providers: [{ id: 'openai', base_models: [] }] }, /base_models has 0 items, at least 1/],
      [
        { providers: [{ id: 'openai', base_models: [{ id: 'a', training_rate: -1 }] }] },
        /base_models\[0\]\.training_rate is -1/,
      ],
      [
        { providers: [{ id: 'openai', models_provider: 'host' }] },
        /host is not a provider of models/,
      ],
    ] as const) {
      await fileOf(content)
      await assert.rejects(createFineTuneProviders(config, models, {}), words)
    }
  })
})
