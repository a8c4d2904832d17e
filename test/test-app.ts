import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pino, { type Logger } from 'pino'
import { makeKey } from '../server/accounts/credentials.ts'
import { startApp, type ProcessRole, type StartOptions } from '../server/start/app.ts'
import { resources } from '../server/start/routes.ts'
import { statusesOfFailure } from '../server/http/document.ts'
import { methodOf, pathOf } from '../server/http/operation.ts'
import { readConfig, type Config } from '../server/start/config.ts'
import type { Database } from '../server/db/client.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import type { RunEvent } from '../sdk/index.ts'
import { send, startScriptedServer, type ScriptedServer } from '../rig/scripted-server.ts'
import { writeModelsFile } from '../rig/models-file.ts'

/** A whole service in the test's process, with its own database and model server. */
export interface TestApp extends AsyncDisposable, ApiClient {
  url: string
  /** The setup link for the first admin. */
  setupLink: string | undefined
  /** Admin key of the account `default`. */
  key: string
  database: Database
  /** The rows of a statement. */
  sql: Sql<'rows'>
  /** The first row, which must exist. */
  row: Sql<'row'>
  databaseUrl: string
  models: ScriptedServer
  /** Settings for another process on the same database and models. */
  env: Record<string, string>
  /** The id of the account `default`. */
  accountId: string
  /** Answers model calls; by default with the last line of the prompt, after "echo: ". */
  answer: ModelAnswer
  /** Simulates a request whose process died before its response was stored. */
  forgetAnswer: (key: string) => Promise<void>
  /** The API with another key. */
  as: (key: string) => ApiClient
  /** Starts another service process on the same database. */
  startAnother: (role: ProcessRole, env?: Record<string, string>) => Promise<StartedApp>
}

/** The API for tests. */
export interface ApiClient {
  /** Sends a request; the response's body is parsed, except that of the account's stream. */
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>
  /** Sends a request that must succeed; returns the data of its response. */
  get: (path: string, key?: string) => Promise<Answer['body']>
  post: (path: string, body?: unknown, key?: string) => Promise<Answer['body']>
  patch: (path: string, body: unknown, key?: string) => Promise<Answer['body']>
  put: (path: string, body: unknown, key?: string) => Promise<Answer['body']>
  delete: (path: string, key?: string) => Promise<Answer['body']>
  /** The items of all pages of a list, page by page. */
  pages: (path: string, key?: string) => Promise<Answer['body'][][]>
  createAgent: (fields?: object, key?: string) => Promise<string>
  createWorkflow: (fields?: object, key?: string) => Promise<string>
  /** Starts a run with an input, or with a whole body; returns its id. */
  trigger: (workflowId: string, given?: string | object, key?: string) => Promise<string>
  /** A run, once it waits for a person or has ended. */
  rest: (runId: string, key?: string) => Promise<Answer['body']>
  /** Starts a run, and returns it once it is idle. */
  run: (workflowId: string, given?: string | object, key?: string) => Promise<Answer['body']>
  /** Adds a user to the account, signed in. */
  join: (name: string, role: string, key?: string) => Promise<Person>
  /** All events of an idle run. */
  events: (runId: string) => Promise<RunEvent[]>
}

/** A template with parameters, like Kysely's. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
type Sql<Of extends 'row' | 'rows'> = <T = any>(
  text: TemplateStringsArray,
  ...values: unknown[]
) => Promise<Of extends 'row' ? T : T[]>

/** A signed-in user, with the session's cookie. */
export interface Person {
  id: string
  name: string
  cookie: string
  call: (method: string, path: string, body?: unknown, headers?: object) => Promise<Answer>
}

export interface StartedApp extends AsyncDisposable {
  url: string | undefined
}

export interface CallOptions {
  key?: string | null
  body?: unknown
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  body: any
}

export interface TestAppOptions {
  role?: ProcessRole
  env?: Record<string, string>
  /** Intervals of background loops that differ from production. */
  intervals?: Partial<Config['intervals']>
  /** By default only fatal errors, on stdout. */
  log?: Logger
  /** Fills the database before the service starts. */
  prepare?: (databaseUrl: string) => Promise<void>
  /** Changes the models file before it is written. */
  prepareModels?: (file: ReturnType<typeof modelsOf>) => void
  outageClock?: StartOptions['outageClock']
  /** The initial value of `answer`. */
  answer?: ModelAnswer
}

/** Gets the parsed chat completion request. */
export type ModelAnswer = (request: ChatRequest, response: ServerResponse, call: number) => void

export interface ChatRequest {
  model: string
  messages: ChatMessage[]
  tools?: { function: { name: string; description: string; parameters: unknown } }[]
}

export interface ChatMessage {
  role: string
  content: string
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** The model of the loopback server; costs 1 USD per 1,000,000 tokens in and 2 out. */
export const testModel = 'test/echo'
/** Sent to the operator's routes if a test names no key. */
export const testOperatorKey = 'operator-key-of-the-tests-0123456789'
export const testPassword = 'correct horse battery'
export const testSecretKey = Buffer.alloc(32, 7).toString('base64')

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  await using stack = new AsyncDisposableStack()
  const testDatabase = stack.use(await createTestDatabase())
  await options.prepare?.(testDatabase.url)
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'muster-app-'))).path
  const models = stack.use(
    await startScriptedServer((response, call) => {
      const request = JSON.parse(models.requests[call - 1]?.body ?? '{}') as ChatRequest
      app.answer(request, response, call)
    }),
  )
  const file = modelsOf(models.url)
  options.prepareModels?.(file)
  const modelsFile = await writeModelsFile(folder, file)

  const key = makeKey()
  const settings = {
    DATABASE_URL: testDatabase.url,
    PORT: '0',
    MUSTER_ADMIN_KEY: key,
    MUSTER_OPERATOR_KEY: testOperatorKey,
    MUSTER_SECRET_KEY: testSecretKey,
    MUSTER_MODELS_FILE: modelsFile,
    MUSTER_DEFAULT_MODEL: testModel,
    MUSTER_RATE_LIMIT: '0',
    MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8',
    // Loading the API reference takes longer than the rest of the server.
    MUSTER_DOCS: 'off',
    ...options.env,
  }
  const start = async (role: ProcessRole, env: Record<string, string> = {}) => {
    const config = readConfig({ ...settings, ...env })
    Object.assign(config, { intervals: { ...config.intervals, ...options.intervals } })
    const { outageClock, log = pino({ level: 'fatal' }) } = options
    return startApp(config, role, log, outageClock && { outageClock })
  }
  const app: TestApp = { answer: options.answer ?? echo } as TestApp
  const started = stack.use(await start(options.role ?? 'all'))
  const url = started.url ?? ''
  const database = testDatabase.open(3)
  stack.defer(() => database.destroy())
  const account = database.selectFrom('accounts').select('id').where('name', '=', 'default')
  const { id: accountId = '' } = (await account.executeTakeFirst()) ?? {}
  const all = stack.move()
  return Object.assign(app, {
    url,
    setupLink: started.setupLink,
    key,
    accountId,
    database,
    databaseUrl: testDatabase.url,
    models,
    env: settings,
    startAnother: start,
    ...statementsOf(database),
    ...clientOf(() => url, key),
    as: (other: string) => clientOf(() => url, other),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  })
}

/** Statements of tests on the database. */
function statementsOf(database: Database): Pick<TestApp, 'sql' | 'row' | 'forgetAnswer'> {
  const rows: TestApp['sql'] = async <T>(text: TemplateStringsArray, ...values: unknown[]) =>
    (await sql<T>(text, ...values).execute(database)).rows
  return {
    sql: rows,
    row: async <T>(text: TemplateStringsArray, ...values: unknown[]) => {
      const [row] = await rows<T>(text, ...values)
      assert.ok(row !== undefined, `no row: ${text.join('?')}`)
      return row
    },
    forgetAnswer: async (key) => {
      await rows`
        update idempotency_keys set status = null, answer = null, locked_at = 'epoch'
        where key = ${key}`
    },
  }
}

/** A client of a service's API in any process, by default with this key. */
export function clientOf(url: () => string, adminKey: string): ApiClient {
  const call: TestApp['call'] = (method, path, given) =>
    callApi(url(), adminKey, method, path, given)
  const send = async (method: string, path: string, body?: unknown, key?: string) => {
    const answer = await call(method, path, { body, ...(key === undefined ? {} : { key }) })
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }
  const get: TestApp['get'] = (path, key) => send('GET', path, undefined, key)
  const post: TestApp['post'] = (path, body, key) => send('POST', path, body, key)
  const trigger: TestApp['trigger'] = async (workflowId, given = 'go', key) => {
    const body = typeof given === 'string' ? { input: given } : given
    return (await post(`/v1/workflows/${workflowId}/runs`, body, key)).id
  }
  const rest: TestApp['rest'] = (id, key) => get(`/v1/runs/${id}?wait=30`, key)
  const run: TestApp['run'] = async (workflowId, given, key) =>
    rest(await trigger(workflowId, given, key), key)
  return {
    call,
    get,
    post,
    patch: (path: string, body: unknown, key?: string) => send('PATCH', path, body, key),
    put: (path: string, body: unknown, key?: string) => send('PUT', path, body, key),
    delete: (path: string, key?: string) => send('DELETE', path, undefined, key),
    pages: async (path: string, key?: string) => {
      const pages: unknown[][] = []
      for (let next: string | undefined = path; next !== undefined;) {
        const answer: Answer = await call('GET', next, key === undefined ? {} : { key })
        assert.equal(answer.status, 200, next)
        pages.push(answer.body.data)
        next = nextPage(answer)
      }
      return pages
    },
    createAgent: async (fields: object = {}, key?: string) =>
      (await post('/v1/agents', { name: 'a', role: 'r', systemPrompt: 's', ...fields }, key)).id,
    createWorkflow: async (fields: object = {}, key?: string) =>
      (await post('/v1/workflows', { name: 'w', ...fields }, key)).id,
    trigger,
    rest,
    run,
    join: async (name: string, role: string, key?: string): Promise<Person> => {
      const { link } = await post('/v1/invitations', { email: `${name}@example.com`, role }, key)
      const token = new URL(link).hash.slice(1)
      const body = { token, name, password: testPassword }
      const joined = await call('POST', '/v1/invitations/accept', { key: null, body })
      const cookie = joined.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
      return {
        id: joined.body.data.id,
        name,
        cookie,
        call: (method, path, given, headers) =>
          call(method, path, {
            key: null,
            headers: { cookie, origin: url(), ...headers },
            ...(given === undefined ? {} : { body: given }),
          }),
      }
    },
    events: async (runId: string): Promise<RunEvent[]> => {
      const text = String((await call('GET', `/v1/runs/${runId}/events`)).body)
      return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
    },
  }
}

/** The address of the next page of a list. */
export function nextPage({ headers }: Answer): string | undefined {
  return /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
}

/** The status and code of a rejected request. */
export function codeOf(
  answer: { status: number; body: { error?: { code: string } } } | undefined,
): [status: number | undefined, code: string | undefined] {
  return [answer?.status, answer?.body.error?.code]
}

export async function callApi(
  url: string,
  defaultKey: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const usual = path.startsWith('/v1/operator') ? testOperatorKey : defaultKey
  const { key = usual, body, headers = {} } = options
  const isForm = body instanceof FormData
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      // A form sets its own type, with its boundary.
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: isForm || typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  checkDocumented(method, path, response.status)
  const type = response.headers.get('content-type') ?? ''
  const isJson = type.startsWith('application/json')
  // The account's stream is endless.
  const isEndless = type.startsWith('text/event-stream') && path.startsWith('/v1/events')
  const text = isEndless ? '' : await response.text()
  if (isEndless) await response.body?.cancel()
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  }
}

/** Fails for a status that the document does not list for the operation. */
function checkDocumented(method: string, path: string, status: number): void {
  const [pathname = ''] = path.split('?', 1)
  const found = documented.filter((one) => one.method === method && one.path.test(pathname))
  if (found.length === 0 || found.some(({ statuses }) => statuses.includes(status))) return
  throw new Error(`${method} ${path} answered ${status}, which its document does not name`)
}

const documented = resources()
  .flatMap(({ operations }) => operations)
  .map((one) => ({
    method: methodOf(one),
    path: new RegExp(`^${pathOf(one).replaceAll(/:\w+/g, '[^/]+')}$`),
    statuses: [...Object.keys(one.answer.response).map(Number), ...statusesOfFailure(one)],
  }))

/** A chat completion with exact token counts. */
export function complete(
  response: ServerResponse,
  text: string,
  tokensIn = 10,
  tokensOut = 5,
  reason = 'stop',
  usage: object = usageOf(tokensIn, tokensOut),
): void {
  send(response, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'echo',
    choices: [{ index: 0, finish_reason: reason, message: { role: 'assistant', content: text } }],
    usage,
  })
}

/** A chat completion with tool calls; arguments are JSON, or text unchanged. */
export function callTools(
  response: ServerResponse,
  calls: { id?: string; name: string; arguments: unknown }[],
  tokensIn = 10,
  tokensOut = 5,
  usage: object = usageOf(tokensIn, tokensOut),
  finish_reason = 'tool_calls',
): void {
  const tool_calls = calls.map((call, index) => ({
    id: call.id ?? `call-${index}`,
    type: 'function',
    function: {
      name: call.name,
      arguments:
        typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }))
  const message = { role: 'assistant', content: null, tool_calls }
  send(response, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'echo',
    choices: [{ index: 0, finish_reason, message }],
    usage,
  })
}

function usageOf(tokensIn: number, tokensOut: number): object {
  const total = tokensIn + tokensOut
  return { prompt_tokens: tokensIn, completion_tokens: tokensOut, total_tokens: total }
}

/** The tool results of the last turn, in order. */
export function toolResults(request: ChatRequest): string[] {
  const last = request.messages.findLastIndex(({ role }) => role === 'assistant')
  return request.messages
    .slice(last + 1)
    .flatMap(({ role, content }) => (role === 'tool' ? [content] : []))
}

export function echo(request: ChatRequest, response: ServerResponse): void {
  complete(response, `echo: ${request.messages.at(-1)?.content.split('\n').at(-1)}`)
}

function modelsOf(url: string): { providers: object[]; models: object[] } {
  return {
    providers: [{ id: 'test', label: 'Test', base_url: `${url}/v1`, timeout_seconds: 20 }],
    models: [{ id: testModel, provider: 'test', model: 'echo', price_in: 1, price_out: 2 }],
  }
}
