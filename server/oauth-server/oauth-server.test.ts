import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import {
  auth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { sql } from 'kysely'
import type { Person } from '../../test/api-client.ts'
import { earlier } from '../../test/earlier.ts'
import { fixture, prepare } from '../../test/fixture.ts'
import { passTime } from '../../test/pass-time.ts'
import { pluck } from '../../test/pluck.ts'
import { startTestApp } from '../../test/test-app.ts'
import { connectMcp, postMcp } from '../mcp-server/test-mcp.ts'
import { createAuthenticator } from '../accounts/authenticate.ts'
import { Pruner } from '../retention/retention.ts'
import { createTokenLookup } from './identify-token.ts'
import { codeFor, grantAccess, register, sendForm, startProgram } from './test-program.ts'

const app = fixture(() => startTestApp({ role: 'api' }))
let ada: Person
prepare(async () => {
  ada = await app.join('Ada', 'admin')
})
// All programs of the tests register from one network address.
beforeEach(() => app.sql`delete from sign_in_attempts`)

const whoseIs = (token: string) =>
  createTokenLookup({ database: app.database, publicUrl: app.url })(token)
const grantsOf = async (person: Person) => (await person.call('GET', '/v1/me/grants')).body.data

/** The provider of the official MCP client, for a program that listens on this computer. */
function openProvider() {
  let client: StoredOAuthClientInformation | undefined
  let tokens: StoredOAuthTokens | undefined
  let verifier = ''
  let discovery: OAuthDiscoveryState | undefined
  const seen: { link: URL | undefined; tokens: () => StoredOAuthTokens | undefined } = {
    link: undefined,
    tokens: () => tokens,
  }
  const redirectUrl = 'http://127.0.0.1:8091/callback'
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: 'Official client', redirect_uris: [redirectUrl] },
    state: () => 'a state',
    clientInformation: () => client,
    saveClientInformation: (saved) => void (client = saved),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = saved),
    redirectToAuthorization: (link) => void (seen.link = link),
    saveCodeVerifier: (saved) => void (verifier = saved),
    codeVerifier: () => verifier,
    saveDiscoveryState: (saved) => void (discovery = saved),
    discoveryState: () => discovery,
  }
  return { provider, seen }
}

describe('the authorization server', () => {
  it('gives the official MCP client a token, from discovery to a refresh', async () => {
    const { provider, seen } = openProvider()
    const serverUrl = `${app.url}/mcp`
    assert.equal(await auth(provider, { serverUrl }), 'REDIRECT')
    const { link } = seen
    assert.equal(link?.searchParams.get('resource'), serverUrl)
    assert.equal(link.searchParams.get('scope'), 'run read')
    const shown = await fetch(link, { redirect: 'manual' })
    const page = new URL(shown.headers.get('location') ?? '', app.url)
    const request = page.searchParams.get('request') ?? ''
    const { body } = await ada.call('POST', '/v1/me/grants', {
      request,
      account_id: app.accountId,
    })
    const back = new URL(body.data.redirect_url)
    assert.equal(back.origin, 'http://127.0.0.1:8091')
    const [code, iss] = [back.searchParams.get('code'), back.searchParams.get('iss')]
    assert.ok(code !== null && iss !== null)
    assert.equal(await auth(provider, { serverUrl, authorizationCode: code, iss }), 'AUTHORIZED')
    const first = seen.tokens()?.access_token ?? ''
    const holder = await whoseIs(first)
    assert.deepEqual(
      [holder?.principal.actor.id, holder?.principal.role, holder?.scopes],
      [ada.id, 'admin', new Set(['run', 'read'])],
    )
    await using mcp = await connectMcp({ url: app.url, key: first })
    const { tools } = await mcp.client.listTools()
    assert.ok(tools.some(({ name }) => name === 'run_status'))
    // The client refreshes when it is asked again.
    assert.equal(await auth(provider, { serverUrl }), 'AUTHORIZED')
    const second = seen.tokens()?.access_token ?? ''
    assert.notEqual(second, first)
    assert.ok((await whoseIs(second)) !== undefined)
    assert.equal(await whoseIs(first), undefined)
    await assert.rejects(
      auth(provider, { serverUrl, authorizationCode: code, iss: 'https://evil.example' }),
      /issuer/i,
    )
  })

  it('describes the resource and itself', async () => {
    const read = async (path: string) => (await fetch(app.url + path)).json()
    const resource = await read('/.well-known/oauth-protected-resource/mcp')
    assert.deepEqual(resource, await read('/.well-known/oauth-protected-resource'))
    assert.deepEqual(resource, {
      resource: `${app.url}/mcp`,
      resource_name: 'Muster',
      authorization_servers: [app.url],
      scopes_supported: ['run', 'read'],
      bearer_methods_supported: ['header'],
    })
    const server = (await read('/.well-known/oauth-authorization-server')) as object
    assert.deepEqual(
      Object.fromEntries(Object.entries(server).filter(([name]) => !name.endsWith('endpoint'))),
      {
        issuer: app.url,
        scopes_supported: ['run', 'read', 'answer'],
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: ['none'],
        revocation_endpoint_auth_methods_supported: ['none'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      },
    )
  })

  it('stores hashes of codes and tokens alone', async () => {
    const program = await startProgram(app)
    const code = await codeFor(app, ada, program)
    const { body } = await program.exchange(code)
    const rows = JSON.stringify(
      await app.sql`select to_jsonb(oauth_grants) as row from oauth_grants`,
    )
    for (const secret of [code, body.access_token, body.refresh_token]) {
      assert.ok(!rows.includes(secret.slice(4)))
      assert.ok(!rows.includes(Buffer.from(secret).toString('hex')))
    }
  })
})

describe('registration', () => {
  it('is limited to 20 an hour from an address', async () => {
    for (let made = 0; made < 20; made++) assert.equal((await register(app)).status, 201)
    const { status, body } = await register(app)
    assert.deepEqual([status, body.error], [429, 'too_many_requests'])
  })

  it('keeps 1,000 unused clients, the newest, and every used one', async () => {
    const used = await startProgram(app)
    await codeFor(app, ada, used)
    await app.sql`
      insert into oauth_clients (id, name, redirect_uris, created_at, expires_at)
      select 'clt_' || n, '', '{https://a.example/}', now() - interval '1 hour' + n * interval '1 second',
             now() + interval '1 day'
      from generate_series(1, 1000) as n`
    await app.sql`update oauth_clients set created_at = now() - interval '2 hours' where used_at is not null`
    await startProgram(app)
    const { count } = await app.row<{ count: number }>`
      select count(*)::int as count from oauth_clients where used_at is null`
    assert.equal(count, 1_000)
    const left = await app.sql`select from oauth_clients where id in ('clt_1', ${used.clientId})`
    assert.equal(left.length, 1)
  })

  it('tells what is wrong', async () => {
    for (const [metadata, error, why] of [
      [{ redirect_uris: [] }, 'invalid_redirect_uri', /list of 1 to 10/],
      [{ redirect_uris: 'x' }, 'invalid_redirect_uri', /list of 1 to 10/],
      [{ redirect_uris: ['http://a.example/'] }, 'invalid_redirect_uri', /expected https/],
      [{ grant_types: ['implicit'] }, 'invalid_client_metadata', /authorization_code/],
    ] as const) {
      const { status, body } = await register(app, metadata)
      assert.deepEqual([status, body.error], [400, error])
      assert.match(body.error_description, why)
    }
  })
})

describe('a grant', () => {
  it('is listed with its program, and ends at once', async () => {
    const program = await startProgram(app)
    const tokens = await grantAccess(app, ada, program, { scope: 'read answer offline_access' })
    const [grant] = await grantsOf(ada)
    assert.deepEqual(
      [grant.client, grant.scopes],
      [{ name: 'Test program', host: 'program.example' }, ['read', 'answer']],
    )
    assert.ok(grant.id.startsWith('grn_'))
    const lookup = createTokenLookup({ database: app.database, publicUrl: app.url })
    assert.ok((await lookup(tokens.access_token)) !== undefined)
    const answer = await ada.call('DELETE', `/v1/me/grants/${grant.id}`)
    assert.deepEqual(answer.body.data, { id: grant.id, deleted: true })
    assert.equal(await lookup(tokens.access_token), undefined)
    assert.equal((await program.refresh(tokens.refresh_token)).body.error, 'invalid_grant')
    assert.deepEqual(pluck(await app.get(`/v1/audit?object_id=${grant.id}`), 'action'), [
      'grant.deleted',
      'grant.created',
    ])
  })

  it('is one also when its request is repeated after the process died', async () => {
    const program = await startProgram(app)
    const body = { request: await program.ask(), account_id: app.accountId }
    const headers = { 'idempotency-key': 'a consent' }
    const consentOnce = async () => {
      const answer = await ada.call('POST', '/v1/me/grants', body, headers)
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
      const { id, redirect_url: url } = answer.body.data
      return { id, code: new URL(url).searchParams.get('code') ?? '' }
    }
    const first = await consentOnce()
    assert.deepEqual(await consentOnce(), first, 'the stored answer')
    await app.forgetAnswer('a consent')
    const second = await consentOnce()
    assert.equal(second.id, first.id)
    assert.equal((await program.exchange(first.code)).body.error, 'invalid_grant')
    assert.equal((await program.exchange(second.code)).status, 200)
    assert.equal((await app.get(`/v1/audit?object_id=${first.id}`)).length, 1)
  })

  it('is given back by its program, by either token', async () => {
    for (const name of ['access_token', 'refresh_token'] as const) {
      const program = await startProgram(app)
      const tokens = await grantAccess(app, ada, program)
      const fields = { token: tokens[name], client_id: program.clientId }
      const other = await sendForm(app, '/oauth/revoke', { ...fields, client_id: 'clt_other' })
      assert.equal(other.status, 200)
      assert.ok((await whoseIs(tokens.access_token)) !== undefined)
      assert.equal((await sendForm(app, '/oauth/revoke', fields)).status, 200)
      assert.equal(await whoseIs(tokens.access_token), undefined)
    }
  })

  it('has the role of now, ends with the membership, and with a new password', async () => {
    const bob = await app.join('Bob', 'member')
    const program = await startProgram(app)
    const { access_token: token } = await grantAccess(app, bob, program)
    const holder = await whoseIs(token)
    assert.equal(holder?.principal.role, 'member')
    const { principal } = holder
    const ended = () => createAuthenticator(app.database).findEnded([principal])
    assert.equal((await ended()).size, 0)
    await app.patch(`/v1/users/${bob.id}`, { role: 'viewer' })
    assert.equal((await whoseIs(token))?.principal.role, 'viewer')
    await app.delete(`/v1/users/${bob.id}`)
    assert.equal(await whoseIs(token), undefined)
    assert.equal((await ended()).size, 1)

    const eve = await app.join('Eve', 'member')
    const { access_token: other } = await grantAccess(app, eve, program)
    const change = { password: 'another good password', current_password: 'correct horse battery' }
    assert.equal((await eve.call('PATCH', '/v1/me', change)).status, 200)
    assert.equal(await whoseIs(other), undefined)
  })

  it("works at /mcp within the person's role and what they allowed", async () => {
    const viewer = await app.join('Vera', 'viewer')
    const program = await startProgram(app)
    const all = await grantAccess(app, viewer, program, { scope: 'run read answer' })
    const least = await grantAccess(app, ada, program, { scope: 'read' })
    for (const { access_token: token } of [all, least]) {
      assert.equal((await postMcp(app.url, token, { method: 'tools/list' })).status, 200)
      for (const [name, needed] of [
        ['run_cancel', 'run'],
        ['inbox_answer', 'answer'],
      ] as const) {
        const params = { name, arguments: {} }
        const refused = await postMcp(app.url, token, { method: 'tools/call', params })
        assert.equal(refused.status, 403)
        const challenge = refused.headers.get('www-authenticate') ?? ''
        assert.ok(challenge.includes(`error="insufficient_scope", scope="read ${needed}"`))
      }
    }
    const ended = await postMcp(app.url, all.refresh_token, { method: 'tools/list' })
    assert.equal(ended.status, 401)
    assert.equal(
      ended.headers.get('www-authenticate'),
      `Bearer resource_metadata="${app.url}/.well-known/oauth-protected-resource/mcp", scope="run read"`,
    )
  })

  it('of a suspended account says so', async () => {
    const { access_token: token } = await grantAccess(app, ada, await startProgram(app))
    await app.sql`update accounts set suspended_at = now() where id = ${app.accountId}`
    const holder = await whoseIs(token)
    assert.equal(holder?.principal.account.isSuspended, true)
    assert.equal((await createAuthenticator(app.database).findEnded([holder.principal])).size, 1)
    await app.sql`update accounts set suspended_at = null where id = ${app.accountId}`
  })

  it('is one of 50 of a person in an account: another one ends the oldest', async () => {
    const cam = await app.join('Cam', 'member')
    const program = await startProgram(app)
    const { access_token: token } = await grantAccess(app, cam, program)
    await app.sql`
      insert into oauth_grants (account_id, id, user_id, client_id, client_name, client_host, redirect_uri,
        resource, scopes, code_hash, code_challenge, access_hash, created_at, expires_at)
      select account_id, 'grn_' || n, user_id, client_id, client_name, client_host, redirect_uri, resource,
        scopes, decode(md5('code' || n), 'hex'), code_challenge,
        decode(md5('access' || n), 'hex'), now(), expires_at
      from oauth_grants, generate_series(1, 49) as n where user_id = ${cam.id}`
    await app.sql`
      update oauth_grants set created_at = ${earlier('created_at', '1 minute')}
      where user_id = ${cam.id} and length(access_hash) = 32`
    assert.equal((await grantsOf(cam)).length, 50)
    await grantAccess(app, cam, program)
    assert.equal((await grantsOf(cam)).length, 50)
    assert.equal(await whoseIs(token), undefined)
  })

  it('lasts 30 days after a refresh, its access token an hour, and housekeeping removes it', async () => {
    const program = await startProgram(app)
    const tokens = await grantAccess(app, ada, program)
    await passTime(app.database, '61 minutes')
    assert.equal(await whoseIs(tokens.access_token), undefined)
    const { body } = await program.refresh(tokens.refresh_token)
    assert.ok((await whoseIs(body.access_token)) !== undefined)
    await passTime(app.database, '31 days')
    assert.equal((await program.refresh(body.refresh_token)).body.error, 'invalid_grant')
    await passTime(app.database, '90 days')
    const none = { eventsDays: 0, transcriptsDays: 0, deliveriesDays: 0, auditDays: 0, runsDays: 0 }
    const pruner = new Pruner(app.database, none, (error) => assert.fail(String(error)))
    while (await pruner.tick());
    for (const table of ['oauth_grants', 'oauth_clients']) {
      assert.equal((await app.sql`select from ${sql.table(table)}`).length, 0)
    }
  })
})
