import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../rig/until.ts'
import { sql } from 'kysely'
import { startLoginServer } from '../rig/login-server.ts'
import { startMcpSink } from '../rig/mcp-sink.ts'
import { startProgram } from '../server/oauth-server/test-program.ts'
import { createAccount } from '../server/accounts/create-account.ts'
import { bySystem } from '../server/audit/record.ts'
import { activityWords } from '../server/audit/words.ts'
import { addAdminKey } from '../server/operator/accounts.ts'
import { startTrainer } from '../rig/trainer.ts'
import { pathOf } from '../server/http/operation.ts'
import { auditWords, resources } from '../server/start/routes.ts'
import { fixture, prepare } from './fixture.ts'
import { pluck } from './pluck.ts'
import { callTools, startTestApp } from './test-app.ts'
import { password, slackToken, uploaded, World, type Sending } from './world.ts'

/**
 * Walks through all mutations: each leaves one audit entry with actor, action and origin, and none
 * of the entries contains a secret of the requests or responses.
 */
const mutations = resources()
  .flatMap(({ operations }) => operations)
  // An operator's changes are logged separately (server/operator).
  .filter(({ audit, role }) => audit !== undefined && role !== 'operator')
  // Requires the operator's SMTP, see server/people/reset-password.test.ts.
  .filter(({ id }) => !id.startsWith('password_resets.'))
  // Requires a provider's signature, see server/people/oidc-logout.test.ts.
  .filter(({ id }) => id !== 'session.oidc_logout')

/** Must not appear in the audit log, in addition to secrets of the responses. */
const secrets = ['marker-password', 'marker-file', 'marker-query', 'marker-provider']

const sink = fixture(startMcpSink)
const trainer = fixture(() => startTrainer('openai'))
const app = fixture(() =>
  startTestApp({
    env: { OPENAI_API_KEY: 'marker-provider', OPENAI_BASE_URL: trainer.url },
    // Every turn asks for an approval, or fails.
    answer: (request, response) => {
      if (request.messages.some(({ content }) => content?.includes('fail'))) {
        response.writeHead(400).end('{}')
      } else callTools(response, [{ name: 'sink__write', arguments: { text: 'x' } }])
    },
  }),
)
const login = fixture(() => startLoginServer(`${app.url}/oauth/callback`))
let world: World
prepare(async () => {
  world = new World(app, { sinkUrl: `${sink.url}?token=marker-query` })
})

const api = (route: string, body?: unknown) => {
  const [method = '', path = ''] = route.split(' ')
  return app.call(method, path, body === undefined ? {} : { body })
}
const make = async (path: string, body: unknown): Promise<string> => (await app.post(path, body)).id

async function restingRun(input: string): Promise<Sending> {
  const id = await world.createRun({ input })
  const { status } = await app.rest(id)
  assert.equal(status, input === 'fail' ? 'failed' : 'waiting_input')
  return { ids: [id] }
}
const tokenOf = (link = '') => new URL(link).hash.slice(1)

/** Requests that need more than the example for a new resource. */
const scenarios: Record<string, () => Promise<Sending>> = {
  'runs.respond': async () => ({ ...(await restingRun('go')), body: { action: 'reject' } }),
  'runs.cancel': () => restingRun('go'),
  'runs.retry': () => restingRun('fail'),
  'pending.assign': async () => ({
    ids: await world.first('/v1/pending/:id'),
    body: { user_id: (await world.join('approver')).id },
  }),
  'rules.remove': async () => ({
    body: await app.post('/v1/rules', { rule: { action: 'email.*', decision: 'ask' } }),
  }),
  'bulk_operations.create': async () => {
    const run_ids = await world.first('/v1/runs/:id')
    return { body: { action: 'retry', filter: { run_ids } } }
  },
  'tool_calls.claim': async () => {
    await world.fresh('/v1/tool-calls/:id')
    return { body: { names: ['lookup_order'] } }
  },
  'runs.fork': () => restingRun('go'),
  'batches.retry_failed': async () => {
    const ids = await world.first('/v1/workflows/:id')
    const id = await world.create('batches.create', { ids, body: { items: [{ input: 'fail' }] } })
    await until('its item has failed', 20_000, async () => {
      return (await app.get(`/v1/batches/${id}`)).failed > 0
    })
    return { ids: [id] }
  },
  'files.create': async () => {
    const form = new FormData()
    form.append('file', new Blob(['contents that the audit has not: marker-file']), 'a.txt')
    return { body: form }
  },
  'webhooks.create': async () => ({ with: { url: 'https://127.0.0.1:9/hook?marker-query' } }),
  'model_providers.set': async () => ({
    ids: ['lab'],
    with: { base_url: 'https://127.0.0.1:9/v1' },
  }),
  'mailboxes.create': async () => {
    const [workflow_id] = await world.first('/v1/workflows/:id')
    return { with: { workflow_id, host: '127.0.0.1', port: 9, password: 'marker-password' } }
  },
  'schedules.create': async () => {
    const [workflow_id] = await world.first('/v1/workflows/:id')
    return { with: { workflow_id } }
  },
  'threads.create': async () => {
    const [workflow_id] = await world.first('/v1/workflows/:id')
    await app.patch(`/v1/workflows/${workflow_id}`, { thread: {} })
    return { with: { workflow_id } }
  },
  'hooks.create': async () => {
    const [workflow_id] = await world.first('/v1/workflows/:id')
    return { with: { workflow_id } }
  },
  'connectors.connect': async () => ({ ids: ['slack'], body: { token: slackToken } }),
  'connectors.authorize': async () => {
    await app.put('/v1/connectors/locked', { kind: 'mcp', url: login.mcp.url })
    return { ids: ['locked'], body: {}, cookie: (await world.join('admin')).cookie }
  },
  'connectors.try': async () => {
    const action = { name: 'look', description: 'Looks.', method: 'GET', path: '/look' }
    const api = { kind: 'http', base_url: new URL(sink.url).origin, actions: [action] }
    await app.put('/v1/connectors/shop', api)
    return { ids: ['shop'], body: { action: 'look' } }
  },
  'agents.memory.update': async () => ({
    ids: await world.fresh('/v1/agents/:id/memory/:memoryId'),
    body: { pinned: false },
  }),
  'fine_tunes.create': async () => ({ with: uploaded }),
  'setup.create': async () => ({ with: { token: tokenOf(app.setupLink), password }, cookie: '' }),
  'session.create': async () => {
    const { email } = await world.join()
    return { body: { email, password }, cookie: '' }
  },
  'session.delete': () => world.join(),
  'sessions.delete': async () => {
    const { sessionId, cookie } = await world.join()
    return { ids: [sessionId], cookie }
  },
  'grants.create': async () => {
    const { cookie } = await world.join()
    const request = await (await startProgram(app)).ask()
    return { body: { request, account_id: app.accountId }, cookie }
  },
  'grants.delete': async () => {
    const { id, cookie } = await world.join()
    return { ids: [await world.createGrant(id)], cookie }
  },
  'me.update': async () => ({ body: { name: 'renamed' }, cookie: (await world.join()).cookie }),
  'me.switch_account': async () => {
    const { id: userId, cookie } = await world.join()
    const { id } = await createAccount(app.database, 'another')
    await sql`
      insert into memberships (account_id, user_id, role)
      values (${id}, ${userId}, 'viewer')`.execute(app.database)
    return { body: { account_id: id }, cookie }
  },
  'invitations.accept': async () => {
    const { token } = await world.invite()
    return { with: { token, password }, cookie: '' }
  },
}

async function rowsOf(requestId: string) {
  return app.database.selectFrom('audit').selectAll().where('request_id', '=', requestId).execute()
}

describe('the audit', () => {
  for (const one of mutations) {
    const { id, audit } = one
    it(`tells of ${id}`, async () => {
      const path = pathOf(one)
      const sending = (await scenarios[id]?.()) ?? {
        ids: path.includes(':') ? await world.fresh(path) : [],
      }
      const { status, headers, body } = await world.send(id, sending)
      assert.ok(status < 300, `${id}: ${status} ${JSON.stringify(body)}`)
      const [type, name] =
        sending.cookie === undefined ? ['key', 'first admin key'] : ['user', world.text]
      const rows = await rowsOf(headers.get('x-request-id') ?? '')
      assert.equal(rows.length, 1)
      const [row] = rows
      assert.deepEqual(
        [row?.account_id, row?.action, row?.actor_type, row?.actor_name, row?.address],
        [app.accountId, audit, type, name, '127.0.0.1'],
      )
      assert.equal(row?.object_type, audit?.split('.')[0])
    })
  }

  it('has no secret in it', async () => {
    const { rows } = await sql<{ text: string }>`select audit::text as text from audit`.execute(
      app.database,
    )
    assert.ok(rows.length >= mutations.length)
    assert.ok(world.secrets.length > 8)
    for (const { text } of rows) {
      for (const secret of [...secrets, ...world.secrets]) assert.ok(!text.includes(secret), text)
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
        [
          'workflow.updated',
          { name: 'one', version: 1, last_version: 1 },
          { name: 'two', version: 2, last_version: 2 },
        ],
        ['workflow.created', null, data[1].after],
      ],
    )
    assert.equal(data[1].after.name, 'one')
  })

  it('tells of a request that is repeated under its Idempotency-Key once', async () => {
    const headers = { 'idempotency-key': 'once' }
    const ask = () => app.call('POST', '/v1/workflows', { body: { name: 'w' }, headers })
    const { id } = (await ask()).body.data
    // Simulates a process that died before it stored the response.
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
    // Work that earlier tests started may still write entries.
    await until('no work is open', 30_000, async () => {
      const { rows } = await sql`
        select 1 from batches where queued + running > 0
        union all select 1 from bulk_operations where due_at is not null
        union all select 1 from hook_deliveries where status = 'pending'
        union all select 1 from schedule_firings where status = 'due'
        union all select 1 from jobs where worker is not null`.execute(app.database)
      return rows.length === 0
    })
    const all: { id: string; created_at: string; action: string }[] = []
    let path: string | undefined = '/v1/audit?limit=7'
    while (path !== undefined) {
      const { body, headers } = await app.call('GET', path)
      all.push(...body.data)
      path = /<(.*)>/.exec(headers.get('link') ?? '')?.[1]
    }
    const { rows } = await sql<{ id: string }>`
      select id from audit where account_id = ${app.accountId}
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
    for (const kind of ['activity', 'changes']) {
      const { body } = await api(`GET /v1/audit?limit=100&kind=${kind}`)
      const isActivity = ({ action }: { action: string }) =>
        activityWords.some((word) => word === action)
      const wanted = all.filter((entry) => isActivity(entry) === (kind === 'activity'))
      assert.ok(wanted.length > 0)
      assert.deepEqual(pluck(body.data, 'id'), pluck(wanted.slice(0, 100), 'id'))
    }
    assert.equal((await api('GET /v1/audit?kind=other')).status, 400)
    const unknown = all.filter(({ action }) => !auditWords(resources()).includes(action))
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
    // An action that no background work logs meanwhile.
    const path = '/v1/audit?limit=3&action=workflow.created'
    const ask = (accept: string) => app.call('GET', path, { headers: { accept } })
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
