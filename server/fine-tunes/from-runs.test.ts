import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import { describeShapes } from './test-fine-tunes.ts'
import { pluck } from '../../test/pluck.ts'
import { codeOf } from '../../test/api-client.ts'

describeShapes('a fine-tune', (at) => {
  const { shape, facts, body, post, create, freshRead } = at

  it('learns from runs, and its model runs the workflow that it came from', async () => {
    const crew = [
      { role: 'planner', systemPrompt: 'Plan.' },
      { role: 'writer', systemPrompt: 'Write.' },
    ]
    const workflow = { name: 'Support', crew, model: 'test/echo' }
    const { id: workflowId } = await at.app.post('/v1/workflows', workflow)
    const run = async (input: string) => {
      const path = `/v1/workflows/${workflowId}/runs`
      return await at.app.get(`/v1/runs/${(await at.app.post(path, { input })).id}?wait=20`)
    }
    const source = {
      source: 'runs',
      workflow_id: workflowId,
      role: 'writer',
      training_data: undefined,
    }
    for (let number = 0; number < 9; number++) await run(`input ${number}`)
    const few = await post(source)
    assert.deepEqual(codeOf(few), [400, 'too_few_examples'])
    assert.match(few.body.error.message, /9 examples/)
    for (let number = 9; number < 12; number++) await run(`input ${number}`)

    const preview = await at.app.post('/v1/fine-tunes/preview', body(source))
    assert.equal(preview.example_count, 12)
    const { made, job } = await create(source)
    assert.deepEqual(
      [made.source, made.source_workflow_id, made.source_role, made.example_count],
      ['runs', workflowId, 'writer', 12],
    )
    const [newest] = (at.trainer.files.get(job.fileId)?.content ?? '').split('\n')
    assert.deepEqual(JSON.parse(newest ?? ''), preview.examples[0])
    assert.deepEqual(JSON.parse(newest ?? '').messages, [
      { role: 'system', content: 'Write.' },
      {
        role: 'user',
        content: 'input 11\n\n## Output of planner (step 0)\n\necho: input 11',
      },
      { role: 'assistant', content: 'echo: echo: input 11' },
    ])

    const setModel = (model: string, key = at.app.key) =>
      at.app.call('PATCH', `/v1/workflows/${workflowId}`, { body: { model }, key })
    at.trainer.setStatus(job, 'succeeded')
    const tuned = String(job.fineTunedModel)
    assert.equal((await setModel(tuned)).status, 400)
    assert.equal((await freshRead(made.id)).fine_tuned_model, tuned)
    assert.equal((await setModel(tuned)).status, 200)
    at.trainer.chats.length = 0
    const done = await run('a new input')
    assert.equal(done.status, 'completed', done.error)
    assert.deepEqual(pluck(at.trainer.chats, 'model'), [tuned, tuned])
    assert.equal(done.steps[0].cost_usd, facts.runCostUsd)
    const listed = (await at.app.get('/v1/models')).at(-1)
    assert.deepEqual(
      [listed.id, listed.kind, listed.available, listed.provider, listed.price_in],
      [tuned, 'fine_tuned', true, shape, facts.rates.inference_rate?.in ?? null],
    )

    const other = await createAccount(at.app.database, 'other')
    const theirs = { body: { name: 'x', model: tuned }, key: other.adminKey }
    const refused = await at.app.call('POST', '/v1/workflows', theirs)
    assert.deepEqual(codeOf(refused), [400, 'unknown_model'])
    assert.ok(!refused.body.error.message.includes(`nearest are ${tuned}`))
    const seen = await at.app.get('/v1/models', other.adminKey)
    assert.ok(!seen.some(({ id }: { id: string }) => id === tuned))

    const near = await setModel(`${tuned}x`)
    assert.match(near.body.error.message, new RegExp(`nearest are ${tuned.replaceAll('.', '\\.')}`))
    await at.app.call('DELETE', `/v1/fine-tunes/${made.id}`)
    // The workflow may keep the deleted model, but no other workflow may choose it.
    assert.equal((await setModel(tuned)).status, 200)
    const another = { body: { name: 'another', model: tuned } }
    assert.equal((await at.app.call('POST', '/v1/workflows', another)).status, 400)
    at.trainer.chats.length = 0
    const failed = await run('once more')
    assert.equal(failed.status, 'failed')
    assert.match(failed.error, /step 1 \(planner\): Cannot run ft:.* was deleted/)
    assert.deepEqual(at.trainer.chats, [])
  })
})
