import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import type { RunEvent } from '../../sdk/index.ts'
import { send } from '../../rig/scripted-server.ts'
import { startWebhookReceiver } from '../../rig/webhook-receiver.ts'
import { echo, startTestApp } from '../../test/test-app.ts'
import { prepare, fixture } from '../../test/fixture.ts'

let workflowId: string

const app = fixture(() => startTestApp())
prepare(async () => {
  workflowId = await app.createWorkflow()
})
beforeEach(() => {
  app.answer = echo
})

const trigger = (tags: unknown) =>
  app.call('POST', `/v1/workflows/${workflowId}/runs`, { body: { input: 'hello', tags } })
const eventsOf = async (id: string): Promise<RunEvent[]> => {
  const text = String((await app.call('GET', `/v1/runs/${id}/events`)).body)
  const lines = text.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => JSON.parse(line.slice('data: '.length)))
}

describe('tags', () => {
  it('are on the run, in every answer that has it, and on each of its events', async () => {
    const tags = { customer: 'ACME & Söhne', 'a.b_c-1': '' }
    const { status, body } = await trigger(tags)
    assert.equal(status, 202, JSON.stringify(body))
    assert.deepEqual(body.data.tags, tags)
    const { id } = body.data
    assert.deepEqual((await app.rest(id)).tags, tags)
    assert.deepEqual((await app.get(`/v1/workflows/${workflowId}/runs`))[0].tags, tags)
    const events = await eventsOf(id)
    assert.deepEqual(events[0]?.data, { tags })
    assert.ok(events.length > 4)
    for (const event of events) assert.deepEqual(event.tags, tags, event.type)
  })

  it('may be of any letters, as may what is said of a run that failed', async () => {
    const word = `a${'𐌰'.repeat(50)}`
    const { status } = await trigger({ word })
    assert.equal(status, 202)
    app.answer = (_request, response) => send(response, { error: { message: word } }, 400)
    const { id } = (await trigger(undefined)).body.data
    assert.match((await app.rest(id)).error, new RegExp(word))
    const found = await app.get(`/v1/runs?q=${encodeURIComponent(word)}`)
    assert.equal(found.length, 2)
  })

  it('are in the bodies of webhooks', async () => {
    await using receiver = await startWebhookReceiver()
    const body = { url: receiver.url, events: ['run.started', 'run.completed'] }
    const { data } = (await app.call('POST', '/v1/webhooks', { body })).body
    await trigger({ env: 'prod' })
    await receiver.until(() => receiver.received.length > 1)
    for (const { body } of receiver.received) assert.deepEqual(body.data.tags, { env: 'prod' })
    await app.call('DELETE', `/v1/webhooks/${data.id}`)
  })

  it('are kept by a retry', async () => {
    app.answer = (_request, response) => send(response, { error: { message: 'no' } }, 400)
    const { id } = (await trigger({ env: 'prod' })).body.data
    assert.equal((await app.rest(id)).status, 'failed')
    app.answer = echo
    const retry = await app.post(`/v1/runs/${id}/retry`)
    assert.deepEqual(retry.tags, { env: 'prod' })
    await app.rest(retry.id)
    for (const event of await eventsOf(retry.id)) assert.deepEqual(event.tags, { env: 'prod' })
  })

  it('where there are none, are an empty object, and nothing is stored', async () => {
    const { id } = (await trigger({})).body.data
    assert.deepEqual((await app.rest(id)).tags, {})
    for (const event of await eventsOf(id)) assert.deepEqual(event.tags, {})
    const [row] = await app.sql`select tags from runs where id = ${id}`
    assert.equal(row?.tags, null)
  })

  it('have bounds, which messages name', async () => {
    const pairs = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']))
    for (const good of [pairs(16), { ['k'.repeat(40)]: 'ü'.repeat(200) }]) {
      assert.equal((await trigger(good)).status, 202)
    }
    const cases: [unknown, RegExp][] = [
      [pairs(17), /tags has 17 keys, at most 16/],
      [
        { Customer: 'x' },
        /tags has the key "Customer", expected up to 40 of a-z, 0-9, _, \. and -/,
      ],
      [{ ['k'.repeat(41)]: 'x' }, /tags has the key "k+", expected/],
      [{ '': 'x' }, /tags has the key "", expected/],
      [{ a: 'x'.repeat(201) }, /tags\.a has 201 characters, at most 200/],
      [{ a: 1 }, /tags\.a must be a string, not a number/],
      [['a'], /tags must be an object, not an array/],
      [{ a: '\0' }, /tags\.a holds a NUL/],
    ]
    for (const [tags, message] of cases) {
      const { status, body } = await trigger(tags)
      assert.equal(status, 400)
      assert.match(body.error.message, message)
    }
  })
})
