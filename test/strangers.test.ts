import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createAccount } from '../server/accounts/create-account.ts'
import { until } from '../rig/until.ts'
import { fixture } from './fixture.ts'
import { startTestApp } from './test-app.ts'

const app = fixture(() => startTestApp({ intervals: { hooksMs: 20 } }))

/** With generated inputs of every kind, for ten minutes: `strangers.slow.test.ts`. */
it('an account with hostile hooks makes another account wait neither for an answer nor for its runs', async () => {
  const hostile = app.as((await createAccount(app.database, 'hostile')).adminKey)
  const crew = [{ role: 'r', systemPrompt: 's' }]
  const doubled = `[1]${'.map(x, [x, x])'.repeat(30)}`
  const slow = `{{ body.many | has_exp: 'i', 'body.t contains "aa"' }}`
  const workflow_id = await hostile.createWorkflow({ crew })
  const make = (fields: object) =>
    hostile.post('/v1/hooks', { workflow_id, scheme: 'none', ...fields })
  const hooks = [await make({ filter: `${doubled} == ${doubled}` }), await make({ input: slow })]
  const own = await app.post('/v1/hooks', {
    workflow_id: await app.createWorkflow({ crew }),
    scheme: 'none',
    input: '{% for one in body.list %}{{ one }}{% endfor %}',
  })
  const send = async (url: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const sent = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    return ((await sent.json()) as { data: { id: string } }).data.id
  }
  const many = Array.from({ length: 5_000 }, (_, at) => at)
  const sent: [string, string][] = []
  for (let at = 0; at < 4; at++) {
    for (const { id, url } of hooks) {
      sent.push([id, await send(url, { at, many, t: 'ab'.repeat(150_000) })])
    }
  }
  const event = await send(own.url, { list: ['a', 'b'] })
  const path = `/v1/hooks/${own.id}/deliveries/${event}`
  await until('the other account has its run', 20_000, async () => {
    const askedAt = performance.now()
    const { status } = await app.get(path)
    // Each of the hostile events would hold everybody for seconds to hours.
    const waitedMs = performance.now() - askedAt
    assert.ok(waitedMs < 1_000, `a request waited ${waitedMs} ms`)
    return status === 'started'
  })
  for (const [hookId, id] of sent) {
    let delivery = { status: 'pending', why: '' }
    await until('a hostile event is settled', 60_000, async () => {
      delivery = await hostile.get(`/v1/hooks/${hookId}/deliveries/${id}`)
      return delivery.status !== 'pending'
    })
    assert.equal(delivery.status, 'failed')
    assert.match(delivery.why, /templates: it takes more than 1 s|longer than/)
  }
})
