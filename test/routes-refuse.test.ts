import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startMcpSink } from '../rig/mcp-sink.ts'
import { startTrainer } from '../rig/trainer.ts'
import { createAccount } from '../server/accounts/create-account.ts'
import { allows, keyRoles } from '../server/identity.ts'
import { methodOf, pathOf } from '../server/http/operation.ts'
import { resources } from '../server/start/routes.ts'
import { testOperatorKey } from './api-client.ts'
import { fixture } from './fixture.ts'
import { startTestApp } from './test-app.ts'
import { exampleOf, fillPath, World } from './world.ts'

/**
 * Walks through all operations, so that none is forgotten: each is tried without a key, with an
 * invalid one, a revoked one, each lower role, and with ids of another account.
 */
const routes = resources()
  .flatMap(({ operations }) => operations)
  // With `{id}` in the path if the operation is about one resource.
  .map((one) => ({ ...one, method: methodOf(one), path: pathOf(one).replace(/:(\w+)/g, '{$1}') }))

const trainer = fixture(() => startTrainer('openai'))
const app = fixture(() => {
  const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: trainer.url }
  return startTestApp({ role: 'api', env })
})

async function makeKeyOf(role: string): Promise<{ id: string; key: string }> {
  const { status, body } = await app.call('POST', '/v1/api-keys', { body: { name: role, role } })
  assert.equal(status, 201)
  return body.data
}

/** A well-formed id that does not exist. */
const absent = (path: string) => path.replace(/\{\w+\}/g, 'run_00000000000000000000000000')

describe('every operation', () => {
  it('is in the document, with its method and path, and the document has no other', async () => {
    const { body } = await app.call('GET', '/openapi.json', { key: null })
    const documented = Object.entries(
      body.paths as Record<string, Record<string, { operationId: string }>>,
    )
    const found = documented.flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, one]) => `${method.toUpperCase()} ${path} ${one.operationId}`,
      ),
    )
    assert.deepEqual(
      found.sort(),
      routes.map((one) => `${one.method} ${one.path} ${one.id}`).sort(),
    )
  })

  it('answers 401 without a key, with a bad and with a revoked one', async () => {
    const revoked = await makeKeyOf('admin')
    await app.call('DELETE', `/v1/api-keys/${revoked.id}`)
    for (const { method, path } of routes.filter(({ role }) => role !== 'anyone')) {
      for (const [key, code] of [
        [null, 'missing_api_key'],
        ['mst_wrong', 'invalid_api_key'],
        [revoked.key, 'invalid_api_key'],
      ] as const) {
        const { status, body, headers } = await app.call(method, absent(path), { key })
        assert.equal(status, 401, `${method} ${path} with ${key}`)
        assert.equal(body.error.code, code)
        assert.equal(body.error.type, 'unauthenticated')
        assert.equal(headers.get('www-authenticate'), 'Bearer')
      }
    }
  })

  it('answers 403 to each role below the one it needs and to workers, and not to those that may', async () => {
    for (const role of keyRoles) {
      const { key } = await makeKeyOf(role)
      for (const { method, path, role: needed, forWorkers = false } of routes) {
        const isAllowed = allows(role, needed) || (role === 'worker' && forWorkers)
        const { status, body } = await app.call(method, absent(path), { key })
        assert.equal(status === 403, !isAllowed, `${role}: ${method} ${path} answered ${status}`)
        if (!isAllowed) assert.equal(body.error.code, 'role_required')
      }
    }
  })

  it("answers 404 to another account's ids, with the words for absent ones", async () => {
    await using sink = await startMcpSink()
    const world = new World(app, { text: 'mine', sinkUrl: sink.url })
    await world.all()
    const other = await createAccount(app.database, 'other')
    const isAboutOne = ({ path, role }: (typeof routes)[number]) =>
      path.includes('{') && role !== 'operator'
    // A fine-tune is synchronized when it is read, and a run is held after a while without a
    // worker.
    const changesByItself = new Set(['last_synced_at', 'held'])
    const lists = ['/v1/connectors', '/v1/users', '/v1/invitations']
    const read = async (): Promise<unknown[]> => {
      // The events of an open run or a thread are an endless stream.
      const readable = routes.filter(
        (one) =>
          isAboutOne(one) &&
          one.method === 'GET' &&
          !['runs.events', 'threads.events'].includes(one.id),
      )
      return Promise.all(
        [...readable.map(({ path }) => path), ...lists].map(async (path) => {
          const ids = path.includes('{') ? await idsOf(path) : []
          const { body, status } = await app.call('GET', fillPath(path, ids))
          const text = JSON.stringify(body, (name, value) =>
            changesByItself.has(name) ? undefined : value,
          )
          return [path, status, status === 200 ? text : undefined]
        }),
      )
    }
    const idsOf = async (path: string): Promise<string[]> => [...(await world.first(path)), '0']
    const before = await read()

    // Accounts choose these ids themselves, so storing one is never a 404.
    const stores = ['connectors.connect', 'model_providers.set']
    const withIds = routes.filter((one) => isAboutOne(one) && !stores.includes(one.id))
    assert.ok(withIds.length > 0)
    for (const one of withIds) {
      const [id = '', ...rest] = await idsOf(one.path)
      const body = exampleOf(one)
      const ask = (wanted: string) =>
        app.call(one.method, fillPath(one.path, [wanted, ...rest]), {
          key: other.adminKey,
          ...(body && { body }),
        })
      const theirs = await ask(id)
      const absent = await ask(id.replace(/.{4,5}$/, '00000'))
      assert.equal(theirs.status, 404, `${one.id} answered ${theirs.status}`)
      const plain = ({ body }: typeof theirs) =>
        body.error.message.replace(/\w+_\w{26}|(?<=connector )\w+/, 'ID')
      assert.equal(plain(theirs), plain(absent), 'no hint which')
    }
    assert.deepEqual(await read(), before, 'nothing has changed')
  })

  it('answers 404 once its resource is deleted', async () => {
    const world = new World(app)
    await world.all()
    const deletions = routes.filter(
      ({ id, method, role }) =>
        method === 'DELETE' &&
        role !== 'operator' &&
        !/^(connectors|grants|model_providers|session)/.test(id),
    )
    assert.ok(deletions.length > 8)
    for (const deletion of deletions) {
      const ids = await world.fresh(deletion.path)
      await world.do(deletion.id, { ids })
      for (const one of routes.filter(({ path }) => `${path}/`.startsWith(`${deletion.path}/`))) {
        const { status } = await world.send(one.id, { ids: [...ids, ...ids] })
        assert.equal(status, 404, `${one.id} after ${deletion.id} answered ${status}`)
      }
    }
  })

  it("answers 403 to the operator's key, but for the operator's operations", async () => {
    for (const { method, path, role } of routes.filter((one) => one.role !== 'anyone')) {
      const { status, body } = await app.call(method, absent(path), { key: testOperatorKey })
      assert.equal(status === 403, role !== 'operator', `${method} ${path} answered ${status}`)
      if (role !== 'operator') assert.equal(body.error.code, 'role_required')
    }
  })

  it("shows no list entries of another account's", async () => {
    const other = await createAccount(app.database, 'third')
    const world = new World(app, { text: 'mine' })
    const ids = Object.values(await world.all()).flatMap((all) =>
      all.filter((id) => id.length > 26),
    )
    assert.ok(ids.length > 20)
    for (const { method, path } of routes) {
      if (method !== 'GET' || path.includes('{id}') || path === '/v1/models') continue
      const { body } = await app.call('GET', path, { key: other.adminKey })
      const text = JSON.stringify(body)
      assert.doesNotMatch(text, /mine/)
      for (const id of ids) assert.ok(!text.includes(id), `${path} shows ${id}`)
    }
  })
})
