import assert from 'node:assert/strict'
import { it } from 'node:test'
import { callApi } from '../../test/api-client.ts'
import { startTestApp, type TestApp } from '../../test/test-app.ts'
import { createAccount } from '../accounts/create-account.ts'
import { readConfig } from './config.ts'
import { rotateSecrets } from './secrets.ts'

const [oldKey, newKey] = [7, 8].map((fill) => Buffer.alloc(32, fill).toString('base64')) as [
  string,
  string,
]

it('a process with another key, or none, does not start on a database that has secrets', async () => {
  await using app = await startTestApp({ role: 'api' })
  const wrong =
    /MUSTER_SECRET_KEY is the key [0-9a-f]{8}, expected the key of this database.*key [0-9a-f]{8}, which/
  await assert.rejects(app.startAnother('api', { MUSTER_SECRET_KEY: newKey }), wrong)
  await assert.rejects(app.startAnother('worker', { MUSTER_SECRET_KEY: newKey }), wrong)
  await assert.rejects(app.startAnother('api', { MUSTER_SECRET_KEY: '' }), /SECRET_KEY is unset/)
  const both = { MUSTER_SECRET_KEY: newKey, MUSTER_SECRET_KEYS: oldKey }
  await using _started = await app.startAnother('api', both)
})

it('secrets move to a new key, and what cannot be opened is named', async () => {
  await using app = await startTestApp({ role: 'api' })
  const connector = { host: 'mail.example.com', port: 465, secure: true, from: 'a@example.com' }
  assert.equal((await app.call('PUT', '/v1/connectors/email', { body: connector })).status, 200)
  const first = await createWebhook(app)
  const rotated = await app.call('POST', `/v1/webhooks/${first.id}/rotate-secret`)
  assert.equal(rotated.status, 200)
  const broken = await createWebhook(app)
  const made = await createKey(app)
  await app.sql`update webhook_endpoints set secret = secret || '\\x00'::bytea where id = ${broken.id}`

  const env = { DATABASE_URL: app.databaseUrl, MUSTER_SECRET_KEY: newKey }
  await assert.rejects(rotateSecrets(app.database, readConfig(env)), /MUSTER_SECRET_KEY is the key/)
  const both = readConfig({ ...env, MUSTER_SECRET_KEYS: oldKey })
  const { key_id, sealed, unreadable } = await rotateSecrets(app.database, both)
  // The sealed rows: the connector, both secrets of one endpoint, and the stored answers that hold
  // a secret.
  assert.equal(sealed, 6)
  assert.equal(unreadable.length, 1)
  assert.match(unreadable[0] ?? '', new RegExp(`secret of webhook acc_\\w+ ${broken.id}: it was`))
  assert.equal((await rotateSecrets(app.database, both)).sealed, 0)

  await assert.rejects(app.startAnother('api'), new RegExp(`sealed with the key ${key_id}`))
  await using moved = await app.startAnother('api', { MUSTER_SECRET_KEY: newKey })
  const again = await createKey({ ...app, url: moved.url ?? '', call: callAt(moved.url, app) })
  assert.deepEqual(again, made)
})

it('an answer that was copied to another account or route does not open, and names what it is', async () => {
  await using app = await startTestApp({ role: 'api' })
  await createKey(app)
  const other = await createAccount(app.database, 'other')
  await app.sql`
    insert into idempotency_keys
    select ${other.id}, key, route, body_hash, reserved, locked_at, status, answer, encrypted, created_at
    from idempotency_keys where key = 'once'`
  const { status, body } = await postKey(app, other.adminKey)
  assert.equal(status, 503)
  assert.equal(body.error.code, 'secret_unreadable')
  assert.match(
    body.error.message,
    new RegExp(`answer ${other.id} POST /v1/api-keys once: it was changed`),
  )
})

function postKey(app: TestApp, key = app.key) {
  const headers = { 'idempotency-key': 'once' }
  return app.call('POST', '/v1/api-keys', { key, headers, body: { name: 'k', role: 'viewer' } })
}

async function createKey(app: TestApp): Promise<unknown> {
  const { status, body } = await postKey(app)
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

async function createWebhook(app: TestApp): Promise<{ id: string }> {
  const { status, body } = await app.call('POST', '/v1/webhooks', {
    body: { url: 'https://127.0.0.1/hook', events: ['run.completed'] },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

function callAt(url: string | undefined, app: TestApp): TestApp['call'] {
  return (method, path, options) => callApi(url ?? '', app.key, method, path, options)
}
