import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createAccount } from '../server/accounts/create-account.ts'
import { allows, roles } from '../server/roles.ts'
import { methodOf, pathOf } from '../server/http/operation.ts'
import { resources } from '../server/start/routes.ts'
import { startTestApp, type TestApp } from './test-app.ts'

/**
 * Walks all operations, so that none can be forgotten: each is tried without a key, with a bad one, a
 * revoked one, each lower role, and on ids of another account.
 */
const routes = resources()
  .flatMap(({ operations }) => operations)
  // With `{id}` in the path where the operation is about one resource.
  .map((one) => ({ ...one, method: methodOf(one), path: pathOf(one).replace(/:(\w+)/g, '{$1}') }))

let app: TestApp

before(async () => {
  app = await startTestApp({ role: 'api' })
})
after(() => app[Symbol.asyncDispose]())

async function makeKeyOf(role: string): Promise<{ id: string; key: string }> {
  const { status, body } = await app.call('POST', '/v1/api-keys', { body: { name: role, role } })
  assert.equal(status, 201)
  return body.data
}

/** An id that nobody has, of the right form. */
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

  it('answers 403 to each role below the one it needs, and not to that one', async () => {
    for (const role of roles) {
      const { key } = await makeKeyOf(role)
      for (const { method, path, role: needed } of routes) {
        const isAllowed = allows(role, needed)
        const { status, body } = await app.call(method, absent(path), { key })
        assert.equal(status === 403, !isAllowed, `${role}: ${method} ${path} answered ${status}`)
        if (!isAllowed) assert.equal(body.error.code, 'role_required')
      }
    }
  })

  it("answers 404 to another account's ids, with the words for absent ones", async () => {
    const workflow = (await app.call('POST', '/v1/workflows', { body: { name: 'mine' } })).body.data
    const run = (
      await app.call('POST', `/v1/workflows/${workflow.id}/runs`, { body: { input: 'secret' } })
    ).body.data
    const key = (await makeKeyOf('viewer')).id
    const webhook = (
      await app.call('POST', '/v1/webhooks', {
        body: { url: 'https://127.0.0.1:9/', events: ['run.failed'], description: 'mine' },
      })
    ).body.data
    const delivery = (await app.call('POST', `/v1/webhooks/${webhook.id}/test`)).body.data
    const agent = (
      await app.call('POST', '/v1/agents', {
        body: { name: 'mine', role: 'r', systemPrompt: 's' },
      })
    ).body.data
    const entry = (
      await app.call('POST', `/v1/agents/${agent.id}/memory`, { body: { content: 'mine' } })
    ).body.data
    const form = new FormData()
    form.append('file', new Blob(['mine']), 'mine.txt')
    const file = (await app.call('POST', '/v1/files', { body: form })).body.data
    await app.call('PUT', '/v1/connectors/slack', { body: { token: 'xoxb-mine' } })
    const { body: account } = await app.call('GET', '/v1/account')
    const invite = async (email: string) =>
      (await app.call('POST', '/v1/invitations', { body: { email, role: 'viewer' } })).body.data
    const invitation = await invite('open@example.com')
    const token = new URL((await invite('mine@example.com')).link).hash.slice(1)
    const person = { token, name: 'mine', password: 'a long password' }
    const user = (await app.call('POST', '/v1/invitations/accept', { key: null, body: person }))
      .body.data
    // Made without a provider.
    const fineTuneId = 'ft_01m7z000000000000000011111'
    await app.database
      .insertInto('fine_tunes')
      .values({
        id: fineTuneId,
        account_id: account.data.id,
        name: 'mine',
        provider: 'openai',
        provider_label: 'OpenAI',
        base_model: 'b',
        base_model_label: 'B',
        source: 'upload',
        example_count: 10,
        training_bytes: 10,
        hyperparameters: '{}',
      })
      .execute()
    const own: Record<string, string> = {
      '/v1/fine-tunes/{id}': fineTuneId,
      '/v1/agents/{id}': agent.id,
      '/v1/files/{id}': file.id,
      '/v1/connectors/{id}': 'slack',
      '/v1/webhooks/{id}': webhook.id,
      '/v1/workflows/{id}': workflow.id,
      '/v1/runs/{id}': run.id,
      '/v1/api-keys/{id}': key,
      '/v1/invitations/{id}': invitation.id,
      '/v1/users/{id}': user.id,
      '/v1/sessions/{id}': user.session_id,
    }
    const bodies: Record<string, unknown> = {
      'workflows.update': { name: 'taken over' },
      'users.update': { role: 'viewer' },
      'webhooks.update': { description: 'taken over' },
      'runs.create': { input: 'x' },
      'runs.respond': { action: 'approve' },
      'agents.update': { name: 'taken over' },
      'agents.memory.create': { content: 'taken over' },
      'agents.memory.update': { content: 'taken over' },
      'workflows.memory.create': { role: 'planner', content: 'taken over' },
      'workflows.memory.update': { content: 'taken over' },
    }
    const other = await createAccount(app.database, 'other')

    // Ids of connectors are chosen by each account for itself, so connecting one is never a 404.
    const withIds = routes.filter(
      ({ path, id, role }) =>
        path.includes('{id}') && id !== 'connectors.connect' && role !== 'operator',
    )
    assert.ok(withIds.length > 0)
    for (const { method, path, id: operation } of withIds) {
      const prefix = Object.keys(own).find((candidate) => path.startsWith(candidate))
      assert.ok(prefix !== undefined, `${path} needs a resource in this test`)
      const id = own[prefix] as string
      const ask = (wanted: string) =>
        app.call(
          method,
          path
            .replace('{id}', wanted)
            .replace('{deliveryId}', delivery.id)
            .replace('{memoryId}', entry.id),
          {
            key: other.adminKey,
            ...(bodies[operation] === undefined ? {} : { body: bodies[operation] }),
          },
        )
      const theirs = await ask(id)
      const nobodys = await ask(id.replace(/.{5}$/, '00000'))
      assert.equal(theirs.status, 404, `${method} ${path} answered ${theirs.status}`)
      const plain = ({ body }: typeof theirs) =>
        body.error.message.replace(/\w+_\w{26}|(?<=connector )\w+/, 'ID')
      assert.equal(plain(theirs), plain(nobodys), 'no hint which')
    }

    const [still, stillRun] = await Promise.all([
      app.call('GET', `/v1/workflows/${workflow.id}`),
      app.call('GET', `/v1/runs/${run.id}`),
    ])
    assert.equal(still.body.data.name, 'mine')
    assert.equal(stillRun.body.data.status, 'queued')
    assert.equal((await app.call('GET', `/v1/webhooks/${webhook.id}`)).status, 200)
    const tune = await app.call('GET', `/v1/fine-tunes/${fineTuneId}`)
    assert.deepEqual([tune.body.data.status, tune.body.data.name], ['queued', 'mine'])
    const memory = (await app.call('GET', `/v1/agents/${agent.id}/memory`)).body.data
    assert.deepEqual(memory, [entry])
    const connectors = (await app.call('GET', '/v1/connectors')).body.data
    assert.equal(connectors.find(({ id }: { id: string }) => id === 'slack').connected, true)
  })

  it("shows no list entries of another account's", async () => {
    const other = await createAccount(app.database, 'third')
    for (const { method, path } of routes) {
      if (method !== 'GET' || path.includes('{id}') || path === '/v1/models') continue
      const { body } = await app.call('GET', path, { key: other.adminKey })
      const text = JSON.stringify(body)
      assert.doesNotMatch(text, /mine/)
    }
  })
})
