import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { startMcpSink, type McpSink } from '../rig/mcp-sink.ts'
import { auditWords } from '../server/audit-words.ts'
import { createAccount } from '../server/accounts/create-account.ts'
import { bySystem } from '../server/accounts/record-audit.ts'
import { addAdminKey } from '../server/operator/accounts.ts'
import { startTrainer, type Trainer } from '../rig/trainer.ts'
import { lines } from '../server/fine-tunes/test-fine-tunes.ts'
import { methodOf, pathOf } from '../server/http/operation.ts'
import { resources } from '../server/start/routes.ts'
import { callTools, startTestApp, type Answer, type TestApp } from './test-app.ts'

/**
 * Walks all operations that change something: each leaves one row that says who, what and from where, and
 * none of the secrets that went in or came out is in any of them.
 */
const mutations = resources()
  .flatMap(({ operations }) => operations)
  // What an operator does stands in a log of its own (server/operator).
  .filter(({ audit, role }) => audit !== undefined && role !== 'operator')

let app: TestApp
let sink: McpSink
let trainer: Trainer
let accountId: string
/** All that must not be in the audit. */
const secrets = ['marker-file', 'marker-header', 'marker-token', 'marker-query', 'marker-password']

before(async () => {
  sink = await startMcpSink()
  trainer = await startTrainer('openai')
  app = await startTestApp({
    env: { OPENAI_API_KEY: 'marker-provider', OPENAI_BASE_URL: trainer.url },
    // Every turn asks for an approval, or fails.
    answer: (request, response) => {
      if (request.messages.some(({ content }) => content?.includes('fail'))) {
        response.writeHead(400).end('{}')
      } else callTools(response, [{ name: 'sink__write', arguments: { text: 'x' } }])
    },
  })
  accountId = (await app.call('GET', '/v1/account')).body.data.id
})
after(async () => {
  await app[Symbol.asyncDispose]()
  await trainer[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

const api = (route: string, body?: unknown) => {
  const [method = '', path = ''] = route.split(' ')
  return app.call(method, path, body === undefined ? {} : { body })
}
async function make(path: string, body: unknown): Promise<string> {
  const made = await api(`POST ${path}`, body)
  assert.ok(made.status < 300, `${path}: ${JSON.stringify(made.body)}`)
  for (const name of ['key', 'secret']) {
    if (typeof made.body.data[name] === 'string') secrets.push(made.body.data[name])
  }
  return made.body.data.id
}

function formOf(content: string): FormData {
  const form = new FormData()
  form.append('file', new Blob([content]), 'a.txt')
  return form
}
const agentBody = {
  name: 'a',
  role: 'clerk',
  systemPrompt: 's',
  connectors: ['sink'],
  capabilities: ['sink.write'],
}
const connectSink = () =>
  api('PUT /v1/connectors/sink', {
    kind: 'mcp',
    url: `${sink.url}?token=marker-query`,
    headers: { 'X-Key': 'marker-header' },
  })
async function makeWorkflow(): Promise<string> {
  await connectSink()
  const agentId = await make('/v1/agents', agentBody)
  return make('/v1/workflows', {
    name: 'w',
    crew: [{ role: 'clerk', systemPrompt: 's', agentId }],
    human_in_the_loop: { enabled: true },
  })
}
async function restingRun(input: string): Promise<string> {
  const id = await make(`/v1/workflows/${await makeWorkflow()}/runs`, { input })
  const { status } = (await app.call('GET', `/v1/runs/${id}?wait=30`)).body.data
  assert.equal(status, input === 'fail' ? 'failed' : 'waiting_input')
  return id
}
const webhook = { url: 'https://127.0.0.1:9/hook?marker-query', events: ['run.failed'] }
const makeWebhook = () => make('/v1/webhooks', webhook)
const fineTune = {
  name: 'f',
  base_model: 'gpt-4.1-mini-2025-04-14',
  source: 'upload',
  training_data: lines(12),
}
const note = (path: string) =>
  make(
    `${path}/memory`,
    path.includes('agents') ? { content: 'c' } : { content: 'c', role: 'clerk' },
  )

const password = 'marker-password'
const tokenOf = (link: string) => new URL(link).hash.slice(1)
let people = 0
async function invite(): Promise<{ id: string; token: string }> {
  const body = { email: `person-${++people}@example.com`, role: 'viewer' }
  const { id, link } = (await api('POST /v1/invitations', body)).body.data
  secrets.push(tokenOf(link))
  return { id, token: tokenOf(link) }
}
/** Somebody who is signed in; every person has the same name. */
async function join() {
  const body = { token: (await invite()).token, name: 'first admin key', password }
  const { headers, body: answer } = await app.call('POST', '/v1/invitations/accept', {
    key: null,
    body,
  })
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
  secrets.push(cookie.split('=')[1] ?? '')
  return { cookie, me: answer.data }
}

/** What a request needs: the ids of its path, its body, and the cookie where a person sends it. */
interface Prepared {
  ids?: string[]
  body?: unknown
  cookie?: string
}
const scenarios: Record<string, () => Promise<Prepared>> = {
  'api_keys.create': async () => ({ body: { name: 'k', role: 'viewer' } }),
  'api_keys.delete': async () => ({
    ids: [await make('/v1/api-keys', { name: 'k', role: 'viewer' })],
  }),
  'workflows.create': async () => ({ body: { name: 'w' } }),
  'workflows.update': async () => ({ ids: [await makeWorkflow()], body: { name: 'renamed' } }),
  'workflows.delete': async () => ({ ids: [await makeWorkflow()] }),
  'runs.create': async () => ({ ids: [await makeWorkflow()], body: { input: 'go' } }),
  'runs.respond': async () => ({ ids: [await restingRun('go')], body: { action: 'reject' } }),
  'runs.cancel': async () => ({ ids: [await restingRun('go')] }),
  'runs.retry': async () => ({ ids: [await restingRun('fail')] }),
  'files.create': async () => ({ body: formOf('contents that the audit has not: marker-file') }),
  'files.delete': async () => ({ ids: [await make('/v1/files', formOf('x'))] }),
  'agents.create': async () => ({ body: { name: 'a', role: 'r', systemPrompt: 's' } }),
  'agents.update': async () => ({
    ids: [await make('/v1/agents', { name: 'a', role: 'r', systemPrompt: 's' })],
    body: { name: 'renamed' },
  }),
  'agents.delete': async () => ({
    ids: [await make('/v1/agents', { name: 'a', role: 'r', systemPrompt: 's' })],
  }),
  ...Object.fromEntries(
    (['agents', 'workflows'] as const).flatMap((noun) => {
      const owner = async () => {
        const workflowId = await makeWorkflow()
        return noun === 'workflows' ? workflowId : make('/v1/agents', agentBody)
      }
      const entry = async () => {
        const id = await owner()
        return [id, await note(`/v1/${noun}/${id}`)]
      }
      const role = noun === 'workflows' ? { role: 'clerk' } : {}
      return [
        [
          `${noun}.memory.create`,
          async () => ({ ids: [await owner()], body: { content: 'c', ...role } }),
        ],
        [`${noun}.memory.update`, async () => ({ ids: await entry(), body: { pinned: true } })],
        [`${noun}.memory.delete`, async () => ({ ids: await entry() })],
      ]
    }),
  ),
  'webhooks.create': async () => ({ body: webhook }),
  'webhooks.update': async () => ({ ids: [await makeWebhook()], body: { active: false } }),
  'webhooks.delete': async () => ({ ids: [await makeWebhook()] }),
  'webhooks.rotate_secret': async () => ({ ids: [await makeWebhook()] }),
  'webhooks.test': async () => ({ ids: [await makeWebhook()] }),
  'webhooks.redeliver': async () => {
    const id = await makeWebhook()
    return { ids: [id, await make(`/v1/webhooks/${id}/test`, undefined)] }
  },
  'connectors.connect': async () => ({ ids: ['slack'], body: { token: 'marker-token' } }),
  'connectors.test': async () => {
    await connectSink()
    return { ids: ['sink'] }
  },
  'connectors.disconnect': async () => {
    await connectSink()
    return { ids: ['sink'] }
  },
  'setup.create': async () => ({
    body: {
      token: tokenOf(app.setupLink ?? ''),
      email: 'first@example.com',
      name: 'first admin key',
      password,
    },
    cookie: '',
  }),
  'session.create': async () => ({
    body: { email: (await join()).me.email, password },
    cookie: '',
  }),
  'session.delete': async () => ({ cookie: (await join()).cookie }),
  'sessions.delete': async () => {
    const { cookie, me } = await join()
    return { ids: [me.session_id], cookie }
  },
  'me.update': async () => ({ body: { name: 'renamed' }, cookie: (await join()).cookie }),
  'me.switch_account': async () => {
    const { cookie, me } = await join()
    const { id } = await createAccount(app.database, 'another')
    await sql`
      insert into memberships (account_id, user_id, role)
      values (${id}, ${me.id}, 'viewer')`.execute(app.database)
    return { body: { account_id: id }, cookie }
  },
  'users.update': async () => ({ ids: [(await join()).me.id], body: { role: 'member' } }),
  'users.delete': async () => ({ ids: [(await join()).me.id] }),
  'invitations.create': async () => ({ body: { email: 'new@example.com', role: 'viewer' } }),
  'invitations.delete': async () => ({ ids: [(await invite()).id] }),
  'invitations.accept': async () => ({
    body: { token: (await invite()).token, name: 'first admin key', password },
    cookie: '',
  }),
  'policies.update': async () => ({ body: { mails_a_day: 5 } }),
  'fine_tunes.create': async () => ({ body: fineTune }),
  'fine_tunes.cancel': async () => ({ ids: [await make('/v1/fine-tunes', fineTune)] }),
  'fine_tunes.delete': async () => ({ ids: [await make('/v1/fine-tunes', fineTune)] }),
}

async function rowsOf(requestId: string) {
  return app.database.selectFrom('audit').selectAll().where('request_id', '=', requestId).execute()
}

async function send(id: string, { ids = [], body, cookie }: Prepared): Promise<Answer> {
  const one = mutations.find((candidate) => candidate.id === id)
  assert.ok(one !== undefined)
  let place = 0
  const path = pathOf(one).replace(/:\w+/g, () => ids[place++] ?? '')
  const answer = await app.call(methodOf(one), path, {
    ...(body === undefined ? {} : { body }),
    ...(cookie === undefined ? {} : { key: null, headers: { cookie, origin: app.url } }),
  })
  assert.ok(answer.status < 300, `${id}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer
}

describe('the audit', () => {
  it('has a scenario here for every operation that changes something', () => {
    assert.deepEqual(Object.keys(scenarios).sort(), mutations.map(({ id }) => id).sort())
  })

  for (const { id, audit } of mutations) {
    it(`tells of ${id}`, async () => {
      const prepare = scenarios[id]
      assert.ok(prepare !== undefined)
      const prepared = await prepare()
      const { headers, body } = await send(id, prepared)
      const type = prepared.cookie === undefined ? 'key' : 'user'
      for (const name of ['key', 'secret']) {
        if (typeof body.data[name] === 'string') secrets.push(body.data[name])
      }
      const rows = await rowsOf(headers.get('x-request-id') ?? '')
      assert.equal(rows.length, 1)
      const [row] = rows
      assert.deepEqual(
        [row?.account_id, row?.action, row?.actor_type, row?.actor_name, row?.address],
        [accountId, audit, type, 'first admin key', '127.0.0.1'],
      )
      assert.equal(row?.object_type, audit?.split('.')[0])
    })
  }

  it('has no secret in it', async () => {
    const { rows } = await sql<{ text: string }>`select audit::text as text from audit`.execute(
      app.database,
    )
    assert.ok(rows.length >= mutations.length)
    assert.ok(secrets.length > 8)
    for (const { text } of rows) {
      for (const secret of secrets) assert.ok(!text.includes(secret), text)
    }
  })

  it('has nothing of what failed or changed nothing', async () => {
    const id = await make('/v1/workflows', { name: 'same' })
    const same = await api(`PATCH /v1/workflows/${id}`, { name: 'same' })
    const refused = await api(`PATCH /v1/workflows/${id}`, { model: 'no/such' })
    for (const { headers } of [same, refused]) {
      assert.deepEqual(await rowsOf(headers.get('x-request-id') ?? ''), [])
    }
  })

  it('tells what was before and is after, of the changed fields alone', async () => {
    const id = await make('/v1/workflows', { name: 'one', description: 'd' })
    await api(`PATCH /v1/workflows/${id}`, { name: 'two', description: 'd' })
    const { data } = (await api(`GET /v1/audit?object_id=${id}`)).body
    assert.deepEqual(
      data.map(({ action, before, after }: Record<string, unknown>) => [action, before, after]),
      [
        ['workflow.updated', { name: 'one' }, { name: 'two' }],
        ['workflow.created', null, data[1].after],
      ],
    )
    assert.equal(data[1].after.name, 'one')
  })

  it('tells of a request that is repeated under its Idempotency-Key once', async () => {
    const headers = { 'idempotency-key': 'once' }
    const ask = () => app.call('POST', '/v1/workflows', { body: { name: 'w' }, headers })
    const { id } = (await ask()).body.data
    // As if the process had died before it kept the answer.
    await sql`update idempotency_keys set status = null, answer = null, locked_at = 'epoch'`.execute(
      app.database,
    )
    assert.equal((await ask()).body.data.id, id)
    assert.equal((await api(`GET /v1/audit?object_id=${id}`)).body.data.length, 1)
  })

  it('tells what an operator does', async () => {
    const { id } = await createAccount(app.database, 'made by hand')
    const audit = bySystem('operator', 'api_key.created')
    const added = await addAdminKey({ database: app.database, action: '', audit }, id)
    const { body } = await app.call('GET', '/v1/audit', { key: added.admin_key })
    assert.deepEqual(
      body.data.map(({ action, actor }: Record<string, unknown>) => [action, actor]),
      ['api_key.created', 'api_key.created', 'account.created'].map((action) => [
        action,
        { type: 'system', id: null, name: 'operator' },
      ]),
    )
  })

  it('is paged, and filtered by who, what, which and when', async () => {
    const all: { id: string; created_at: string; action: string }[] = []
    let path: string | undefined = '/v1/audit?limit=7'
    while (path !== undefined) {
      const { body, headers } = await app.call('GET', path)
      all.push(...body.data)
      path = /<(.*)>/.exec(headers.get('link') ?? '')?.[1]
    }
    const { rows } = await sql<{ id: string }>`
      select id from audit where account_id = ${accountId}
      order by created_at desc, id desc`.execute(app.database)
    assert.deepEqual(
      all.map(({ id }) => id),
      rows.map(({ id }) => id),
    )
    const agents = (await api('GET /v1/audit?action=agent.deleted')).body.data
    assert.deepEqual(
      agents.map(({ id }: { id: string }) => id),
      all.filter(({ action }) => action === 'agent.deleted').map(({ id }) => id),
    )
    const unknown = all.filter(({ action }) => !auditWords.some((word) => word === action))
    assert.deepEqual(unknown, [])
    const middle = all[Math.floor(all.length / 2)]?.created_at ?? ''
    const later = (await api(`GET /v1/audit?limit=100&created_after=${middle}`)).body.data
    const wanted = all.filter(({ created_at }) => created_at > middle).slice(0, 100)
    assert.equal(later.length, wanted.length)
    const me = (await api('GET /v1/account')).body.data.key.id
    assert.ok((await api(`GET /v1/audit?actor_id=${me}`)).body.data.length > 0)
    assert.deepEqual((await api('GET /v1/audit?actor_id=key_nobody')).body.data, [])
    assert.equal((await api('GET /v1/audit?created_after=yesterday')).status, 400)
    for (const [action, hint] of [
      [
        'agent.delete',
        /^Cannot list audit: action is "agent\.delete", did you mean agent\.deleted\?$/,
      ],
      ['foo', /expected account\.created, .*, workflow\.updated$/],
    ] as const) {
      const { status, body } = await api(`GET /v1/audit?action=${action}`)
      assert.deepEqual(
        [status, body.error.code, body.error.param],
        [400, 'invalid_value', 'action'],
      )
      assert.match(body.error.message, hint)
    }
  })

  it('comes as JSON Lines and as CSV', async () => {
    const ask = (accept: string) => app.call('GET', '/v1/audit?limit=3', { headers: { accept } })
    const asLines = await ask('application/x-ndjson')
    const asCsv = await ask('text/csv;q=0.9, */*')
    const asJson = await ask('*/*')
    assert.match(asLines.headers.get('content-type') ?? '', /^application\/x-ndjson/)
    assert.match(asCsv.headers.get('content-type') ?? '', /^text\/csv/)
    assert.ok(asCsv.headers.get('link')?.includes('rel="next"'))
    const text = String(asLines.body)
    const parsed = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(parsed, asJson.body.data)
    const [head, ...rest] = String(asCsv.body).trim().split('\r\n')
    assert.match(head ?? '', /^id,created_at,actor_type,/)
    assert.equal(rest.length, 3)
    assert.ok(rest[0]?.startsWith(parsed[0].id))
  })
})
