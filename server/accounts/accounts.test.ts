import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { askWhileLocked } from '../db/test-locks.ts'
import { until } from '../../rig/until.ts'
import { codeOf, callApi, type ApiClient } from '../../test/api-client.ts'
import { startTestApp } from '../../test/test-app.ts'
import { bootstrap, createAccount } from './create-account.ts'
import { isWellFormedKey } from './credentials.ts'
import { lockAccount } from './bounds.ts'
import { bySystem } from '../audit/record.ts'
import { addAdminKey, listAccounts, listLog } from '../operator/accounts.ts'
import { maxKeysPerAccount } from './store.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const app = fixture(() => startTestApp({ role: 'api' }))
const other = fixture(() => app.startAnother('api'))

/** Adds admin keys that no client uses. */
async function fill(accountId: string, count: number): Promise<void> {
  await app.sql`
    insert into api_keys (id, account_id, name, role, prefix, hash)
    select new_id('key'), ${accountId}, 'filler', 'admin', 'mst_', sha256((${accountId} || n)::bytea)
    from generate_series(1, ${count}::int) as n`
}
async function countKeys(accountId: string): Promise<number> {
  const keys = app.database.selectFrom('api_keys').selectAll()
  return (await keys.where('account_id', '=', accountId).execute()).length
}
async function makeKey(fields: Record<string, unknown> = {}) {
  const body = { name: 'k', role: 'viewer', ...fields }
  return await app.post('/v1/api-keys', body)
}
const whoAmI = (key: string) => app.call('GET', '/v1/account', { key })

describe('the first start', () => {
  it('makes the account default with the key of the configuration', async () => {
    const data = await app.get('/v1/account')
    assert.equal(data.name, 'default')
    assert.equal(data.key.role, 'admin')
  })

  it('happens once, whoever starts', async () => {
    const starts = Array.from({ length: 5 }, () => bootstrap(app.database, undefined))
    assert.deepEqual(await Promise.all(starts), Array.from({ length: 5 }))
    assert.equal(
      (await listAccounts(app.database, { limit: 10, after: undefined })).items.length,
      1,
    )
  })
})

describe('the name of an account', () => {
  it('is changed for its own account alone, and audited', async () => {
    const stranger = await createAccount(app.database, 'a neighbour')
    const rename = (key: string | undefined, name: string) =>
      app.call('PATCH', '/v1/account', { body: { name }, ...(key !== undefined && { key }) })
    const { body } = await rename(undefined, 'Acme')
    assert.deepEqual(body.data, { id: app.accountId, name: 'Acme' })
    assert.equal((await app.get('/v1/account')).name, 'Acme')
    assert.equal((await whoAmI(stranger.adminKey)).body.data.name, 'a neighbour')
    const [row] = await app.get('/v1/audit?action=account.updated')
    assert.deepEqual([row.before, row.after], [{ name: 'default' }, { name: 'Acme' }])
    assert.equal((await rename(undefined, 'default')).status, 200)
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
    const list = await app.get('/v1/api-keys')
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

  it('do nothing with a request whose body comes after they are revoked', async () => {
    const { id, key } = await makeKey({ role: 'admin' })
    const rest = Promise.withResolvers<void>()
    const text = JSON.stringify({ name: 'kept', role: 'admin' })
    async function* send(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(text.slice(0, 5))
      await rest.promise
      yield Buffer.from(text.slice(5))
    }
    const answer = fetch(`${app.url}/v1/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: ReadableStream.from(send()),
      duplex: 'half',
    })
    await until('it is known who asks', 20_000, async () => {
      const keys = app.database.selectFrom('api_keys').select('last_used_at').where('id', '=', id)
      return (await keys.executeTakeFirst())?.last_used_at != null
    })
    await app.call('DELETE', `/v1/api-keys/${id}`)
    rest.resolve()
    assert.equal((await answer).status, 401)
    const { body } = await app.call('GET', '/v1/api-keys')
    assert.ok(body.data.every(({ name }: { name: string }) => name !== 'kept'))
  })

  it('grant nothing when they are revoked while their request waits for its turn', async () => {
    const { accountId } = app
    const { id, key } = await makeKey({ role: 'admin' })
    const answers = await askWhileLocked(
      app.database,
      (transaction) => lockAccount(transaction, accountId),
      () => [
        app.call('POST', '/v1/api-keys', { key, body: { name: 'kept', role: 'admin' } }),
        app.call('POST', '/v1/invitations', { key, body: { email: 'k@e.com', role: 'admin' } }),
      ],
      (transaction) => transaction.deleteFrom('api_keys').where('id', '=', id).execute(),
    )
    const statuses = pluck(answers, 'status')
    assert.deepEqual(statuses, [401, 401])
  })

  it('fail when they have expired', async () => {
    const { key, id } = await makeKey({
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    assert.equal((await whoAmI(key)).status, 200)
    await app.sql`
      update api_keys set expires_at = ${new Date(Date.now() - 1_000)} where id = ${id}`
    assert.equal((await whoAmI(key)).status, 401)
  })

  it('that expire make none that outlive them', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString()
    const { key } = await makeKey({ role: 'admin', expires_at: end })
    const make = (expires_at?: string) =>
      app.call('POST', '/v1/api-keys', {
        key,
        body: { name: 'k', role: 'viewer', ...(expires_at && { expires_at }) },
      })
    for (const later of [undefined, new Date(Date.parse(end) + 1_000).toISOString()]) {
      const { status, body } = await make(later)
      assert.deepEqual([status, body.error.param], [400, 'expires_at'])
      assert.ok(body.error.message.includes(`up to ${end}, when this key expires`))
    }
    assert.equal((await make(end)).status, 201)
  })

  it('cannot expire in the past or at no time at all', async () => {
    for (const [expires_at, code] of [
      ['2020-01-01T00:00:00Z', 'invalid_value'],
      ['tomorrow', 'invalid_format'],
      // The year 10000 in UTC.
      ['9999-12-31T23:59:59-23:59', 'invalid_format'],
      ['2100-02-30T00:00:00Z', 'invalid_format'],
    ]) {
      const body = { name: 'k', role: 'viewer', expires_at }
      const answer = await app.call('POST', '/v1/api-keys', { body })
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.code, code)
      assert.equal(answer.body.error.param, 'expires_at')
    }
  })

  it('keep one admin key in the account, even when two admins revoke each other', async () => {
    const { adminKey } = await createAccount(app.database, 'two admins')
    const first = app.as(adminKey)
    const made = await first.post('/v1/api-keys', { name: 'b', role: 'admin' })
    const second = app.as(made.key)
    const ownId = async (by: ApiClient) => (await by.get('/v1/account')).key.id
    const firstId = await ownId(first)
    const answers = await Promise.all([
      first.call('DELETE', `/v1/api-keys/${made.id}`),
      second.call('DELETE', `/v1/api-keys/${firstId}`),
    ])
    const statuses = pluck(answers, 'status')
    assert.equal(statuses.filter((status) => status === 200).length, 1)
    const left = statuses[0] === 200 ? first : second
    const refused = await left.call('DELETE', `/v1/api-keys/${await ownId(left)}`)
    assert.equal(refused.body.error.code, 'last_admin_key')
  })

  it('keep an admin key that never expires', async () => {
    const { adminKey } = await createAccount(app.database, 'brief admin')
    const first = (await whoAmI(adminKey)).body.data.key.id
    const body = {
      name: 'brief',
      role: 'admin',
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    }
    const brief = await app.post('/v1/api-keys', body, adminKey)
    const refused = await app.call('DELETE', `/v1/api-keys/${first}`, { key: brief.key })
    assert.deepEqual(codeOf(refused), [409, 'last_admin_key'])
    assert.match(refused.body.error.message, /without an admin key that never expires/)
    const own = await app.call('DELETE', `/v1/api-keys/${brief.id}`, { key: brief.key })
    assert.equal(own.status, 200)
    assert.equal((await whoAmI(adminKey)).status, 200)
  })

  it('can each be revoked, however many admin keys there are, by their own account', async () => {
    const { id: accountId, adminKey: key } = await createAccount(app.database, 'many')
    await fill(accountId, 3_000)
    const rows = await app.sql`
      select id from api_keys where account_id = ${accountId} and name = 'filler' order by id`
    for (const id of [0, 999, 1_000, 1_999, 2_000, 2_999].map((index) => rows[index]?.id)) {
      assert.equal((await app.call('DELETE', `/v1/api-keys/${id}`)).status, 404, 'not theirs')
      assert.equal((await app.call('DELETE', `/v1/api-keys/${id}`, { key })).status, 200)
    }
  })

  it('are bounded in number, also when made at once; expired ones make room', async () => {
    const { id: accountId, adminKey: key } = await createAccount(app.database, 'full')
    await fill(accountId, maxKeysPerAccount - 2)
    const body = { name: 'k', role: 'viewer' }
    const ask = () => app.call('POST', '/v1/api-keys', { key, body })
    const answers = await Promise.all([ask(), ask(), ask(), ask()])
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    assert.equal(answers.filter(({ status }) => status === 409).length, 3)
    const refused = answers.find(({ status }) => status === 409)?.body.error
    assert.equal(refused.code, 'too_many_keys')
    assert.match(refused.message, /has 100 keys, the maximum/)
    assert.ok((await makeKey()).key, 'another account has its own bound')

    await app.sql`
      update api_keys set expires_at = now() - interval '1 second'
      where id in (select id from api_keys where account_id = ${accountId} and name = 'filler'
                   limit 2)`
    assert.equal((await ask()).status, 201)
    assert.equal(await countKeys(accountId), maxKeysPerAccount - 1)
    assert.equal((await ask()).status, 201)
    assert.equal((await ask()).status, 409)
  })

  it('are listed newest first', async () => {
    const made = pluck([await makeKey(), await makeKey(), await makeKey()], 'id').toReversed()
    assert.deepEqual(pluck((await app.get('/v1/api-keys')).slice(0, 3), 'id'), made)
  })

  it('are stored as a hash only', async () => {
    const { key } = await makeKey()
    const rows = await app.sql`select * from api_keys`
    assert.ok(!JSON.stringify(rows).includes(key))
    assert.ok(rows.every(({ hash }) => hash.length === 32))
  })
})

describe("an operator's key", () => {
  it('lets people into a full account, and into no other', async () => {
    const { id: accountId } = await createAccount(app.database, 'locked out')
    await fill(accountId, maxKeysPerAccount)
    const operating = {
      database: app.database,
      action: 'add a key',
      audit: bySystem('operator', 'api_key.created'),
    } as const
    const { id, admin_key: key } = await addAdminKey(operating, accountId)
    const { body } = await whoAmI(key)
    assert.equal(body.data.id, accountId)
    assert.deepEqual(body.data.key, {
      id,
      name: "operator's admin key",
      role: 'admin',
      expires_at: null,
    })
    const [logged] = (await listLog(app.database, { limit: 1, after: undefined })).items
    assert.deepEqual([logged?.action, logged?.object_id], ['api_key.created', accountId])
    assert.equal(logged?.after?.['id'], id)
    assert.ok(!JSON.stringify(logged).includes(key))
    await assert.rejects(addAdminKey(operating, 'acc_none'), { code: 'not_found' })
  })
})

describe('the lock of an account', () => {
  it('keeps other accounts from nothing', async () => {
    const [one, other] = [
      await createAccount(app.database, 'one'),
      await createAccount(app.database, 'other'),
    ]
    const lock = (id: string) =>
      app.database.transaction().execute(async (another) => {
        await sql`set local lock_timeout = '2s'`.execute(another)
        return lockAccount(another, id)
      })
    await app.database.transaction().execute(async (transaction) => {
      await lockAccount(transaction, one.id)
      assert.equal(await lock(other.id), true)
      await assert.rejects(lock(one.id), { code: '55P03' })
    })
  })

  it('keeps nobody waiting who only names the account', async () => {
    const { id } = await createAccount(app.database, 'locked')
    await app.database.transaction().execute(async (transaction) => {
      assert.equal(await lockAccount(transaction, id), true)
      await app.database.transaction().execute(async (another) => {
        await sql`set local lock_timeout = '2s'`.execute(another)
        await sql`insert into policies (account_id) values (${id})`.execute(another)
      })
      assert.equal(await lockAccount(transaction, 'acc_none'), false)
    })
  })
})
