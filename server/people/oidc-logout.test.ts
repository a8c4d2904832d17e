import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JWTPayload } from 'jose'
import { startScriptedOidc } from '../../rig/scripted-oidc.ts'
import { fixture, prepare } from '../../test/fixture.ts'
import type { Answer } from '../../test/api-client.ts'
import { startTestApp } from '../../test/test-app.ts'

const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }

describe('signing out of a session that began at the provider', () => {
  const provider = fixture(() => startScriptedOidc('/realms/muster'))
  const app = fixture(() =>
    startTestApp({
      role: 'api',
      env: {
        MUSTER_OIDC_ISSUER: provider.issuer,
        MUSTER_OIDC_CLIENT_ID: 'muster',
        MUSTER_OIDC_CLIENT_SECRET: 'a secret',
        MUSTER_OIDC_DEFAULT_ROLE: 'viewer',
      },
    }),
  )
  prepare(async () => {
    provider.metadata = { end_session_endpoint: `${new URL(provider.issuer).origin}/end` }
  })

  const cookiesOf = (response: Response) =>
    response.headers.getSetCookie().map((line) => line.split(';', 1)[0] as string)

  /** Signs a browser in and returns its cookies. */
  async function signIn(claims: object): Promise<string> {
    provider.claims = { email: 'ada@example.com', email_verified: true, name: 'Ada', ...claims }
    const begun = await fetch(`${app.url}/v1/session/oidc`, { redirect: 'manual' })
    const callback = `/v1/session/oidc/callback${provider.confirm(begun.headers.get('location') ?? '')}`
    const headers = { cookie: cookiesOf(begun).join('; ') }
    const back = await fetch(app.url + callback, { redirect: 'manual', headers })
    assert.equal(back.headers.get('location'), '/')
    return cookiesOf(back)
      .filter((cookie) => !cookie.startsWith('muster_sign_in'))
      .join('; ')
  }
  const statusOf = async (cookie: string) =>
    (await app.call('GET', '/v1/me', { key: null, headers: { cookie } })).status
  const logOut = async (token: string) => {
    const form = new URLSearchParams({ logout_token: token })
    const url = `${app.url}/v1/session/oidc/logout`
    const response = await fetch(url, { method: 'POST', body: form })
    const body: Answer['body'] = await response.json()
    return { status: response.status, body }
  }

  it('takes a callback once, though the provider takes its code twice', async () => {
    const begun = await fetch(`${app.url}/v1/session/oidc`, { redirect: 'manual' })
    const search = provider.confirm(begun.headers.get('location') ?? '')
    const visit = () =>
      fetch(`${app.url}/v1/session/oidc/callback${search}`, {
        redirect: 'manual',
        headers: { cookie: cookiesOf(begun).join('; ') },
      })
    assert.equal((await visit()).headers.get('location'), '/')
    const again = await visit()
    assert.equal(again.headers.get('location'), '/sign-in?error=sign_in_failed')
    assert.ok(!again.headers.getSetCookie().some((line) => line.startsWith('muster_session')))
  })

  it('tells the browser where to end the session there, and takes it back from there', async () => {
    const cookie = await signIn({})
    const headers = { cookie, origin: app.url }
    const { body } = await app.call('DELETE', '/v1/session', { key: null, headers })
    const url = new URL(body.data.end_session_url)
    assert.equal(url.pathname, '/end')
    const token = url.searchParams.get('id_token_hint') ?? ''
    assert.equal(token.split('.').length, 3)
    const back = url.searchParams.get('post_logout_redirect_uri') ?? ''
    assert.equal(back, `${app.url}/v1/session/oidc/callback`)
    const page = await fetch(back, { redirect: 'manual' })
    assert.equal(page.headers.get('location'), '/sign-in')
    assert.equal(await statusOf(cookie), 401)
  })

  it('names no address where the provider has none, or the session began with a password', async () => {
    const { metadata } = provider
    const cookie = await signIn({})
    const [session = ''] = cookie.split('; ')
    const ended = await app.call('DELETE', '/v1/session', {
      key: null,
      headers: { cookie: session, origin: app.url },
    })
    assert.equal(ended.body.data.end_session_url, null)
    provider.metadata = {}
    // A failed sign-in makes the service read the provider's metadata again.
    provider.answers['/token'] = (response) => response.writeHead(502).end()
    await assert.rejects(signIn({}))
    provider.answers = {}
    const headers = { cookie: await signIn({}), origin: app.url }
    const { body } = await app.call('DELETE', '/v1/session', { key: null, headers })
    assert.equal(body.data.end_session_url, null)
    provider.metadata = metadata
  })

  it('ends the session that the provider names, or all of the person, audited', async () => {
    const [first, second] = [await signIn({ sid: 's-1' }), await signIn({ sid: 's-2' })]
    const header = { typ: 'logout+jwt' }
    const one = await logOut(await provider.sign({ sid: 's-1', jti: 'a', events }, header))
    assert.deepEqual([one.status, one.body.data], [200, { ended: 1 }])
    assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200])
    const rest = await logOut(await provider.sign({ jti: 'b', events }))
    assert.deepEqual([rest.status, await statusOf(second)], [200, 401])
    const rows = await app.database
      .selectFrom('audit')
      .select('actor_name')
      .where('action', '=', 'session.deleted')
      .where('actor_type', '=', 'system')
      .execute()
    assert.equal(rows.length, 1 + rest.body.data.ended)
  })

  it('takes no other token for a logout token', async () => {
    const cookie = await signIn({ sid: 's-3' })
    const claims: JWTPayload = { sid: 's-3', jti: 'c', events }
    const old = Math.floor(Date.now() / 1000) - 3_600
    const tokens = [
      provider.sign({ ...claims, nonce: 'x' }),
      provider.sign({ ...claims, events: {} }),
      provider.sign({ ...claims, aud: 'another' }),
      provider.sign({ ...claims, iss: 'https://login.example.com' }),
      provider.sign({ sid: 's-3', events }),
      provider.sign({ ...claims, sid: 3 }),
      provider.sign(claims, { typ: 'at+jwt' }),
      provider.sign({ ...claims, iat: old }),
      Promise.resolve('not a token'),
    ]
    for (const token of await Promise.all(tokens)) {
      const { status, body } = await logOut(token)
      assert.deepEqual([status, body.error.param], [400, 'logout_token'], token)
    }
    provider.isForged = true
    assert.equal((await logOut(await provider.sign(claims))).status, 400)
    provider.isForged = false
    assert.equal(await statusOf(cookie), 200)
  })

  it('takes forms nowhere else', async () => {
    const body = new URLSearchParams({ email: 'ada@example.com', password: 'a long enough one' })
    const response = await fetch(`${app.url}/v1/session`, { method: 'POST', body })
    assert.equal(response.status, 415)
  })
})
