import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { callApi, startTestApp, type StartedApp, type TestApp } from '../../test/test-app.ts'
import { bootstrap } from './bootstrap.ts'
import { createAccount } from './create-account.ts'
import { isWellFormedKey } from './key.ts'
import { listAccounts } from './store.ts'

let app: TestApp
let other: StartedApp

before(async () => {
  app = await startTestApp({ role: 'api' })
  other = await app.startAnother('api')
})
after(async () => {
  await other[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

async function makeKey(fields: Record<string, unknown> = {}) {
  const body = { name: 'k', role: 'viewer', ...fields }
  return (await app.call('POST', '/v1/api-keys', { body })).body.data
}
const whoAmI = (key: string) => app.call('GET', '/v1/account', { key })

describe('the first start', () => {
  it('makes the account default with the key of the configuration', async () => {
    const { body } = await app.call('GET', '/v1/account')
    assert.equal(body.data.name, 'default')
    assert.equal(body.data.key.role, 'admin')
  })

  it('happens once, whoever starts', async () => {
    const starts = Array.from({ length: 5 }, () => bootstrap(app.database, undefined))
    assert.deepEqual(await Promise.all(starts), Array.from({ length: 5 }))
    assert.equal((await listAccounts(app.database)).length, 1)
  })
})

describe('API keys', () => {
  it('are shown once, and work with their role', async () => {
    const made = await makeKey({ name: 'reader' })
    assert.ok(isWellFormedKey(made.key))
    assert.ok(made.key.startsWith(made.prefix))
    const { body } = await whoAmI(made.key)
    assert.deepEqual(body.data.key, {
      id: made.id,
      name: 'reader',
      role: 'viewer',
      expires_at: null,
    })
    const list = (await app.call('GET', '/v1/api-keys')).body.data
    const listed = list.find(({ id }: { id: string }) => id === made.id)
    assert.ok(listed.last_used_at !== null)
    assert.ok(!JSON.stringify(list).includes(made.key))
  })

  it('fail on every process as soon as they are revoked', async () => {
    const { id, key } = await makeKey()
    const elsewhere = () => callApi(other.url ?? '', key, 'GET', '/v1/account')
    assert.equal((await elsewhere()).status, 200)
    const { body } = await app.call('DELETE', `/v1/api-keys/${id}`)
    assert.deepEqual(body, { data: { id, deleted: true } })
    assert.equal((await elsewhere()).status, 401)
    assert.equal((await whoAmI(key)).status, 401)
    assert.equal((await app.call('DELETE', `/v1/api-keys/${id}`)).status, 404)
  })

  it('fail when they have expired', async () => {
    const { key, id } = await makeKey({
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    assert.equal((await whoAmI(key)).status, 200)
    await app.database
      .updateTable('api_keys')
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .where('id', '=', id)
      .execute()
    assert.equal((await whoAmI(key)).status, 401)
  })

  it('cannot expire in the past or at no time at all', async () => {
    for (const [expires_at, code] of [
      ['2020-01-01T00:00:00Z', 'invalid_value'],
      ['tomorrow', 'invalid_format'],
    ]) {
      const body = { name: 'k', role: 'viewer', expires_at }
      const answer = await app.call('POST', '/v1/api-keys', { body })
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.code, code)
      assert.equal(answer.body.error.param, 'expires_at')
    }
  })

  it('keep one admin key in the account, even when two admins revoke each other', async () => {
    const { id: accountId, adminKey } = await createAccount(app.database, 'two admins')
    assert.notEqual(accountId, undefined)
    const as = (key: string, method: string, path: string, body?: unknown) =>
      app.call(method, path, { key, ...(body === undefined ? {} : { body }) })
    const second = (await as(adminKey, 'POST', '/v1/api-keys', { name: 'b', role: 'admin' })).body
      .data
    const first = (await whoAmI(adminKey)).body.data.key.id
    const statuses = (
      await Promise.all([
        as(adminKey, 'DELETE', `/v1/api-keys/${second.id}`),
        as(second.key, 'DELETE', `/v1/api-keys/${first}`),
      ])
    ).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 200).length, 1)
    const left = statuses[0] === 200 ? adminKey : second.key
    const own = (await whoAmI(left)).body.data.key.id
    const refused = await as(left, 'DELETE', `/v1/api-keys/${own}`)
    assert.equal(refused.body.error.code, 'last_admin_key')
  })

  it('are paged, newest first', async () => {
    const made = [await makeKey(), await makeKey(), await makeKey()]
      .map(({ id }) => id)
      .toReversed()
    const first = await app.call('GET', '/v1/api-keys?limit=2')
    const next = /^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await app.call('GET', next)
    const ids = [...first.body.data, ...second.body.data].map(({ id }: { id: string }) => id)
    assert.deepEqual(ids.slice(0, 3), made)
  })

  it('are stored as a hash only', async () => {
    const { key } = await makeKey()
    const rows = await app.database.selectFrom('api_keys').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes(key))
    assert.ok(rows.every(({ hash }) => hash.length === 32))
  })
})
