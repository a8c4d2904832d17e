import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import { sql } from 'kysely'
import { lockAccount } from '../accounts/bounds.ts'
import { freePort } from '../../rig/loopback.ts'
import { until } from '../../rig/until.ts'
import { startOidcProvider } from '../../rig/oidc-provider.ts'
import type { Answer } from '../../test/api-client.ts'
import { startTestApp, type TestApp } from '../../test/test-app.ts'
import { onCitus } from '../db/cluster/test-citus.ts'
import { askWhileLocked } from '../db/test-locks.ts'
import { hashPassword } from './password.ts'
import { changeUser, deleteMembership, putMembership } from './user-store.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const password = 'correct horse battery'

/** A browser that keeps cookies and sends the origin of its pages. */
function openBrowser(app: TestApp, origin = app.url) {
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const keep = (headers: Headers) => {
    for (const line of headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] as string).split(/=(.*)/s)
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
  }
  return {
    cookies,
    cookie,
    keep,
    async call(method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
      const answer = await app.call(method, path, {
        key: null,
        ...(body === undefined ? {} : { body }),
        headers: { origin, cookie: cookie(), ...headers },
      })
      keep(answer.headers)
      return answer
    },
  }
}

type Browser = ReturnType<typeof openBrowser>

const codeOf = ({ body }: Answer): string => body.error?.code

describe('people', () => {
  let admin: Browser
  const app = fixture(() => startTestApp())
  prepare(async () => {
    admin = openBrowser(app)
  })

  const invite = async (email: string, role: string) =>
    (await admin.call('POST', '/v1/invitations', { email, role })).body.data
  const signIn = (email: string, word = password) =>
    openBrowser(app).call('POST', '/v1/session', { email, password: word })
  const accept = (token: string, name = 'Somebody', browser = openBrowser(app)) =>
    browser.call('POST', '/v1/invitations/accept', { token, name, password })
  const tokenOf = ({ link }: { link: string }) => new URL(link).hash.slice(1)
  const join = async (email: string, role: string, name = 'Somebody') => {
    const browser = openBrowser(app)
    const token = tokenOf(await invite(email, role))
    const answer = await accept(token, name, browser)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return { browser, me: answer.body.data }
  }

  it('the link of the first start makes the first admin, once', async () => {
    assert.equal((await admin.call('GET', '/v1/session')).body.data.setup_required, true)
    const token = tokenOf({ link: app.setupLink ?? '' })
    // A start while there is no person makes another link, and the first one stays valid.
    const startAgain = async (): Promise<string | undefined> => {
      await using process = await app.startAnother('api')
      return process.setupLink
    }
    const another = await startAgain()
    assert.match(another ?? '', /\/setup#/)
    assert.notEqual(another, app.setupLink)
    const person = { token, email: 'Ada@Example.com', name: 'Ada', password }
    const made = await admin.call('POST', '/v1/setup', person)
    assert.equal(made.status, 201)
    assert.equal(made.body.data.email, 'ada@example.com')
    assert.equal(made.body.data.role, 'admin')
    const cookie = made.headers.getSetCookie()[0] ?? ''
    assert.match(cookie, /^muster_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.equal((await admin.call('GET', '/v1/me')).body.data.name, 'Ada')

    // Nor does the link of another start make a second admin.
    for (const left of [token, tokenOf({ link: another ?? '' })]) {
      const again = await openBrowser(app).call('POST', '/v1/setup', {
        ...person,
        token: left,
        email: 'b@b.example',
      })
      assert.deepEqual([again.status, codeOf(again)], [401, 'invalid_link'])
    }
    assert.equal(await startAgain(), undefined)
    assert.equal((await admin.call('GET', '/v1/session')).body.data.setup_required, false)
  })

  it('an invitation is a link that works once and gives its role', async () => {
    const invitation = await invite('Grace@example.com', 'approver')
    assert.equal(invitation.mailed, false)
    assert.ok(invitation.link.startsWith(`${app.url}/accept-invitation#`))
    const token = tokenOf(invitation)
    const browser = openBrowser(app)
    const joined = await accept(token, 'Grace', browser)
    assert.deepEqual(
      [joined.body.data.email, joined.body.data.role],
      ['grace@example.com', 'approver'],
    )
    const again = await accept(token, 'Grace', browser)
    assert.equal(codeOf(again), 'invalid_link')
    const { body } = await admin.call('GET', '/v1/users')
    assert.deepEqual(pluck(body.data, 'email', 'role'), [
      ['grace@example.com', 'approver'],
      ['ada@example.com', 'admin'],
    ])
    const twice = await admin.call('POST', '/v1/invitations', {
      email: 'grace@example.com',
      role: 'viewer',
    })
    assert.deepEqual([twice.status, codeOf(twice)], [409, 'user_exists'])
  })

  it('a key that expires gives nobody access that outlasts it', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString()
    const { key } = await app.post('/v1/api-keys', {
      name: 'contractor',
      role: 'admin',
      expires_at: end,
    })
    const call = (method: string, path: string, body: object) =>
      app.call(method, path, { key, body })
    const { me } = await join('lasting@example.com', 'member')
    const user = `/v1/users/${me.id}`
    for (const refused of [
      await call('POST', '/v1/invitations', { email: 'crony@example.com', role: 'viewer' }),
      await call('PATCH', user, { role: 'admin' }),
    ]) {
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'key_expires'])
      assert.ok(refused.body.error.message.includes(`expires at ${end}`))
    }
    assert.equal((await call('PATCH', user, { role: 'viewer' })).status, 200, 'less is granted')
    assert.equal((await app.call('DELETE', user)).status, 200)
    const invitations = await app.get('/v1/invitations')
    assert.ok(!JSON.stringify(invitations).includes('crony'))
  })

  it('those who were invited and have not come are listed by themselves', async () => {
    await join('came@example.com', 'viewer')
    await invite('comes@example.com', 'viewer')
    const emails = async (query: string): Promise<string[]> => {
      return pluck(await app.get(`/v1/invitations${query}`), 'email')
    }
    const all = await emails('')
    assert.ok(all.includes('came@example.com') && all.includes('comes@example.com'))
    assert.deepEqual(await emails('?open=false'), all)
    const open = await emails('?open=true')
    assert.ok(open.includes('comes@example.com') && !open.includes('came@example.com'))
    assert.deepEqual(await emails('?open=true&limit=1'), ['comes@example.com'])
  })

  it('the last invitation that an account may have is repeated after a crash', async () => {
    const { accountId } = app
    const { body: people } = await admin.call('GET', '/v1/users?limit=100')
    const { body: open } = await admin.call('GET', '/v1/invitations?open=true&limit=100')
    const others = 1_000 - people.data.length - open.data.length - 1
    await app.sql`
      insert into invitations (account_id, id, email, role, token_hash, expires_at)
      select ${accountId}, 'inv_other' || n, n || '@others.example', 'viewer', int4send(n),
             now() + interval '1 day'
      from generate_series(1, ${others}::int) as n`
    const inviteLast = (email: string, key: string) =>
      app.call('POST', '/v1/invitations', {
        body: { email, role: 'viewer' },
        headers: { 'idempotency-key': key },
      })
    const first = await inviteLast('last@example.com', 'last')
    assert.equal(first.status, 201)
    await app.forgetAnswer('last')
    const again = await inviteLast('last@example.com', 'last')
    assert.deepEqual([again.status, again.body.data?.id], [201, first.body.data.id])
    assert.equal(codeOf(await inviteLast('over@example.com', 'over')), 'too_many_users')
    await app.sql`delete from invitations where email like '%others.example'`
  })

  it('an invitation that was withdrawn does not work', async () => {
    const invitation = await invite('never@example.com', 'member')
    await admin.call('DELETE', `/v1/invitations/${invitation.id}`)
    const answer = await accept(tokenOf(invitation))
    assert.equal(codeOf(answer), 'invalid_link')
  })

  it('a wrong password and an unknown user get the same answer, and attempts are bounded', async () => {
    await join('linus@example.com', 'viewer')
    const wrong = await signIn('linus@example.com', 'not the password')
    const unknown = await signIn('nobody@example.com', 'not the password')
    assert.equal(wrong.status, 401)
    assert.equal(wrong.body.error.message, unknown.body.error.message)
    assert.equal((await signIn(' LINUS@example.com ', password)).status, 400)
    assert.equal((await signIn('LINUS@example.com', password)).status, 201)

    const many = await Promise.all(
      Array.from({ length: 14 }, () => signIn('linus@example.com', 'guess guess guess')),
    )
    const statuses = pluck(many, 'status')
    assert.equal(statuses.filter((status) => status === 401).length, 10)
    assert.equal(statuses.filter((status) => status === 429).length, 4)
    const refused = await signIn('linus@example.com', password)
    assert.equal(codeOf(refused), 'too_many_sign_ins')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal((await signIn('ada@example.com', password)).status, 201)
  })

  it('an admin changes an address and frees an identity, unless another account has a say', async () => {
    const { me } = await join('typo@exmaple.com', 'viewer')
    const user = `/v1/users/${me.id}`
    const changed = await admin.call('PATCH', user, { email: 'Right@example.com' })
    const { email, role } = changed.body.data
    assert.deepEqual([email, role], ['right@example.com', 'viewer'])
    assert.equal((await signIn('right@example.com', password)).status, 201)
    const taken = await admin.call('PATCH', user, { email: 'ada@example.com' })
    assert.deepEqual([taken.status, codeOf(taken)], [409, 'user_exists'])

    const identity = { issuer: 'https://login.example.com', subject: 'right' }
    await sql`
      update users set oidc_issuer = ${identity.issuer}, oidc_subject = ${identity.subject}
      where id = ${me.id}`.execute(app.database)
    const find = async () =>
      (await app.get('/v1/users')).find(({ id }: { id: string }) => id === me.id)
    assert.deepEqual((await find()).identity, identity)
    assert.equal((await admin.call('DELETE', `${user}/identity`)).status, 200)
    assert.equal((await find()).identity, null)
    const { rows } = await sql<{ before: object }>`
      select before from audit where object_id = ${me.id} and action = 'user.updated'
      order by id desc limit 1`.execute(app.database)
    assert.deepEqual(rows[0]?.before, { email: 'right@example.com', identity })

    const { id: elsewhere } = await createAccount(app.database, 'elsewhere')
    await app.database
      .transaction()
      .execute((transaction) => putMembership(transaction, elsewhere, me.id, 'admin'))
    const shared = await admin.call('PATCH', user, { email: 'mine@example.com' })
    assert.deepEqual([shared.status, codeOf(shared)], [409, 'shared_user'])
  })

  it('a role allows what it should, and its change ends the sessions', async () => {
    const { browser, me } = await join('role@example.com', 'approver')
    const workflow = { name: 'not mine to make' }
    const refused = await browser.call('POST', '/v1/workflows', workflow)
    assert.deepEqual([refused.status, codeOf(refused)], [403, 'role_required'])
    assert.equal((await browser.call('GET', '/v1/users')).status, 403)
    const changed = await admin.call('PATCH', `/v1/users/${me.id}`, { role: 'member' })
    assert.equal(changed.body.data.role, 'member')
    const ended = await browser.call('GET', '/v1/me')
    assert.deepEqual([ended.status, codeOf(ended)], [401, 'session_ended'])
    await browser.call('POST', '/v1/session', { email: 'role@example.com', password })
    assert.equal((await browser.call('POST', '/v1/workflows', workflow)).status, 201)
  })

  it('a role that was taken does not count for a request whose body comes later', async () => {
    const { browser, me } = await join('late@example.com', 'member')
    const elsewhere = await createAccount(app.database, 'elsewhere')
    await app.database
      .transaction()
      .execute((transaction) => putMembership(transaction, elsewhere.id, me.id, 'viewer'))
    const ofMe = app.database.selectFrom('sessions').where('id', '=', me.session_id)
    await app.sql`
      update sessions set last_seen_at = ${new Date(Date.now() - 120_000)}
      where id = ${me.session_id}`
    const rest = Promise.withResolvers<void>()
    async function* send(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"name":')
      await rest.promise
      yield Buffer.from('"late"}')
    }
    const answer = fetch(`${app.url}/v1/workflows`, {
      method: 'POST',
      headers: {
        origin: app.url,
        cookie: `muster_session=${browser.cookies.get('muster_session')}`,
        'content-type': 'application/json',
      },
      body: ReadableStream.from(send()),
      duplex: 'half',
    })
    await until('it is known who asks', 20_000, async () => {
      const seen = await ofMe.select('last_seen_at').executeTakeFirstOrThrow()
      return seen.last_seen_at.getTime() > Date.now() - 60_000
    })
    // A session of another account stays.
    const moveTo = (id: string) => browser.call('PUT', '/v1/me/account', { account_id: id })
    assert.equal((await moveTo(elsewhere.id)).status, 200)
    assert.equal((await admin.call('PATCH', `/v1/users/${me.id}`, { role: 'viewer' })).status, 200)
    assert.equal((await moveTo(me.account.id)).status, 200)
    rest.resolve()
    assert.equal((await answer).status, 403)
  })

  it('one who was removed is out, and the last admin stays', async () => {
    const { browser, me } = await join('gone@example.com', 'admin')
    assert.equal((await admin.call('DELETE', `/v1/users/${me.id}`)).status, 200)
    assert.equal((await browser.call('GET', '/v1/me')).status, 401)
    const signIn = { email: 'gone@example.com', password }
    assert.equal(codeOf(await browser.call('POST', '/v1/session', signIn)), 'no_account')
    assert.equal((await admin.call('DELETE', `/v1/users/${me.id}`)).status, 404)
  })

  it('of two admins who remove each other at once one stays', async () => {
    const [first, second] = [
      await join('first-admin@example.com', 'admin'),
      await join('second-admin@example.com', 'admin'),
    ]
    const answers = await askWhileLocked(
      app.database,
      (transaction) => lockAccount(transaction, app.accountId),
      () => [
        first.browser.call('DELETE', `/v1/users/${second.me.id}`),
        second.browser.call('DELETE', `/v1/users/${first.me.id}`),
      ],
    )
    const statuses = pluck(answers, 'status')
    assert.deepEqual(new Set(statuses), new Set([200, 401]))
  })

  it('older invitations bring nobody back who was removed, nor a role that was taken away', async () => {
    const email = 'twice@example.com'
    const [first, second, third] = [
      tokenOf(await invite(email, 'admin')),
      tokenOf(await invite(email, 'admin')),
      tokenOf(await invite(email, 'admin')),
    ]
    const { id } = (await accept(first)).body.data
    await admin.call('PATCH', `/v1/users/${id}`, { role: 'viewer' })
    assert.equal(codeOf(await accept(second)), 'invalid_link')
    const later = tokenOf(await invite('later@example.com', 'viewer'))
    await admin.call('DELETE', `/v1/users/${id}`)
    assert.equal(codeOf(await accept(third)), 'invalid_link')
    const another = tokenOf(await invite(email, 'viewer'))
    assert.equal((await accept(another)).body.data.role, 'viewer')
    assert.equal((await accept(later)).status, 201)
  })

  it('sessions are listed and ended; a new password ends the others', async () => {
    const { browser } = await join('two@example.com', 'viewer')
    const other = openBrowser(app)
    await other.call('POST', '/v1/session', { email: 'two@example.com', password })
    const { body } = await browser.call('GET', '/v1/sessions')
    assert.deepEqual(new Set(pluck(body.data, 'current')), new Set([false, true]))
    assert.equal(body.data.length, 2)
    const bare = await browser.call('PATCH', '/v1/me', { password: 'another good password' })
    assert.equal(bare.body.error.param, 'current_password')
    const wrong = await browser.call('PATCH', '/v1/me', {
      password: 'another good password',
      current_password: 'not the password',
    })
    const message = 'Cannot update user: current_password is wrong'
    assert.deepEqual([codeOf(wrong), wrong.body.error.message], ['invalid_credentials', message])
    const changed = await browser.call('PATCH', '/v1/me', {
      password: 'another good password',
      current_password: password,
    })
    assert.equal(changed.status, 200)
    assert.equal((await other.call('GET', '/v1/me')).status, 401)
    assert.equal((await browser.call('DELETE', '/v1/session')).status, 200)
    assert.equal(browser.cookies.size, 0)
    assert.equal((await browser.call('GET', '/v1/me')).status, 401)
  })

  it('a password that is changed while it is checked lets nobody in, and changes nothing', async () => {
    const email = 'changed@example.com'
    const { browser, me } = await join(email, 'viewer')
    const other = (await createAccount(app.database, 'other')).adminKey
    const token = tokenOf(await app.post('/v1/invitations', { email, role: 'viewer' }, other))
    const passwordHash = await hashPassword('another good password')
    for (const ask of [
      () => signIn(email),
      () =>
        browser.call('PATCH', '/v1/me', { password: 'a third one', current_password: password }),
      () => accept(token),
    ]) {
      const before = await hashPassword(password)
      await app.database
        .transaction()
        .execute((transaction) => changeUser(transaction, me.id, { passwordHash: before }))
      const [answer] = await askWhileLocked(
        app.database,
        (transaction) => changeUser(transaction, me.id, { passwordHash }),
        () => [ask()],
      )
      assert.deepEqual([answer?.status, answer?.body.error?.code], [401, 'invalid_credentials'])
      assert.equal((await browser.call('GET', '/v1/sessions')).body.data.length, 1)
    }
    const signedIn = await signIn(email, 'another good password')
    assert.equal(signedIn.status, 201)
  })

  it('a session that is ended while its new password is hashed leaves none', async () => {
    const email = 'taken@example.com'
    const { browser, me } = await join(email, 'viewer')
    const passwords = { password: 'another good password', current_password: password }
    const [answer] = await askWhileLocked(
      app.database,
      (transaction) => changeUser(transaction, me.id, { name: 'Somebody' }),
      () => [browser.call('PATCH', '/v1/me', passwords)],
      (transaction) => transaction.deleteFrom('sessions').where('id', '=', me.session_id).execute(),
    )
    assert.equal(answer?.status, 401, JSON.stringify(answer?.body))
    const signedIn = await signIn(email)
    assert.equal(signedIn.status, 201)
  })

  const locked = onCitus('the row of a membership is not locked there')
  it(
    'an address is not changed while its owner joins another account',
    { skip: locked },
    async () => {
      const { me } = await join('joining@example.com', 'viewer')
      const { id: other } = await createAccount(app.database, 'another')
      const [answer] = await askWhileLocked(
        app.database,
        (transaction) => putMembership(transaction, other, me.id, 'admin'),
        () => [admin.call('PATCH', `/v1/users/${me.id}`, { email: 'mine@example.com' })],
      )
      assert.equal(answer?.body.error?.code, 'shared_user', JSON.stringify(answer?.body))
      assert.equal((await signIn('joining@example.com')).status, 201)
    },
  )

  it(
    'one who is removed while they sign in, or switch to the account, is out',
    { skip: locked },
    async () => {
      const email = 'leaving@example.com'
      const { browser, me } = await join(email, 'viewer')
      const other = await createAccount(app.database, 'another')
      const add = () =>
        app.database
          .transaction()
          .execute((transaction) => putMembership(transaction, other.id, me.id, 'viewer'))
      const { id: first } = (await browser.call('GET', '/v1/me')).body.data.account
      for (const [accountId, ask, code] of [
        [
          other.id,
          () => browser.call('PUT', '/v1/me/account', { account_id: other.id }),
          'not_found',
        ],
        [first, () => signIn(email), 'no_account'],
      ] as const) {
        if (accountId === other.id) await add()
        const [answer] = await askWhileLocked(
          app.database,
          (transaction) => deleteMembership(transaction, accountId, me.id),
          () => [ask()],
        )
        assert.equal(answer?.body.error?.code, code, JSON.stringify(answer?.body))
      }
    },
  )

  it('a session of somebody else cannot be ended', async () => {
    const { browser } = await join('three@example.com', 'admin')
    const { body } = await admin.call('GET', '/v1/sessions')
    const answer = await browser.call('DELETE', `/v1/sessions/${body.data[0].id}`)
    assert.equal(answer.status, 404)
  })

  it('a change with a cookie must come from a page of the service', async () => {
    const session = admin.cookies.get('muster_session') ?? ''
    const from = async (headers: Record<string, string>) => {
      const answer = await app.call('POST', '/v1/workflows', {
        key: null,
        body: { name: 'forged' },
        headers: { cookie: `muster_session=${session}`, ...headers },
      })
      return codeOf(answer)
    }
    assert.equal(await from({}), 'cross_origin')
    assert.equal(await from({ origin: 'https://evil.example' }), 'cross_origin')
    assert.equal(await from({ origin: 'null' }), 'cross_origin')
    assert.equal(await from({ origin: app.url, 'sec-fetch-site': 'cross-site' }), 'cross_origin')
    assert.equal(await from({ origin: app.url, 'sec-fetch-site': 'same-site' }), 'cross_origin')
    assert.equal(await from({ origin: app.url, 'sec-fetch-site': 'same-origin' }), undefined)
  })

  it('signing in gives a new session, whatever cookie came with it', async () => {
    const browser = openBrowser(app)
    const fixed = 'A'.repeat(43)
    browser.cookies.set('muster_session', fixed)
    await browser.call('POST', '/v1/session', { email: 'ada@example.com', password })
    assert.notEqual(browser.cookies.get('muster_session'), fixed)
    assert.equal((await browser.call('GET', '/v1/me')).status, 200)
  })

  it('all of it is in the audit, and no secret', async () => {
    const { body } = await admin.call('GET', '/v1/audit?limit=100')
    const actions = new Set(pluck(body.data, 'action'))
    for (const action of [
      'user.created',
      'user.updated',
      'user.removed',
      'invitation.created',
      'invitation.accepted',
      'invitation.deleted',
      'session.created',
      'session.deleted',
    ]) {
      assert.ok(actions.has(action), action)
    }
    const begun = body.data.find(({ action }: { action: string }) => action === 'session.created')
    assert.equal(begun.actor.type, 'user')
    assert.equal(begun.address, '127.0.0.1')
    assert.doesNotMatch(JSON.stringify(body), /correct horse|another good|argon2/)
  })

  it('a key is no person, and a person has no key', async () => {
    const answer = await app.call('GET', '/v1/me')
    assert.deepEqual([answer.status, codeOf(answer)], [400, 'user_required'])
    const account = await admin.call('GET', '/v1/account')
    assert.match(account.body.error.message, /a person has no key, see \/v1\/me$/)
  })
})

it('people sign in through a provider: invited, by default role, never from another domain', async () => {
  // The provider needs the callback address before the service listens.
  const port = await freePort()
  const callback = `http://127.0.0.1:${port}/v1/session/oidc/callback`
  await using provider = await startOidcProvider(callback)
  await using app = await startTestApp({
    env: {
      PORT: String(port),
      MUSTER_OIDC_ISSUER: provider.issuer,
      MUSTER_OIDC_CLIENT_ID: provider.clientId,
      MUSTER_OIDC_CLIENT_SECRET: provider.clientSecret,
      MUSTER_OIDC_DEFAULT_ROLE: 'viewer',
      MUSTER_OIDC_ALLOWED_DOMAINS: 'example.com',
    },
  })
  const signIn = async () => {
    const browser = openBrowser(app)
    const begun = await follow(browser, '/v1/session/oidc?return_to=/inbox')
    const back = new URL(await provider.visit(begun))
    // Providers such as Google add parameters to the standard's.
    const added = { scope: 'openid email', authuser: '0', hd: 'example.com', prompt: 'consent' }
    for (const [name, value] of Object.entries(added)) back.searchParams.set(name, value)
    return { browser, location: await follow(browser, back.pathname + back.search) }
  }
  const follow = async (browser: Browser, path: string): Promise<string> => {
    const response = await fetch(app.url + path, {
      redirect: 'manual',
      headers: { cookie: browser.cookie() },
    })
    assert.equal(response.status, 303)
    browser.keep(response.headers)
    return response.headers.get('location') ?? ''
  }
  const { browser, location } = await signIn()
  assert.equal(location, '/inbox')
  const me = (await browser.call('GET', '/v1/me')).body.data
  assert.deepEqual([me.email, me.role, me.has_password], ['ada@example.com', 'viewer', false])

  await app.call('POST', '/v1/invitations', {
    body: { email: 'grace@example.com', role: 'approver' },
  })
  provider.user = { sub: 'subject-2', email: 'grace@example.com', email_verified: true }
  const grace = await signIn()
  assert.equal((await grace.browser.call('GET', '/v1/me')).body.data.role, 'approver')

  const refused = '/sign-in?error=sign_in_refused'
  provider.user = { sub: 'subject-3', email: 'eve@evil.example', email_verified: true }
  assert.equal((await signIn()).location, `${refused}&reason=domain_not_allowed&return_to=%2Finbox`)
  provider.user = { sub: 'subject-4', email: 'ada@example.com', email_verified: false }
  assert.equal((await signIn()).location, `${refused}&reason=email_not_verified&return_to=%2Finbox`)
})

it('a browser that signs in at the provider sees pages alone, and its tabs do not disturb each other', async () => {
  const port = await freePort()
  const callback = `http://127.0.0.1:${port}/v1/session/oidc/callback`
  await using provider = await startOidcProvider(callback)
  await using app = await startTestApp({
    env: {
      PORT: String(port),
      MUSTER_OIDC_ISSUER: provider.issuer,
      MUSTER_OIDC_CLIENT_ID: provider.clientId,
      MUSTER_OIDC_CLIENT_SECRET: provider.clientSecret,
      MUSTER_OIDC_DEFAULT_ROLE: 'viewer',
    },
  })
  const browser = openBrowser(app)
  const follow = async (path: string): Promise<string> => {
    const headers = { cookie: browser.cookie() }
    const response = await fetch(app.url + path, { redirect: 'manual', headers })
    assert.equal(response.status, 303)
    browser.keep(response.headers)
    return response.headers.get('location') ?? ''
  }
  const pathOf = (url: string) => url.slice(app.url.length)
  const begin = (path: string) => follow(`/v1/session/oidc?return_to=${path}`)
  const [first, second] = [await begin('/runs'), await begin('/inbox')]
  const foreign = await follow('/v1/session/oidc/callback?code=x&state=of-another')
  assert.equal(foreign, '/sign-in?error=sign_in_failed')
  assert.equal(await follow(pathOf(await provider.visit(second))), '/inbox')
  assert.equal(await follow(pathOf(await provider.visit(first))), '/runs')

  // Sign-ins that are begun and never finished do not fill up the request headers with cookies.
  for (let tab = 0; tab < 40; tab++) await begin(`/runs?q=${'x'.repeat(1_500)}`)
  assert.ok(browser.cookie().length < 10_000)

  const tooLong = 'x'.repeat(9_000)
  const failure = '/sign-in?error=sign_in_failed'
  assert.equal(await follow(`/v1/session/oidc/callback?code=${tooLong}`), failure)
  const begun = await begin(tooLong)
  assert.equal(await follow(pathOf(await provider.visit(begun))), '/')
  assert.equal(
    await follow('/v1/session/oidc/callback?code=a&code=b'),
    '/sign-in?error=invalid_type',
  )
  const chosen = await follow('/v1/session/oidc?return_to=/runs&prompt=select_account')
  assert.match(chosen, /[?&]prompt=(login|select_account)(&|$)/)
})

it('a provider that is away leads back to the sign-in page, and where the sign-in was to lead', async () => {
  await using app = await startTestApp({
    env: {
      MUSTER_OIDC_ISSUER: `http://127.0.0.1:${await freePort()}`,
      MUSTER_OIDC_CLIENT_ID: 'muster',
    },
  })
  const response = await fetch(`${app.url}/v1/session/oidc?return_to=/runs`, { redirect: 'manual' })
  const back = '/sign-in?error=identity_provider_unavailable&return_to=%2Fruns'
  assert.deepEqual([response.status, response.headers.get('location')], [303, back])
})
