import assert from 'node:assert/strict'
import { it } from 'node:test'
import { freePort } from '../../../rig/loopback.ts'
import { startScriptedOidc, type ScriptedOidc } from '../../../rig/scripted-oidc.ts'
import { SecretBox } from '../../secret-box.ts'
import type { OidcClaims } from './claims.ts'
import { OidcClient, type OidcSettings } from './client.ts'
import { tryProvider } from './discovery.ts'

/** Tests what providers do that differs from the standard, or from what they did the day before. */
const secrets = new SecretBox([Buffer.alloc(32, 1)])
const clientFor = (
  issuer: string,
  settings: Partial<OidcSettings> = {},
  now?: () => number,
): OidcClient =>
  new OidcClient(
    {
      issuer: new URL(issuer),
      clientId: 'muster',
      clientSecret: 'a secret',
      clientAuth: undefined,
      defaultRole: undefined,
      allowedDomains: [],
      assumesVerifiedEmail: false,
      ...settings,
    },
    () => 'http://127.0.0.1:4999',
    secrets,
    undefined,
    now,
  )

async function signIn(provider: ScriptedOidc, client: OidcClient): Promise<OidcClaims> {
  const begun = await client.begin('/')
  return (await client.finish(provider.confirm(begun.url), begun.cookie)).claims
}

it('takes no ID token that the provider has not signed', async () => {
  await using provider = await startScriptedOidc()
  const client = clientFor(provider.issuer)
  assert.equal((await signIn(provider, client)).email, 'ada@example.com')
  provider.isForged = true
  await assert.rejects(signIn(provider, client), { code: 'sign_in_failed' })
  provider.isForged = false
  await signIn(provider, client)
  provider.answers['/keys'] = (response) => response.end('{"keys":[]}')
  await assert.rejects(signIn(provider, clientFor(provider.issuer)), { code: 'sign_in_failed' })
})

it('takes no ID token that was made for another client, names no person or comes from the future', async () => {
  await using provider = await startScriptedOidc()
  const client = clientFor(provider.issuer)
  const { claims } = provider
  const tomorrow = Math.floor(Date.now() / 1_000) + 86_400
  for (const [wrong, why] of [
    [{ azp: 'another' }, /another client \(azp\)/],
    [{ sub: '' }, /sub/],
    [{ sub: ' ' }, /names no person/],
    [{ iat: tomorrow }, /iat|future/],
  ] as const) {
    provider.claims = { ...claims, ...wrong }
    await assert.rejects(signIn(provider, client), { code: 'sign_in_failed', message: why })
  }
  provider.claims = { ...claims, azp: 'muster', iat: Math.floor(Date.now() / 1_000) + 60 }
  assert.equal((await signIn(provider, client)).subject, 'subject-1')
})

it('sends nothing to an endpoint over plain HTTP beyond this machine', async () => {
  await using provider = await startScriptedOidc()
  for (const name of ['token_endpoint', 'jwks_uri'] as const) {
    provider.metadata = { [name]: 'http://login.example.com/there' }
    await assert.rejects(signIn(provider, clientFor(provider.issuer)), /neither https/, name)
  }
})

it('takes the issuer as it is typed, and says what to set where the provider spells it otherwise', async () => {
  for (const path of ['', '/application/o/muster/', '/realms/muster']) {
    await using provider = await startScriptedOidc(path)
    const { issuer } = await signIn(provider, clientFor(provider.issuer))
    assert.equal(issuer, provider.issuer)
    if (path === '') continue
    const other = path.endsWith('/') ? provider.issuer.slice(0, -1) : `${provider.issuer}/`
    await assert.rejects(clientFor(other).begin('/'), {
      code: 'identity_provider_unavailable',
      message: new RegExp(`set MUSTER_OIDC_ISSUER=${provider.issuer} if`),
    })
  }
})

it('proves itself as the metadata or the setting says, basic by default', async () => {
  const basic = `Basic ${Buffer.from('muster:a+secret').toString('base64')}`
  for (const [supported, clientAuth, authorization] of [
    [undefined, undefined, basic],
    [['client_secret_post', 'client_secret_basic'], undefined, basic],
    [['client_secret_post'], undefined, undefined],
    [['client_secret_basic', 'client_secret_post'], 'client_secret_post', undefined],
    [['client_secret_post'], 'client_secret_basic', basic],
  ] as const) {
    await using provider = await startScriptedOidc()
    provider.metadata = { token_endpoint_auth_methods_supported: supported }
    await signIn(provider, clientFor(provider.issuer, { clientAuth }))
    const asked = provider.asked.find(({ path }) => path === '/token')
    assert.equal(asked?.authorization, authorization)
    assert.equal(asked?.body.includes('client_secret='), authorization === undefined)
  }
})

it('takes an address as verified where the provider says so, in any spelling, or where it is told to', async () => {
  await using provider = await startScriptedOidc()
  const email = 'ada@example.com'
  provider.userinfo = { sub: 'subject-1', name: 'Ada' }
  for (const [verified, assumes, taken] of [
    [true, false, email],
    ['true', false, email],
    ['false', true, undefined],
    [false, true, undefined],
    [1, true, undefined],
    [undefined, false, undefined],
    [undefined, true, email],
  ] as const) {
    provider.claims = { email, email_verified: verified, name: 'Ada' }
    const client = clientFor(provider.issuer, { assumesVerifiedEmail: assumes })
    assert.equal((await signIn(provider, client)).email, taken, `${verified} ${assumes}`)
  }
  provider.claims = { email: 'not an address', email_verified: true }
  assert.equal((await signIn(provider, clientFor(provider.issuer))).email, undefined)
})

it('asks the userinfo endpoint for what the ID token lacks, and does without it where it can', async () => {
  await using provider = await startScriptedOidc()
  const client = clientFor(provider.issuer)
  const timesAsked = () => provider.asked.filter(({ path }) => path === '/userinfo').length
  assert.equal((await signIn(provider, client)).email, 'ada@example.com')
  assert.equal(timesAsked(), 0, 'the ID token has all')
  provider.claims = { email: 'ada@example.com' }
  provider.userinfo = { sub: 'subject-1', email: 'new@example.com', email_verified: 'true' }
  assert.equal((await signIn(provider, client)).email, 'new@example.com')
  provider.claims = { email: 'ada@example.com', email_verified: true }
  provider.userinfo = { sub: 'subject-1', email: 'new@example.com', name: 'Ada' }
  const { email, name } = await signIn(provider, client)
  assert.deepEqual([email, name], ['ada@example.com', 'Ada'])
  provider.userinfo = undefined
  assert.equal((await signIn(provider, client)).email, 'ada@example.com')
  provider.claims = {}
  await assert.rejects(signIn(provider, client), { code: 'sign_in_failed' })
  const before = timesAsked()
  provider.metadata = { userinfo_endpoint: undefined }
  provider.claims = { email: 'ada@example.com', email_verified: true }
  assert.equal((await signIn(provider, clientFor(provider.issuer))).email, 'ada@example.com')
  assert.equal(timesAsked(), before, 'there is no such endpoint')
})

it('reads the metadata again after an hour, and after a sign-in that failed', async () => {
  await using provider = await startScriptedOidc()
  let time = 0
  const client = clientFor(provider.issuer, {}, () => time)
  await signIn(provider, client)
  provider.algorithm = 'ES256'
  await assert.rejects(signIn(provider, client), { code: 'sign_in_failed' })
  await signIn(provider, client)
  provider.algorithm = 'RS256'
  time = 3_600_000
  await signIn(provider, client)
})

it('pushes the request where the metadata demands it', async () => {
  await using provider = await startScriptedOidc()
  provider.metadata = {
    require_pushed_authorization_requests: true,
    pushed_authorization_request_endpoint: `${provider.issuer}/pushed`,
  }
  provider.answers['/pushed'] = (response) => {
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end('{"request_uri":"urn:a-request","expires_in":60}')
  }
  const { searchParams } = new URL((await clientFor(provider.issuer).begin('/')).url)
  assert.deepEqual(Object.fromEntries(searchParams), {
    client_id: 'muster',
    request_uri: 'urn:a-request',
  })
})

it('says in words why a provider cannot be used', async () => {
  await using provider = await startScriptedOidc('/realms/muster')
  const refuses = (client: OidcClient, message: RegExp, code = 'identity_provider_unavailable') =>
    assert.rejects(signIn(provider, client), { code, message })
  await refuses(
    clientFor(`http://127.0.0.1:${await freePort()}`),
    /it refuses the connection \(ECONNREFUSED\)/,
  )
  await refuses(clientFor('https://no-such.invalid'), /its name (is not found|cannot be looked up)/)
  const other = provider.issuer.replace('muster', 'another')
  await refuses(clientFor(other), /it answered 404 at \/realms\/another\/.*is the path of/)
  const document = '/realms/muster/.well-known/openid-configuration'
  provider.answers[document] = (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome</p>')
  }
  await refuses(clientFor(provider.issuer), /it answered text\/html in place of JSON/)
  provider.answers = {
    '/token': (response) => {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end('{"error":"invalid_client","error_description":"client not\\nfound"}')
    },
  }
  const client = clientFor(provider.issuer)
  await refuses(
    client,
    /it answered 401 invalid_client \(client not found\); are/,
    'sign_in_failed',
  )
  provider.answers['/token'] = (response) => response.writeHead(502).end('Bad gateway')
  await refuses(clientFor(provider.issuer), /it answered 502 at \/token/)
})

it('is tried by the doctor, its keys included', async () => {
  await using provider = await startScriptedOidc()
  const { settings } = clientFor(provider.issuer)
  assert.deepEqual(await tryProvider(settings), { issuer: `${provider.issuer}/` })
  provider.answers['/keys'] = (response) => response.writeHead(500).end()
  assert.match((await tryProvider(settings)).why ?? '', /200 OK/)
  provider.metadata = { jwks_uri: undefined }
  assert.match((await tryProvider(settings)).why ?? '', /names no keys/)
})
