import assert from 'node:assert/strict'
import { it } from 'node:test'
import { lockAccount } from '../accounts/bounds.ts'
import { askWhileLocked } from '../db/test-locks.ts'
import { describeShapes } from './test-fine-tunes.ts'
import { pluck } from '../../test/pluck.ts'

describeShapes('a new fine-tune', (at) => {
  const { shape, facts, body, post, create, freshRead, creates } = at

  it('that the provider rejects, or fails, has its words and no model', async () => {
    at.trainer.intervene = (call) =>
      call === 'POST /v1/fine_tuning/jobs'
        ? { status: 400, body: { error: { message: 'no quota' }, message: 'no quota' } }
        : undefined
    const rejected = await post()
    assert.equal(rejected.status, 201)
    const { status, error, provider_job_id, finished_at } = rejected.body.data
    assert.deepEqual([status, error, provider_job_id], ['failed', 'no quota', undefined])
    assert.notEqual(finished_at, undefined)
    at.trainer.intervene = () => undefined
    await at.trainer.until(() => at.trainer.files.size === 0)

    const { made, job } = await create()
    at.trainer.setStatus(job, 'failed', 'line 3 is bad')
    const failed = await freshRead(made.id)
    assert.deepEqual(
      [failed.status, failed.error, failed.cost_usd, failed.fine_tuned_model],
      ['failed', 'line 3 is bad', 0, null],
    )
  })

  it('of a key that is revoked while it waits for its turn never gets to the provider', async () => {
    const { app } = at
    const { id, key } = await app.post('/v1/api-keys', { name: 'k', role: 'member' })
    const answers = await askWhileLocked(
      app.database,
      (transaction) => lockAccount(transaction, app.accountId),
      () => [app.call('POST', '/v1/fine-tunes', { key, body: body() })],
      (transaction) => transaction.deleteFrom('api_keys').where('id', '=', id).execute(),
    )
    assert.deepEqual(pluck(answers, 'status'), [401])
    assert.deepEqual(await app.get('/v1/fine-tunes'), [])
    assert.deepEqual(creates(), [])
  })

  it('whose upload fails is not stored: 503, safe to repeat', async () => {
    const before = at.trainer.jobs.length
    const ways = [
      'cut',
      'do-and-cut',
      { status: 500, body: {} },
      { status: 429, body: {} },
    ] as const
    for (const way of ways) {
      at.trainer.intervene = (call) => (call === 'POST /v1/files' ? way : undefined)
      const { status, body, headers } = await post()
      assert.equal(status, 503)
      assert.equal(body.error.code, 'provider_unavailable')
      assert.notEqual(headers.get('retry-after'), null)
    }
    assert.deepEqual(await at.app.get('/v1/fine-tunes'), [])
    assert.equal(at.trainer.jobs.length, before)
    at.trainer.files.clear()
    at.trainer.intervene = () => undefined
    await create()
  })

  it('whose upload is refused for good is 400, in the words of the provider', async () => {
    const said = { error: { message: 'no such purpose' }, message: 'no such purpose' }
    for (const [refused, words] of [
      [400, /did not accept the training file: no such purpose$/],
      [401, /no such purpose; the deployment's key for it is not valid, or may not do this$/],
    ] as const) {
      at.trainer.intervene = (call) =>
        call === 'POST /v1/files' ? { status: refused, body: said } : undefined
      const { status, body, headers } = await post()
      assert.deepEqual([status, body.error.code], [400, 'provider_refused'])
      assert.match(body.error.message, words)
      assert.equal(headers.get('retry-after'), null)
    }
    at.trainer.intervene = () => undefined
  })

  for (const way of ['do-and-cut', { status: 500, body: {} }] as const) {
    it(`whose create has an unknown end (${JSON.stringify(way)}) is failed, and says what to look for`, async () => {
      at.trainer.intervene = (call) => (call === 'POST /v1/fine_tuning/jobs' ? way : undefined)
      const { status, body } = await post()
      assert.equal(status, 201)
      assert.equal(body.data.status, 'failed')
      assert.equal(creates().length, 1)
      // The provider may be training on the file, so it stays there.
      const [fileId = ''] = [...at.trainer.files.keys()]
      const words = `the file ${fileId} (${body.data.id}.jsonl), and cancel it`
      assert.ok(body.data.error.includes(words), body.data.error)
      assert.equal(body.data.cost_usd, undefined)
      at.trainer.files.clear()
    })
  }

  it('takes only what its provider knows', async () => {
    const cases: [Record<string, unknown>, string, RegExp][] = [
      [{ hyperparameters: facts.foreign }, 'invalid_value', /does not accept/],
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
    assert.deepEqual(at.trainer.calls, [])
  })
})
