import assert from 'node:assert/strict'
import { it } from 'node:test'
import { methodOf, pathOf } from '../server/http/operation.ts'
import { resources } from '../server/start/routes.ts'
import { fixture, prepare } from './fixture.ts'
import { startTestApp } from './test-app.ts'
import { fillPath, World } from './world.ts'

/** Every resource can be sent back as it was read, even if what it refers to no longer exists. */
const app = fixture(() => startTestApp({ role: 'api' }))
let world: World
let cookie: string
prepare(async () => {
  world = new World(app)
  cookie = (await world.setUp()).cookie
})

const call = (method: string, path: string, body?: object) =>
  app.call(method, path, {
    ...(body && { body }),
    ...(path.startsWith('/v1/operator') ? {} : { key: null, headers: { cookie, origin: app.url } }),
  })

/** A workflow whose crew and approvers refer to a deleted agent and user. */
async function createWorkflow(): Promise<string> {
  const agentId = await world.createAgent()
  const approver = await world.join('approver')
  const id = await world.create('workflows.create', {
    with: {
      human_in_the_loop: { approvers: { users: [approver.id], roles: ['admin'] } },
      crew: [
        { role: 'plain', systemPrompt: 's' },
        { role: 'linked', systemPrompt: 's', agentId },
      ],
    },
  })
  await world.do('agents.delete', { ids: [agentId] })
  await world.do('users.delete', { ids: [approver.id] })
  return id
}

it('every PATCH takes what was read, and refuses other values of what the server makes', async () => {
  const workflowId = await createWorkflow()
  const patches = resources()
    .flatMap(({ operations }) => operations)
    .filter((one) => methodOf(one) === 'PATCH')
  assert.ok(patches.length > 8)
  for (const one of patches) {
    const pattern = pathOf(one)
    const ids = pattern.includes(':') ? await world.first(pattern) : []
    const path = fillPath(pattern, pattern === '/v1/workflows/:id' ? [workflowId] : ids)
    const found = (await call('GET', path)).body?.data
    const users: { id: string }[] = (await call('GET', '/v1/users')).body.data
    const user = users.find(({ id }) => id === ids[0])
    // People read the account's name in /v1/me.
    const renamed = pattern === '/v1/account' ? { name: 'Ours' } : undefined
    const read = found ?? user ?? (await call('PATCH', path, renamed)).body.data
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
