import assert from 'node:assert/strict'
import { it } from 'node:test'
import pino from 'pino'
import { startTestApp, testModel } from '../../test/test-app.ts'
import { pluck } from '../../test/pluck.ts'

void it('a workflow without a model takes the default of now, until it names one', async () => {
  await using app = await startTestApp()
  await using later = await app.startAnother('api', { MUSTER_DEFAULT_MODEL: 'muster/demo' })
  const send = async (method: string, path: string, body?: object) =>
    (await app.call(method, `/v1/workflows${path}`, { body })).body.data
  const show = ({ model, model_inherited: inherited }: Record<string, unknown>) => [
    model,
    inherited,
  ]
  const readLater = async (id: string) => {
    const headers = { authorization: `Bearer ${app.key}` }
    const answer = await fetch(`${later.url}/v1/workflows/${id}`, { headers })
    return ((await answer.json()) as { data: Record<string, unknown> }).data
  }

  const made = await send('POST', '', { name: 'a', model: null })
  assert.deepEqual(show(made), [testModel, true])
  assert.deepEqual(show(await readLater(made.id)), ['muster/demo', true])
  const read = await send('GET', `/${made.id}`)
  assert.deepEqual(show(await send('PATCH', `/${made.id}`, read)), [testModel, true])
  assert.deepEqual(show(await send('PATCH', `/${made.id}`, { model: testModel })), [
    testModel,
    true,
  ])

  const kept = await send('PATCH', `/${made.id}`, { model_inherited: false })
  assert.deepEqual(show(kept), [testModel, false])
  assert.deepEqual(show(await readLater(made.id)), [testModel, false])
  assert.deepEqual(show(await send('PATCH', `/${made.id}`, { model: null })), [testModel, true])
  // Writes the model as the previous version of the service does.
  await app.sql`update workflows set model = 'gpt-4.1' where id = ${made.id}`
  const ends = await send('GET', `/${made.id}`)
  assert.deepEqual(show(ends), ['gpt-4.1', false])
  const own = await send('POST', '', { name: 'b', model: testModel })
  assert.deepEqual(show(own), [testModel, false])
})

void it('a model that ends and the stand-in beside a key are warned of, on workflow and run', async () => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  await using app = await startTestApp({ env: { OPENAI_API_KEY: 'k' }, log })
  const demo = { systemPrompt: 's', model: 'muster/demo' }
  const crew = [
    { role: 'a', ...demo },
    { role: 'b', ...demo },
  ]
  const body = { name: 'w', crew, model: 'gpt-4.1-nano' }
  const { data } = (await app.call('POST', '/v1/workflows', { body })).body
  const codes = pluck(data.warnings, 'code')
  assert.deepEqual(codes, ['model_ends', 'demo_model'])
  assert.match(data.warnings[0].message, /^gpt-4\.1-nano was shut down on 2026-10-23/)
  const path = `/v1/workflows/${data.id}/runs`
  const run = await app.post(path, { input: 'x' })
  const done = await app.rest(run.id)
  assert.equal(done.warnings[0].code, 'demo_model')
  assert.match(
    done.warnings[0].message,
    /^step 1 \(a\): muster\/demo is in use although a provider/,
  )
  assert.equal(done.warnings.length, 2)
  const told = lines.filter((line) => line.includes('muster/demo is in use'))
  assert.equal(told.length, 1, 'the log says it once a process')
})
