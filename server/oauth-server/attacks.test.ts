import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import { codeOf, type Person } from '../../test/api-client.ts'
import { fixture, prepare } from '../../test/fixture.ts'
import { startTestApp } from '../../test/test-app.ts'
import { createTokenLookup, type TokenHolder } from './identify-token.ts'
import {
  allow,
  codeFor,
  consent,
  grantAccess,
  register,
  sendForm,
  startProgram,
  testRedirect,
  type Fields,
} from './test-program.ts'

/** The attacks of RFC 9700, each refused. */
const app = fixture(() => startTestApp({ role: 'api' }))
let ada: Person
let bob: Person
prepare(async () => {
  ada = await app.join('Ada', 'admin')
  bob = await app.join('Bob', 'viewer')
})

// All programs of the tests register from one network address.
beforeEach(() => app.sql`delete from sign_in_attempts`)

const whoseIs = (token: string): Promise<TokenHolder | undefined> =>
  createTokenLookup({ database: app.database, publicUrl: app.url })(token)
const endings = async (id: string) =>
  (await app.get(`/v1/audit?object_id=${id}`)).map((entry: { action: string }) => entry.action)

/** A refused request ends on a page of Muster, and sends the browser nowhere. */
async function assertPage(link: string, why: RegExp): Promise<void> {
  const response = await fetch(link, { redirect: 'manual' })
  assert.deepEqual([response.status, response.headers.get('location')], [400, null])
  assert.match(await response.text(), why)
}

describe('refused', () => {
  it('mix-up: each answer names its issuer, which is the one of the metadata', async () => {
    const program = await startProgram(app)
    const allowed = await consent(app, ada, program)
    assert.equal(allowed.searchParams.get('state'), 'the state')
    const preview = await ada.call('POST', '/v1/me/grants/preview', {
      request: await program.ask(),
    })
    const denied = new URL(preview.body.data.denial_url)
    assert.equal(denied.searchParams.get('error'), 'access_denied')
    assert.equal(denied.searchParams.get('code'), null)
    const metadata = await fetch(`${app.url}/.well-known/oauth-authorization-server`)
    const { issuer } = (await metadata.json()) as { issuer: string }
    for (const url of [allowed, denied]) assert.equal(url.searchParams.get('iss'), issuer)
  })

  it('a replayed code: it ends the grant, with the tokens that it gave', async () => {
    const program = await startProgram(app)
    const code = await codeFor(app, ada, program)
    const { body } = await program.exchange(code)
    const holder = await whoseIs(body.access_token)
    assert.equal(holder?.principal.actor.id, ada.id)
    const again = await program.exchange(code)
    assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
    assert.equal(await whoseIs(body.access_token), undefined)
    assert.equal((await program.refresh(body.refresh_token)).body.error, 'invalid_grant')
    const { actor } = holder?.principal ?? {}
    assert.deepEqual(await endings(actor?.type === 'user' ? actor.sessionId : ''), [
      'grant.ended',
      'grant.created',
    ])
  })

  it('a code that is exchanged twice at the same moment: it counts once', async () => {
    const program = await startProgram(app)
    const code = await codeFor(app, ada, program)
    const all = await Promise.all(Array.from({ length: 6 }, () => program.exchange(code)))
    assert.deepEqual(
      all.map(({ status }) => status).sort((a, b) => a - b),
      [200, 400, 400, 400, 400, 400],
    )
  })

  it('a code that is a minute old', async () => {
    const program = await startProgram(app)
    const code = await codeFor(app, ada, program)
    await app.sql`update oauth_grants set expires_at = now()`
    assert.equal((await program.exchange(code)).body.error, 'invalid_grant')
  })

  it('a wrong redirect: one that the client did not register, in any spelling', async () => {
    const program = await startProgram(app, {
      redirect_uris: [testRedirect, 'http://127.0.0.1:4100/cb', 'http://localhost/cb'],
    })
    for (const uri of [
      'https://evil.example/callback',
      `${testRedirect}/`,
      `${testRedirect}?x=1`,
      `${testRedirect}#x`,
      'https://program.example:8443/callback',
      'https://program.example@evil.example/callback',
      'http://127.0.0.1:4100/cb/../other',
      'http://127.0.0.1:4100@evil.example/cb',
      'http://127.0.0.2:4100/cb',
      'http://localhost.evil.example/cb',
    ]) {
      await assertPage(program.link({ redirect_uri: uri }), /redirect address is not one/)
    }
    for (const uri of ['http://127.0.0.1:59999/cb', 'http://localhost:1234/cb']) {
      assert.ok(await program.ask({ redirect_uri: uri }))
    }
    const code = await codeFor(app, ada, program)
    const other = await program.exchange(code, { redirect_uri: 'http://localhost/cb' })
    assert.equal(other.body.error, 'invalid_grant')
  })

  it('redirect addresses that no client may register', async () => {
    for (const uri of [
      'http://program.example/callback',
      'javascript:alert(1)',
      'data:text/html,x',
      'ms-msdt://x',
      'cursor:x',
      `${testRedirect}#x`,
      'https://ada@program.example/',
      'x',
    ]) {
      const { status, body } = await register(app, { redirect_uris: [uri] })
      assert.deepEqual([status, body.error], [400, 'invalid_redirect_uri'], uri)
    }
    const editor = 'cursor://anysphere.cursor-mcp/oauth/callback'
    assert.equal((await register(app, { redirect_uris: [editor] })).status, 201)
  })

  it('a PKCE downgrade: no challenge, the plain method, no verifier, another verifier', async () => {
    const program = await startProgram(app)
    const { verifier } = program
    for (const changes of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge_method: undefined },
      { code_challenge: verifier, code_challenge_method: 'plain' },
      { code_challenge: 'short' },
    ] satisfies Fields[]) {
      await assertPage(program.link(changes), /PKCE is required/)
    }
    const code = await codeFor(app, ada, program)
    const none = await program.exchange(code, { code_verifier: undefined })
    assert.equal(none.body.error, 'invalid_request')
    const other = await program.exchange(code, { code_verifier: `${verifier.slice(1)}x` })
    assert.equal(other.body.error, 'invalid_grant')
    assert.equal((await program.exchange(code)).status, 200)
  })

  it('a token of another audience, in both directions', async () => {
    const program = await startProgram(app)
    for (const resource of ['https://other.example/mcp', `${app.url}/v1`, app.url]) {
      await assertPage(program.link({ resource }), /invalid_target/)
    }
    const code = await codeFor(app, ada, program, { resource: `${app.url}/mcp` })
    const exchanged = await program.exchange(code, { resource: 'https://other.example/mcp' })
    assert.equal(exchanged.body.error, 'invalid_target')
    const { body } = await program.exchange(code, { resource: `${app.url}/mcp` })
    for (const token of [body.access_token, body.refresh_token]) {
      const headers = { authorization: `Bearer ${token}` }
      const refused = await app.call('GET', '/v1/agents', { key: null, headers })
      assert.deepEqual(codeOf(refused), [401, 'invalid_api_key'])
      const cookie = { cookie: `muster_session=${token}` }
      assert.equal((await app.call('GET', '/v1/me', { key: null, headers: cookie })).status, 401)
    }
    assert.ok((await whoseIs(body.access_token)) !== undefined)
    assert.equal(await whoseIs(body.refresh_token), undefined)
    const elsewhere = createTokenLookup({
      database: app.database,
      publicUrl: 'https://other.example',
    })
    assert.equal(await elsewhere(body.access_token), undefined)
  })

  it('an open redirect: no request leads a browser away before a person has decided', async () => {
    const program = await startProgram(app)
    for (const [changes, why] of [
      [{ client_id: 'clt_01ktbz3v9se0c9x1hm8q5gkxvn' }, /client is unknown/],
      [{ client_id: undefined }, /client_id is missing/],
      [{ redirect_uri: undefined }, /redirect_uri is missing/],
      [{ response_type: 'token' }, /response_type has to be code/],
      [{ response_mode: 'fragment' }, /response_mode has to be query/],
      [{ scope: 'everything' }, /invalid_scope/],
      [{ state: 'x'.repeat(3_000) }, /state has more than/],
    ] as [Fields, RegExp][]) {
      await assertPage(program.link(changes), why)
    }
    const twice = `${program.link()}&redirect_uri=https%3A%2F%2Fevil.example%2F`
    await assertPage(twice, /redirect_uri is there more than once/)
    await assertPage(program.link({ client_id: '<script>alert(1)</script>' }), /client is unknown/)
  })

  it("consent to another client's name: a registered name proves nothing, and is told so", async () => {
    const evil = await startProgram(app, {
      client_name: 'Claude\u202E\u200B\n Code',
      redirect_uris: ['https://evil.example/cb'],
    })
    const request = await evil.ask()
    const { body } = await ada.call('POST', '/v1/me/grants/preview', { request })
    assert.deepEqual(body.data.client, {
      id: evil.clientId,
      name: 'Claude Code',
      host: 'evil.example',
      kind: 'registered',
    })
    assert.equal(body.data.redirect_host, 'evil.example')
    const program = await startProgram(app)
    await assertPage(
      program.link({ redirect_uri: 'https://evil.example/cb' }),
      /redirect address is not one/,
    )
    await assertPage(evil.link({ client_id: program.clientId }), /redirect address is not one/)
  })

  it('a code or a refresh token of another client', async () => {
    const [program, evil] = [await startProgram(app), await startProgram(app)]
    const code = await codeFor(app, ada, program)
    const { verifier: code_verifier } = program
    const stolen = await evil.exchange(code, { code_verifier })
    assert.equal(stolen.body.error, 'invalid_grant')
    const { body } = await program.exchange(code)
    assert.equal((await evil.refresh(body.refresh_token)).body.error, 'invalid_grant')
    assert.equal((await program.refresh(body.refresh_token)).status, 200)
  })

  it('CSRF on consent: another origin, no session, a key, and a request that Muster did not check', async () => {
    const program = await startProgram(app)
    const request = await program.ask()
    const body = { request, account_id: app.accountId }
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const refused = await ada.call('POST', '/v1/me/grants', body, headers)
      assert.deepEqual(codeOf(refused), [403, 'cross_origin'])
    }
    const anyone = await app.call('POST', '/v1/me/grants', { key: null, body })
    assert.equal(anyone.status, 401)
    const key = await app.call('POST', '/v1/me/grants', { body })
    assert.deepEqual(codeOf(key), [400, 'user_required'])
    const forged = `${request.slice(0, -4)}AAAA`
    assert.deepEqual(codeOf(await allow(app, ada, forged)), [400, 'invalid_value'])
    const other = await ada.call('POST', '/v1/me/grants', { request, account_id: 'acc_other' })
    assert.deepEqual(codeOf(other), [400, 'invalid_value'])
    assert.equal(
      (await app.get('/v1/audit?action=grant.created')).filter(
        (entry: { after: { client: { id: string } } }) =>
          entry.after.client.id === program.clientId,
      ).length,
      0,
    )
  })

  it('a used refresh token: it ends the grant, whoever used it first', async () => {
    const program = await startProgram(app)
    const first = await grantAccess(app, ada, program)
    const { body: second } = await program.refresh(first.refresh_token)
    assert.equal(await whoseIs(first.access_token), undefined)
    const { body: third } = await program.refresh(second.refresh_token)
    assert.ok((await whoseIs(third.access_token)) !== undefined)
    assert.equal((await program.refresh(first.refresh_token)).body.error, 'invalid_grant')
    assert.equal(await whoseIs(third.access_token), undefined)
    assert.equal((await program.refresh(third.refresh_token)).body.error, 'invalid_grant')
  })

  it('a refresh token that was made up, which ends nothing', async () => {
    const program = await startProgram(app)
    const tokens = await grantAccess(app, ada, program)
    const madeUp = `mrt_${'x'.repeat(86)}`
    assert.equal((await program.refresh(madeUp)).body.error, 'invalid_grant')
    assert.ok((await whoseIs(tokens.access_token)) !== undefined)
  })

  it('more scopes at a refresh than the person allowed', async () => {
    const program = await startProgram(app)
    const tokens = await grantAccess(app, ada, program, { scope: 'read' })
    const more = await program.refresh(tokens.refresh_token, { scope: 'read answer' })
    assert.equal(more.body.error, 'invalid_scope')
    const { body } = await program.refresh(tokens.refresh_token)
    assert.deepEqual((await whoseIs(body.access_token))?.scopes, new Set(['read']))
  })

  it('a secret, in any form: clients have none', async () => {
    const program = await startProgram(app)
    const code = await codeFor(app, ada, program)
    const secret = await program.exchange(code, { client_secret: 'x' })
    assert.equal(secret.body.error, 'invalid_client')
    const fields = { grant_type: 'authorization_code', code, code_verifier: program.verifier }
    const basic = { authorization: `Basic ${btoa(`${program.clientId}:x`)}` }
    assert.equal((await sendForm(app, '/oauth/token', fields, basic)).body.error, 'invalid_client')
  })

  it("another person's grants, and another account's", async () => {
    const program = await startProgram(app)
    await grantAccess(app, ada, program)
    const [grant] = (await ada.call('GET', '/v1/me/grants')).body.data
    assert.deepEqual((await bob.call('GET', '/v1/me/grants')).body.data, [])
    const path = `/v1/me/grants/${grant.id}`
    assert.deepEqual(codeOf(await bob.call('DELETE', path)), [404, 'not_found'])
    const other = await createAccount(app.database, 'other')
    await app.sql`
      insert into memberships (account_id, user_id, role) values (${other.id}, ${ada.id}, 'viewer')`
    await ada.call('PUT', '/v1/me/account', { account_id: other.id })
    assert.deepEqual((await ada.call('GET', '/v1/me/grants')).body.data, [])
    assert.deepEqual(codeOf(await ada.call('DELETE', path)), [404, 'not_found'])
    // A page that named the account of before must not give access to this one.
    assert.deepEqual(codeOf(await allow(app, ada, await program.ask())), [400, 'invalid_value'])
    await ada.call('PUT', '/v1/me/account', { account_id: app.accountId })
    assert.equal((await ada.call('DELETE', path)).status, 200)
  })
})
