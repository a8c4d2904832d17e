import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { methodOf, pathOf } from '../server/http/operation.ts'
import { resources } from '../server/start/routes.ts'
import { startTestApp, type TestApp } from './test-app.ts'

/** What was read can be sent back, whatever it is and whatever has gone since. */
let app: TestApp
let cookie: string
before(async () => {
  app = await startTestApp({ role: 'api' })
  const token = new URL(app.setupLink ?? '').hash.slice(1)
  const body = { token, email: 'ada@example.com', name: 'Ada', password: 'a long password' }
  const made = await app.call('POST', '/v1/setup', { key: null, body })
  cookie = made.headers.getSetCookie()[0]?.split(';')[0] ?? ''
})
after(() => app[Symbol.asyncDispose]())

const call = (method: string, path: string, body?: object) =>
  app.call(method, path, {
    ...(body && { body }),
    ...(path.startsWith('/v1/operator') ? {} : { key: null, headers: { cookie, origin: app.url } }),
  })
const make = async (path: string, body: object) => {
  const made = await call('POST', path, body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

/** A resource for each PATCH, by its path in the document. */
async function makeAll(): Promise<Record<string, string>> {
  const agent = await make('/v1/agents', { name: 'a', role: 'r', systemPrompt: 's' })
  const gone = await make('/v1/agents', { name: 'gone', role: 'r', systemPrompt: 's' })
  const { link } = await make('/v1/invitations', { email: 'gone@example.com', role: 'approver' })
  const person = { token: new URL(link).hash.slice(1), name: 'Gone', password: 'a long password' }
  const approver = await app.call('POST', '/v1/invitations/accept', { key: null, body: person })
  const workflow = await make('/v1/workflows', {
    name: 'w',
    human_in_the_loop: { approvers: { users: [approver.body.data.id], roles: ['admin'] } },
    crew: [
      { role: 'plain', systemPrompt: 's' },
      { role: 'linked', systemPrompt: 's', agentId: gone.id },
    ],
  })
  await call('DELETE', `/v1/agents/${gone.id}`)
  await call('DELETE', `/v1/users/${approver.body.data.id}`)
  const other = await make('/v1/workflows', { name: 'other' })
  const url = 'https://127.0.0.1:9/'
  const webhook = await make('/v1/webhooks', { url, events: ['run.failed'] })
  const content = 'The pump is old.'
  const ofAgent = await make(`/v1/agents/${agent.id}/memory`, { content })
  const ofWorkflow = await make(`/v1/workflows/${other.id}/memory`, { content, role: 'planner' })
  const me = (await call('GET', '/v1/me')).body.data
  return {
    '/v1/agents/:id': `/v1/agents/${agent.id}`,
    '/v1/workflows/:id': `/v1/workflows/${workflow.id}`,
    '/v1/webhooks/:id': `/v1/webhooks/${webhook.id}`,
    '/v1/agents/:id/memory/:memoryId': `/v1/agents/${agent.id}/memory/${ofAgent.id}`,
    '/v1/workflows/:id/memory/:memoryId': `/v1/workflows/${other.id}/memory/${ofWorkflow.id}`,
    '/v1/policies': '/v1/policies',
    '/v1/me': '/v1/me',
    '/v1/users/:id': `/v1/users/${me.id}`,
    '/v1/operator/accounts/:id': `/v1/operator/accounts/${me.account.id}`,
  }
}

it('every PATCH takes what was read, and refuses other values of what the server makes', async () => {
  const made = await makeAll()
  const patches = resources()
    .flatMap(({ operations }) => operations)
    .filter((one) => methodOf(one) === 'PATCH')
  assert.deepEqual(patches.map(pathOf).sort(), Object.keys(made).sort())
  for (const one of patches) {
    const path = made[pathOf(one)] ?? ''
    const read =
      (await call('GET', path)).body?.data ?? (await call('GET', '/v1/users')).body.data[0]
    const sent = await call('PATCH', path, read)
    assert.equal(sent.status, 200, `${path}: ${JSON.stringify(sent.body)}`)
    const { updated_at: _, ...same } = read
    assert.partialDeepStrictEqual(sent.body.data, same)

    const settable = Object.keys((one.body as unknown as { properties: object }).properties)
    for (const name of Object.keys(read).filter((field) => !settable.includes(field))) {
      const { status, body } = await call('PATCH', path, { [name]: 'another' })
      assert.equal(status, 400, `${path}: ${name}`)
      assert.equal(body.error.param, name)
      assert.match(body.error.message, new RegExp(`: ${name} is made by the server`))
    }
    const own = Object.entries(read).filter(([field]) => settable.includes(field))
    const { body } = await call('PATCH', path, { ...Object.fromEntries(own), zzz: 1 })
    assert.match(body.error.message, /zzz is not a known field/)
  }
})
