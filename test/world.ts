import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { newId } from '../server/ids.ts'
import { lines } from '../server/fine-tunes/test-fine-tunes.ts'
import { methodOf, pathOf, type Operation } from '../server/http/operation.ts'
import { resources } from '../server/start/routes.ts'
import type { Answer } from './api-client.ts'
import type { TestApp } from './test-app.ts'

/**
 * One of every resource, created through the API from the examples in the definitions of
 * operations, for tests that need a resource of each kind. A kind whose example suffices is derived
 * from the operation that creates it; `byHand` has the others.
 */
const operations = new Map(
  resources().flatMap(({ operations: all }) => all.map((one) => [one.id, one] as const)),
)

/** Creates one resource, by the path that names it; `ids` are its parents'. */
type Maker = (world: World, ids: string[]) => Promise<string>

const byHand: Record<string, Maker> = {
  '/v1/files/:id': (w) => w.create('files.create', { body: fileForm(w.text) }),
  '/v1/connectors/:id': (w) => w.connect(),
  '/v1/model-providers/:id': (w) =>
    w.create('model_providers.set', { ids: ['lab'], with: { base_url: w.hookUrl } }),
  '/v1/agents/:id': (w) => w.createAgent(),
  '/v1/workflows/:id': (w) => w.createWorkflow(),
  '/v1/workflows/:id/versions/:version': (w, ids) => w.draft('workflows.update', ids),
  '/v1/agents/:id/versions/:version': (w, ids) => w.draft('agents.update', ids),
  '/v1/runs/:id': (w) => w.createRun(),
  '/v1/threads/:id': async (w) => {
    const [workflow_id] = await w.first('/v1/workflows/:id')
    await w.do('workflows.update', { ids: [workflow_id ?? ''], body: { thread: {} } })
    return w.create('threads.create', { body: { workflow_id } })
  },
  '/v1/batches/:id': async (w) =>
    w.create('batches.create', { ids: await w.first('/v1/workflows/:id') }),
  '/v1/bulk-operations/:id': async (w) => {
    const run_ids = await w.first('/v1/runs/:id')
    return w.create('bulk_operations.create', { body: { action: 'retry', filter: { run_ids } } })
  },
  '/v1/webhooks/:id': (w) => w.create('webhooks.create', { with: { url: w.hookUrl } }),
  '/v1/webhooks/:id/deliveries/:deliveryId': (w, ids) => w.create('webhooks.test', { ids }),
  '/v1/mailboxes/:id': async (w) => {
    const [workflow_id] = await w.first('/v1/workflows/:id')
    return w.create('mailboxes.create', { with: { workflow_id, host: '127.0.0.1', port: 9 } })
  },
  '/v1/schedules/:id': async (w) => {
    const [workflow_id] = await w.first('/v1/workflows/:id')
    return w.create('schedules.create', { with: { workflow_id } })
  },
  '/v1/hooks/:id': async (w) => {
    const [workflow_id] = await w.first('/v1/workflows/:id')
    return w.create('hooks.create', { with: { workflow_id } })
  },
  '/v1/hooks/:id/deliveries/:deliveryId': (w, ids) => w.deliver(ids),
  '/v1/fine-tunes/:id': (w) => w.create('fine_tunes.create', { with: uploaded }),
  '/v1/invitations/:id': async (w) => (await w.invite()).id,
  '/v1/pending/:id': (w) => w.createPending(),
  '/v1/tool-calls/:id': (w) => w.createToolCall(),
  '/v1/views/:id': (w) => w.create('views.create', { with: { name: `View ${views++}` } }),
  '/v1/users/:id': async (w) => (await w.join()).id,
  '/v1/sessions/:id': async (w) => (await w.join()).sessionId,
  '/v1/me/grants/:id': async (w) => w.createGrant((await w.join()).id),
}

/**
 * Kinds with a path below the one that creates them, in the order of the definitions: parents come
 * first.
 */
const paths = [...operations.values()].map(pathOf)
const makers: Record<string, Maker> = {}
for (const { id, route, creates } of operations.values()) {
  const isOf = (path: string): boolean => new RegExp(`^${pathOf({ route })}/:\\w+$`).test(path)
  const kind = route.startsWith('POST ') && creates !== undefined && paths.find(isOf)
  if (kind) makers[kind] = (world, ids) => world.create(id, { ids })
}
Object.assign(makers, byHand)

/** A fine-tune needs no run if the request has the examples. */
export const uploaded = {
  source: 'upload',
  training_data: lines(12),
  workflow_id: undefined,
  role: undefined,
}

export interface WorldOptions {
  /** Admin of the account, by default of the app's own. */
  key?: string
  /** Address of the MCP server that is connected as `sink`. */
  sinkUrl?: string
  /** Replaces the names, instructions and contents of the examples. */
  text?: string
  /** Kinds that are not created, by path prefix. */
  without?: string[]
}

export interface Sending {
  /** Ids for the path's parameters. */
  ids?: string[]
  /** Replaces the example. */
  body?: unknown
  /** Fields that differ from the example. */
  with?: object
  /** `null` for a request without a key. */
  key?: string | null
  /** Cookie of a signed-in user, instead of a key. */
  cookie?: string
}

export interface Person {
  id: string
  sessionId: string
  email: string
  cookie: string
}

export const password = 'a long enough one'
export const slackToken = 'xoxb-marker-token'
const namedFields = ['name', 'systemPrompt', 'content', 'input']
let people = 0
let drafts = 0
let views = 0

export class World {
  readonly text: string
  readonly hookUrl: string
  /** Keys, secrets, links and cookies in responses. */
  readonly secrets: string[] = [password, slackToken, 'marker-header', 'sk-of-the-account']
  readonly #app: TestApp
  readonly #options: WorldOptions
  readonly #first = new Map<string, Promise<string[]>>()

  constructor(app: TestApp, options: WorldOptions = {}) {
    this.#app = app
    this.#options = options
    this.text = options.text ?? 'of the world'
    this.hookUrl = `https://127.0.0.1:9/${encodeURIComponent(this.text)}`
  }

  /** Ids of one resource of each kind and of its parents, by path. */
  async all(): Promise<Record<string, string[]>> {
    const made: Record<string, string[]> = {}
    for (const path of Object.keys(makers)) {
      if (this.#options.without?.some((start) => path.startsWith(start)) === true) continue
      made[path] = await this.first(path)
    }
    return made
  }

  /** Ids for the path of an operation: always the same resource of each kind. */
  first(path: string): Promise<string[]> {
    const kind = kindOf(path)
    const found = this.#first.get(kind) ?? this.fresh(kind)
    this.#first.set(kind, found)
    return found
  }

  /** The same with a new resource, of the first parent. */
  async fresh(path: string): Promise<string[]> {
    const kind = kindOf(path)
    const parent = kind.replace(/(\/[\w-]+\/:\w+)$/, '')
    const ids = parent.includes(':') ? await this.first(parent) : []
    return [...ids, (await makers[kind]?.(this, ids)) ?? '']
  }

  /** The default body. */
  bodyOf(operationId: string, changes: object = {}): unknown {
    const example = exampleOf(operationNamed(operationId))
    if (example === undefined) return undefined
    const named = namedFields.filter((name) => name in example).map((name) => [name, this.text])
    return { ...example, ...Object.fromEntries(named), ...changes }
  }

  async send(operationId: string, sending: Sending = {}): Promise<Answer> {
    const one = operationNamed(operationId)
    const { ids = [], cookie } = sending
    const body = 'body' in sending ? sending.body : this.bodyOf(operationId, sending.with)
    const key = cookie !== undefined ? null : sending.key
    const given = one.role === 'operator' ? key : key === undefined ? this.#options.key : key
    const answer = await this.#app.call(methodOf(one), fillPath(pathOf(one), ids), {
      ...(body === undefined ? {} : { body }),
      ...(given === undefined ? {} : { key: given }),
      ...(cookie === undefined ? {} : { headers: { cookie, origin: this.#app.url } }),
    })
    for (const name of ['key', 'secret', 'link', 'admin_key']) {
      const value = answer.body?.data?.[name]
      if (typeof value === 'string') this.secrets.push(value.split('#').at(-1) ?? '')
    }
    return answer
  }

  /** Sends a request that must succeed; returns the `data` of its response. */
  async do(operationId: string, sending?: Sending): Promise<Answer['body']> {
    const answer = await this.send(operationId, sending)
    assert.ok(answer.status < 300, `${operationId}: ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }

  async create(operationId: string, sending?: Sending): Promise<string> {
    return (await this.do(operationId, sending)).id
  }

  /** Connects the MCP server as `sink`, or Slack, which is not called for that. */
  connect(): Promise<string> {
    const { sinkUrl: url } = this.#options
    if (url === undefined) {
      return this.create('connectors.connect', { ids: ['slack'], body: { token: slackToken } })
    }
    const headers = { 'X-Key': 'marker-header' }
    return this.create('connectors.connect', { ids: ['sink'], with: { url, headers } })
  }

  /** It may write through the MCP server, if there is one. */
  async createAgent(fields: object = {}): Promise<string> {
    if (this.#options.sinkUrl === undefined) return this.create('agents.create', { with: fields })
    await this.first('/v1/connectors/:id')
    const rights = { connectors: ['sink'], capabilities: ['sink.write'] }
    return this.create('agents.create', { with: { ...rights, ...fields } })
  }

  /** Its only step uses the agent, by default the first one, which may ask people. */
  async createWorkflow(agentId?: string): Promise<string> {
    const [first] = agentId === undefined ? await this.first('/v1/agents/:id') : [agentId]
    const crew = [{ role: 'writer', systemPrompt: this.text, agentId: first }]
    return this.create('workflows.create', { with: { crew, human_in_the_loop: { enabled: true } } })
  }

  /** Creates a draft of a workflow or an agent; returns its number. */
  async draft(operationId: string, ids: string[]): Promise<string> {
    const body = { description: `Draft ${++drafts}`, draft: true }
    return String((await this.do(operationId, { ids, body })).last_version)
  }

  async createRun(fields: object = {}, workflowId?: string): Promise<string> {
    const ids = workflowId === undefined ? await this.first('/v1/workflows/:id') : [workflowId]
    return this.create('runs.create', { ids, with: fields })
  }

  /** A pending request of a run that no worker executes. */
  async createPending(): Promise<string> {
    const { id: accountId } = await this.do('account.retrieve')
    const [workflowId] = await this.first('/v1/workflows/:id')
    const [runId, id] = [newId('run'), newId('pnd')]
    const approvers = { users: [], roles: ['approver', 'member', 'admin'] }
    const asked = { kind: 'input', prompt: this.text, step_order: 0, role: 'writer' }
    const pending = { id, ...asked, call_id: 'call_x', approvers }
    await sql`
      insert into runs (account_id, id, workflow_id, status, input, pending, waiting_since)
      values (${accountId}, ${runId}, ${workflowId}, 'waiting_input', ${this.text},
              ${JSON.stringify(pending)}::json, now())`.execute(this.#app.database)
    return id
  }

  /** A call that is requested of workers, of a run that no worker executes. */
  async createToolCall(): Promise<string> {
    const { id: accountId } = await this.do('account.retrieve')
    const [workflowId] = await this.first('/v1/workflows/:id')
    const [runId, id] = [newId('run'), newId('call')]
    const { database } = this.#app
    await sql`
      insert into runs (account_id, id, workflow_id, status, input, started_at)
      values (${accountId}, ${runId}, ${workflowId}, 'running', ${this.text}, now())`.execute(
      database,
    )
    await sql`
      insert into steps (account_id, run_id, position, id, role, model)
      values (${accountId}, ${runId}, 0, ${newId('step')}, 'writer', 'test/echo')`.execute(database)
    await sql`
      insert into tool_calls (account_id, run_id, step_position, turn, position, id, provider_call_id,
                              tool, sensitive, input, status, started_at, times_made)
      values (${accountId}, ${runId}, 0, 0, 0, ${id}, 'one', 'app.lookup_order', false,
              ${JSON.stringify({ order: this.text })}::json, 'executing', now(), 1)`.execute(
      database,
    )
    await sql`
      insert into requested_calls (account_id, id, run_id, workflow_id, step_position, turn, position,
                                   name, sensitive, timeout_seconds, expires_at, due_at)
      values (${accountId}, ${id}, ${runId}, ${workflowId}, 0, 0, 0, 'lookup_order', false, 600,
              now() + interval '10 minutes', now() + interval '10 minutes')`.execute(database)
    await sql`
      insert into tool_workers (account_id, id, actor_id, actor_name)
      values (${accountId}, ${id}, ${newId('key')}, ${this.text})`.execute(database)
    return id
  }

  /** A program acts for a person. */
  async createGrant(userId: string): Promise<string> {
    const { id: accountId } = await this.do('account.retrieve')
    const id = newId('grn')
    await sql`
      insert into oauth_grants
        (account_id, id, user_id, client_id, client_name, client_host, redirect_uri, resource, scopes,
         code_hash, code_challenge, access_hash, expires_at)
      values (${accountId}, ${id}, ${userId}, 'clt_x', ${this.text}, 'program.example', '', '', '{read}',
              ${Buffer.from(id)}, '', ${Buffer.from(id)}, now() + interval '1 day')`.execute(
      this.#app.database,
    )
    return id
  }

  /** An event that was sent to a hook of its own, and has started its run or failed. */
  async deliver([hookId = '']: string[]): Promise<string> {
    const { id: accountId } = await this.do('account.retrieve')
    const id = newId('hdl')
    await sql`
      insert into hook_deliveries
        (account_id, id, hook_id, headers, content_type, body, status, why, run_id, settled_at)
      values (${accountId}, ${id}, ${hookId}, '{}', 'text/plain', ${Buffer.from(this.text)},
              'failed', ${this.text}, ${newId('run')}, now())`.execute(this.#app.database)
    await sql`
      insert into hook_events (account_id, hook_id, event_key, delivery_id)
      values (${accountId}, ${hookId}, ${`${this.text} ${id}`}, ${id})`.execute(this.#app.database)
    return id
  }

  async invite(role = 'viewer'): Promise<{ id: string; token: string; email: string }> {
    const email = `person-${++people}-${this.text.replaceAll(' ', '-')}@example.com`
    const { id, link } = await this.do('invitations.create', { body: { email, role } })
    return { id, token: new URL(link).hash.slice(1), email }
  }

  /** A new user of the account, signed in, with a password and an identity at a provider. */
  async join(role?: string): Promise<Person> {
    const { token, email } = await this.invite(role)
    const sending = { with: { token, password }, key: null }
    const person = this.#signedIn(await this.send('invitations.accept', sending))
    await sql`
      update users set oidc_issuer = 'https://login.example.com', oidc_subject = ${person.id}
      where id = ${person.id}`.execute(this.#app.database)
    return { ...person, email }
  }

  /** The first admin, created with the setup link. */
  async setUp(): Promise<Person> {
    const token = new URL(this.#app.setupLink ?? '').hash.slice(1)
    const email = 'first@example.com'
    const sending = { with: { token, email, password }, key: null }
    return { ...this.#signedIn(await this.send('setup.create', sending)), email }
  }

  #signedIn({ status, body, headers }: Answer): Omit<Person, 'email'> {
    assert.ok(status < 300, JSON.stringify(body))
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
    this.secrets.push(cookie.split('=')[1] ?? '')
    return { id: body.data.id, sessionId: body.data.session_id, cookie }
  }
}

/** The path with ids for its parameters, in either notation. */
export function fillPath(path: string, ids: readonly string[]): string {
  let place = 0
  return path.replaceAll(/:\w+|\{\w+\}/g, () => ids[place++] ?? 'absent')
}

export function exampleOf({ body }: Operation): object | undefined {
  const { examples = [] }: { examples?: object[] } = body ?? {}
  return examples[0]
}

function operationNamed(id: string): Operation {
  const one = operations.get(id)
  assert.ok(one !== undefined, `There is no operation ${id}`)
  return one
}

/** The path of one item of a list. */
export function itemPathOf(list: string): string {
  const spelled = list.replaceAll(/\{(\w+)\}/g, ':$1')
  const kind = Object.keys(makers).find((path) => path.replace(/\/:\w+$/, '') === spelled)
  assert.ok(kind !== undefined, `test/world.ts makes no items of ${list}`)
  return kind
}

/** The longest path of `makers` that is a prefix of the operation's path. */
function kindOf(path: string): string {
  const spelled = path.replaceAll(/\{(\w+)\}/g, ':$1')
  const kinds = Object.keys(makers).filter((kind) => spelled.startsWith(kind))
  const [kind] = kinds.toSorted((a, b) => b.length - a.length)
  assert.ok(kind !== undefined, `test/world.ts makes nothing for ${path}`)
  return kind
}

function fileForm(text: string): FormData {
  const form = new FormData()
  form.append('file', new Blob([text]), 'a.txt')
  return form
}
