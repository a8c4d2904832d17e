import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startOidcProvider } from '../../../rig/oidc-provider.ts'
import { SecretBox } from '../../secret-box.ts'
import { OidcClient, safeReturnTo } from './client.ts'
import { prepare, fixture } from '../../../test/fixture.ts'

const publicUrl = 'http://127.0.0.1:4999'
const secrets = new SecretBox([Buffer.alloc(32, 1)])

describe('signing in through a provider', () => {
  let client: OidcClient
  const provider = fixture(() => startOidcProvider(`${publicUrl}/v1/session/oidc/callback`))
  prepare(async () => {
    client = newClient(provider.issuer)
  })

  const newClient = (issuer: string, clientSecret = provider.clientSecret) =>
    new OidcClient(
      {
        issuer: new URL(issuer),
        clientId: provider.clientId,
        clientSecret,
        defaultRole: undefined,
        clientAuth: undefined,
        assumesVerifiedEmail: false,
        allowedDomains: [],
      },
      () => publicUrl,
      secrets,
    )
  const searchOf = (url: string) => new URL(url).search

  it('gives the subject, the verified address and where to go on', async () => {
    const begun = await client.begin('/inbox')
    const callback = await provider.visit(begun.url)
    const { claims, returnTo } = await client.finish(searchOf(callback), begun.cookie)
    assert.deepEqual(claims, {
      issuer: provider.issuer,
      subject: 'subject-1',
      email: 'ada@example.com',
      name: 'Ada',
    })
    assert.equal(returnTo, '/inbox')
  })

  it('gives the address as addresses are compared, whatever its case and its accents', async () => {
    const { user } = provider
    provider.user = { ...user, email: 'Jose\u0301@Example.com' }
    const begun = await client.begin('/')
    const { claims } = await client.finish(searchOf(await provider.visit(begun.url)), begun.cookie)
    assert.equal(claims.email, 'jos\u00E9@example.com')
    provider.user = user
  })

  it('gives the address that a provider tells the bearer of an access token alone', async () => {
    const callback = `${publicUrl}/v1/session/oidc/callback`
    await using strict = await startOidcProvider(callback, { conformIdTokenClaims: true })
    const asking = newClient(strict.issuer, strict.clientSecret)
    const begun = await asking.begin('/')
    const { claims } = await asking.finish(searchOf(await strict.visit(begun.url)), begun.cookie)
    assert.deepEqual([claims.email, claims.name], ['ada@example.com', 'Ada'])
  })

  it('finds an issuer with a path and a slash at its end, as the provider spells it', async () => {
    const callback = `${publicUrl}/v1/session/oidc/callback`
    const path = '/application/o/muster/'
    await using mounted = await startOidcProvider(callback, { path })
    const asking = newClient(mounted.issuer, mounted.clientSecret)
    const begun = await asking.begin('/')
    const { claims } = await asking.finish(searchOf(await mounted.visit(begun.url)), begun.cookie)
    assert.equal(claims.issuer, mounted.issuer)
    const without = newClient(mounted.issuer.slice(0, -1), mounted.clientSecret)
    await assert.rejects(without.begin('/'), /set MUSTER_OIDC_ISSUER=.*\/muster\/ if/)
  })

  it('proves itself by the one method that a provider announces', async () => {
    const callback = `${publicUrl}/v1/session/oidc/callback`
    for (const clientAuth of ['client_secret_basic', 'client_secret_post'] as const) {
      await using strict = await startOidcProvider(callback, { clientAuth })
      const asking = newClient(strict.issuer, strict.clientSecret)
      const begun = await asking.begin('/')
      const { claims } = await asking.finish(searchOf(await strict.visit(begun.url)), begun.cookie)
      assert.equal(claims.email, 'ada@example.com')
    }
  })

  it('passes over an address that is not verified', async () => {
    const { user } = provider
    provider.user = { ...user, email_verified: false }
    const begun = await client.begin('/')
    const { claims } = await client.finish(searchOf(await provider.visit(begun.url)), begun.cookie)
    assert.equal(claims.email, undefined)
    provider.user = user
  })

  it('refuses a code that is redeemed twice, in another browser or with another state', async () => {
    const begun = await client.begin('/')
    const search = searchOf(await provider.visit(begun.url))
    const other = await client.begin('/')
    const refused = { code: 'sign_in_failed' }
    await assert.rejects(client.finish(search, other.cookie), refused)
    await assert.rejects(client.finish(search, undefined), refused)
    await assert.rejects(
      client.finish(search.replace(/state=[^&]*/, 'state=x'), begun.cookie),
      refused,
    )
    await client.finish(search, begun.cookie)
    await assert.rejects(client.finish(search, begun.cookie), refused)
  })

  it('refuses a client secret that the provider does not know', async () => {
    const wrong = newClient(provider.issuer, 'another secret')
    const begun = await wrong.begin('/')
    const search = searchOf(await provider.visit(begun.url))
    await assert.rejects(wrong.finish(search, begun.cookie), { code: 'sign_in_failed' })
  })

  it('says that a provider cannot be reached, and finds it when it is there', async () => {
    await assert.rejects(newClient('http://127.0.0.1:1').begin('/'), {
      code: 'identity_provider_unavailable',
    })
  })
})

it('only paths of this service are returned to', () => {
  for (const path of ['/', '/inbox', '/runs?status=failed#x'])
    assert.equal(safeReturnTo(path), path)
  const hostile = [
    undefined,
    '',
    'inbox',
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/\t/evil.example',
    '/a b',
    `/${'x'.repeat(3000)}`,
    'javascript:alert(1)',
  ]
  for (const path of hostile) assert.equal(safeReturnTo(path), '/')
})
