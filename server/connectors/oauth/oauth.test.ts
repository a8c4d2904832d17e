import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { echoTool } from '../../../rig/mcp-server.ts'
import { startLoginServer, type LoginServer } from '../../../rig/login-server.ts'
import { until } from '../../../rig/until.ts'
import { codeOf, type Person } from '../../../test/api-client.ts'
import { fixture, prepare } from '../../../test/fixture.ts'
import { callTools, complete, startTestApp, toolResults } from '../../../test/test-app.ts'

/** Two processes share the work, as in a deployment. */
const intervals = { loginsMs: 25, alertsMs: 50 }
const app = fixture(() => startTestApp({ intervals }))
const login = fixture(() => startLoginServer(`${app.url}/oauth/callback`))
let admin: Person
prepare(async () => {
  admin = await app.join('Ada', 'admin')
})

const connect = (id: string, fields: object = {}) =>
  app.put(`/v1/connectors/${id}`, { kind: 'mcp', url: login.mcp.url, ...fields })
const connectorOf = async (id: string, person?: Person) => {
  const list =
    person === undefined
      ? await app.get('/v1/connectors')
      : (await person.call('GET', '/v1/connectors')).body.data
  return list.find((one: { id: string }) => one.id === id)
}
const authorize = async (id: string, person: Person, body: object = {}) => {
  const answer = await person.call('POST', `/v1/connectors/${id}/authorize`, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.data as { authorize_url: string; expires_at: string }
}
async function logIn(
  id: string,
  person: Person,
  at: Pick<LoginServer, 'visit'> = login,
): Promise<string> {
  const { authorize_url: url } = await authorize(id, person)
  const callback = await at.visit(url)
  const response = await fetch(callback, { redirect: 'manual', headers: { cookie: person.cookie } })
  assert.equal(response.status, 303, await response.text())
  return response.headers.get('location') ?? ''
}
/** A workflow whose agent calls the tool once, and says what came of it. */
async function workflowFor(id: string): Promise<string> {
  app.answer = (request, response) => {
    const results = toolResults(request)
    if (results.length > 0) complete(response, results.join('\n'))
    else callTools(response, [{ name: `${id}__echo`, arguments: { text: 'hi' } }])
  }
  const crew = [{ role: 'r', systemPrompt: 's', connectors: [id], capabilities: [`${id}.echo`] }]
  return app.createWorkflow({ crew })
}

describe('the login of an account', () => {
  it('is demanded before the tools are known, made in a browser, and used by calls', async () => {
    const made = await connect('notes', { safe_tools: ['echo'], tools: { only: ['echo'] } })
    assert.deepEqual(
      [made.state, made.connected, made.actions, made.credentials],
      ['needs_login', true, [], 'account'],
    )
    const before = Date.now()
    const { authorize_url: url, expires_at: endsAt } = await authorize('notes', admin, {
      return_to: '/inbox',
    })
    assert.ok(Date.parse(endsAt) > before + 500_000)
    const asked = new URL(url).searchParams
    assert.equal(asked.get('code_challenge_method'), 'S256')
    assert.equal(asked.get('resource'), login.mcp.url)
    assert.equal(asked.get('redirect_uri'), `${app.url}/oauth/callback`)
    const callback = await login.visit(url)
    assert.ok(new URL(callback).searchParams.has('iss'))
    const landed = await fetch(callback, { redirect: 'manual', headers: { cookie: admin.cookie } })
    assert.deepEqual([landed.status, landed.headers.get('location')], [303, '/inbox'])
    const shown = await connectorOf('notes')
    assert.deepEqual(
      [shown.state, shown.actions[0].id, shown.actions[0].sensitive],
      ['working', 'notes.echo', false],
    )
    login.accepted.length = 0
    const run = await app.run(await workflowFor('notes'))
    assert.equal(run.output, 'hi')
    assert.ok(login.accepted.length > 0 && login.accepted.every(({ subject }) => subject === 'ada'))
    const words = (await app.get('/v1/audit?object_id=notes')).map(
      ({ action }: { action: string }) => action,
    )
    assert.ok(words.includes('connector.logged_in') && words.includes('connector.login_begun'))
    const stored = await app.row<{
      secret: Buffer
    }>`select secret from connector_logins where connector_id = 'notes'`
    assert.ok(
      login.accepted.every(({ bearer }) => !stored.secret.includes(bearer)),
      'it is encrypted',
    )
  })

  it('counts only in the browser session that asked for it, once', async () => {
    await connect('session')
    const other = await app.join('Bob', 'admin')
    const { authorize_url: url } = await authorize('session', admin)
    const callback = await login.visit(url)
    for (const cookie of [undefined, other.cookie]) {
      const refused = await fetch(callback, {
        redirect: 'manual',
        headers: cookie === undefined ? {} : { cookie },
      })
      assert.equal(refused.status, 403)
      assert.match(await refused.text(), /browser session that asked for it/)
    }
    assert.equal((await connectorOf('session')).state, 'needs_login')
    const tampered = new URL(callback)
    tampered.searchParams.set('iss', 'https://evil.example')
    const mixed = await fetch(tampered, { redirect: 'manual', headers: { cookie: admin.cookie } })
    assert.equal(mixed.status, 400)
    assert.match(await mixed.text(), /issuer/)
    const again = await fetch(callback, { redirect: 'manual', headers: { cookie: admin.cookie } })
    assert.equal(again.status, 401)
    assert.match(await again.text(), /used already/)
    const key = await app.call('POST', '/v1/connectors/session/authorize', { body: {} })
    assert.deepEqual(codeOf(key), [400, 'user_required'])
    const member = await app.join('Eve', 'member')
    assert.deepEqual(codeOf(await member.call('POST', '/v1/connectors/session/authorize', {})), [
      403,
      'role_required',
    ])
  })

  it('is refreshed before it ends, by one of two processes', async () => {
    await using _second = await app.startAnother('worker')
    login.tokenSeconds = 2
    login.subject = 'refreshed'
    login.refreshes.length = 0
    await connect('short', { safe_tools: ['echo'] })
    await logIn('short', admin)
    login.subject = 'ada'
    const workflowId = await workflowFor('short')
    await until('three refreshes', 30_000, () => login.refreshes.length >= 3)
    const run = await app.run(workflowId)
    assert.equal(run.output, 'hi')
    const { failures } = await app.row<{ failures: number }>`
      select count(*)::int as failures from connector_logins where needs_login_since is not null`
    assert.equal(failures, 0, 'no refresh token was sent twice, as that ends a login')
    login.tokenSeconds = 600
    await app.delete('/v1/connectors/short')
  })

  it('that was revoked needs a login again, with an alert', async () => {
    await connect('revoked', { safe_tools: ['echo'] })
    login.subject = 'gone'
    await logIn('revoked', admin)
    login.subject = 'ada'
    const workflowId = await workflowFor('revoked')
    await login.revoke('gone')
    const run = await app.run(workflowId)
    assert.match(
      run.output,
      /^Cannot use revoked: an admin must log in at http.*\/connectors#revoked/,
    )
    const shown = await connectorOf('revoked')
    assert.equal(shown.state, 'needs_login')
    assert.match(shown.message, /invalid_grant/)
    const [{ message }] = (await app.get(`/v1/workflows/${workflowId}`)).warnings
    assert.match(message, /needs a login/)
    const { why } = await app.row<{ why: string }>`
      select check_message as why from connectors where id = 'revoked' and failing_since is not null`
    assert.match(why, /login has ended/)
    await logIn('revoked', admin)
    assert.equal((await connectorOf('revoked')).state, 'working')
    assert.equal((await app.run(workflowId)).output, 'hi')
  })
})

describe('a login', () => {
  it('that cannot be refreshed ends when its token expires', async () => {
    await connect('brief')
    Object.assign(login, { tokenSeconds: 1, hasRefreshTokens: false })
    await logIn('brief', admin)
    Object.assign(login, { tokenSeconds: 600, hasRefreshTokens: true })
    await until(
      'it has ended',
      10_000,
      async () => (await connectorOf('brief')).state === 'needs_login',
    )
    assert.match((await connectorOf('brief')).message, /expired and cannot be refreshed/)
  })

  it('that the server refuses is refreshed once, and one that may not do enough is made anew with more scopes', async () => {
    await connect('strict', { safe_tools: ['echo'] })
    await logIn('strict', admin)
    const workflowId = await workflowFor('strict')
    const refreshes = login.refreshes.length
    login.refusal = [401, 'Bearer error="invalid_token"']
    assert.match((await app.run(workflowId)).output, /does not accept the login/)
    assert.equal(login.refreshes.length, refreshes + 1)
    assert.equal((await connectorOf('strict')).state, 'needs_login')
    login.refusal = undefined
    await logIn('strict', admin)
    login.refusal = [403, 'Bearer error="insufficient_scope", scope="notes:write"']
    assert.match((await app.run(workflowId)).output, /demands the scopes .*notes:write/)
    login.refusal = undefined
    assert.equal((await connectorOf('strict')).state, 'needs_login')
    const { authorize_url: url } = await authorize('strict', admin)
    const scopes = new URL(url).searchParams.get('scope')?.split(' ')
    assert.deepEqual(scopes?.toSorted(), ['notes', 'notes:write', 'offline_access'])
  })

  it('is not needed with headers that are one, and the tokens are deleted', async () => {
    await connect('headed')
    await logIn('headed', admin)
    const { bearer } = login.accepted.at(-1) ?? {}
    const headers = { Authorization: `Bearer ${bearer}` }
    const made = await connect('headed', { headers })
    assert.deepEqual([made.state, made.credentials], ['working', undefined])
    const { count } = await app.row<{ count: number }>`
      select count(*)::int as count from connector_logins where connector_id = 'headed'`
    assert.equal(count, 0)
  })
})

describe('the logins of people', () => {
  it('are never crossed: each request has the login of the person who triggered its run', async () => {
    const people = [await app.join('Zoe', 'member'), await app.join('Yan', 'member')]
    await connect('own', { credentials: 'person', safe_tools: ['echo'] })
    for (const [place, person] of people.entries()) {
      login.subject = `person-${place}`
      assert.equal((await connectorOf('own', person)).state, 'needs_login')
      await logIn('own', person)
      assert.equal((await connectorOf('own', person)).state, 'working')
    }
    login.subject = 'ada'
    const workflowId = await workflowFor('own')
    const calls: string[] = []
    const seen = new Map<string, string>()
    login.mcp.onCall = ({ _meta: meta }) => {
      const { subject } = login.accepted.at(-1) ?? { subject: '' }
      const callId = String(meta?.['muster/idempotencyKey'])
      calls.push(callId)
      seen.set(callId, subject)
      return { content: [{ type: 'text', text: subject }] }
    }
    const started = await Promise.all(
      Array.from({ length: 12 }, async (_, number) => {
        const person = people[number % 2] as Person
        const answer = await person.call('POST', `/v1/workflows/${workflowId}/runs`, {
          input: 'go',
        })
        return { subject: `person-${number % 2}`, id: answer.body.data.id as string }
      }),
    )
    for (const { id, subject } of started) assert.equal((await app.rest(id)).output, subject)
    assert.equal(seen.size, 12)
    const [first] = started
    const other = people[1] as Person
    const forked = await other.call('POST', `/v1/runs/${first?.id}/fork`, { from_step: 0 })
    assert.equal(
      (await app.rest(forked.body.data.id)).output,
      'person-1',
      'a fork is of who made it',
    )
    const byKey = await app.run(workflowId)
    assert.match(
      byKey.output,
      /^Cannot use own: each person uses it with their own login.*\/connectors#own/,
    )
    const stranger = await app.join('Xia', 'member')
    const theirs = await stranger.call('POST', `/v1/workflows/${workflowId}/runs`, { input: 'go' })
    assert.match((await app.rest(theirs.body.data.id)).output, /must log in at/)
    await app.delete(`/v1/users/${people[0]?.id}`)
    const { count } = await app.row<{ count: number }>`
      select count(*)::int as count from connector_logins
      where connector_id = 'own' and user_id = ${people[0]?.id}`
    assert.equal(count, 0, 'the login goes with the person')
  })
})

describe('the client', () => {
  it('describes itself, and is given by hand where it cannot register', async () => {
    const document = await (await fetch(`${app.url}/oauth/client.json`)).json()
    assert.deepEqual(document, {
      client_id: `${app.url}/oauth/client.json`,
      client_name: 'Muster',
      client_uri: `${app.url}/`,
      redirect_uris: [`${app.url}/oauth/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'web',
      token_endpoint_auth_method: 'none',
    })
    const client = {
      client_id: 'by-hand',
      client_secret: 'a secret of the test client that is long',
    }
    await using closed = await startLoginServer(`${app.url}/oauth/callback`, { clients: [client] })
    const url = closed.mcp.url
    await app.put('/v1/connectors/hand', { kind: 'mcp', url })
    const refused = await admin.call('POST', '/v1/connectors/hand/authorize', {})
    assert.deepEqual(codeOf(refused), [400, 'connector_refused'])
    assert.match(refused.body.error.message, /registers no clients by itself.*\/oauth\/callback/)
    login.interceptLogin = (path) =>
      path === '/reg' ? { status: 403, body: '{"error":"insufficient_scope"}' } : undefined
    await connect('closed')
    const rejected = await admin.call('POST', '/v1/connectors/closed/authorize', {})
    assert.match(rejected.body.error.message, /403.*insufficient_scope.*register Muster there with/)
    login.interceptLogin = () => undefined
    const given = { id: client.client_id, secret: client.client_secret }
    await app.put('/v1/connectors/hand', { kind: 'mcp', url, client: given })
    await logIn('hand', admin, closed)
    assert.equal((await connectorOf('hand')).state, 'working')
    closed.mcp.tools = [{ ...echoTool, description: 'Other.' }]
    const again = await admin.call('PUT', '/v1/connectors/hand', { kind: 'mcp', url })
    assert.equal(again.body.data.actions[0].description, 'Other.', 'the login and the client stay')
  })
})
