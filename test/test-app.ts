import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pino, { type Logger } from 'pino'
import { makeKey } from '../server/accounts/credentials.ts'
import { startApp, type ProcessRole, type StartOptions } from '../server/start/app.ts'
import { readConfig, type Config } from '../server/start/config.ts'
import type { Database } from '../server/db/client.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import { send, startScriptedServer, type ScriptedServer } from '../rig/scripted-server.ts'
import { clientOf, testOperatorKey, type ApiClient } from './api-client.ts'
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

/** A template with parameters, like Kysely's. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
type Sql<Of extends 'row' | 'rows'> = <T = any>(
  text: TemplateStringsArray,
  ...values: unknown[]
) => Promise<Of extends 'row' ? T : T[]>

export interface StartedApp extends AsyncDisposable {
  url: string | undefined
  setupLink?: string | undefined
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
