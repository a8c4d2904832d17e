import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import { schemaOf } from '../server/engine/wire/events.ts'
import { statusesOfFailure } from '../server/http/document.ts'
import { isConditional, methodOf, pathOf } from '../server/http/operation.ts'
import { resources } from '../server/start/routes.ts'
import type { RunEvent } from '../sdk/index.ts'

/** Sent to the operator's routes if a test names no key. */
export const testOperatorKey = 'operator-key-of-the-tests-0123456789'
export const testPassword = 'correct horse battery'

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

/** A signed-in user, with the session's cookie. */
export interface Person {
  id: string
  name: string
  cookie: string
  call: (method: string, path: string, body?: unknown, headers?: object) => Promise<Answer>
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

/** A client of a service's API in any process, by default with this key. */
export function clientOf(url: () => string, adminKey: string): ApiClient {
  const call: ApiClient['call'] = (method, path, given) =>
    callApi(url(), adminKey, method, path, given)
  const send = async (method: string, path: string, body?: unknown, key?: string) => {
    const answer = await call(method, path, { body, ...(key === undefined ? {} : { key }) })
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }
  const get: ApiClient['get'] = (path, key) => send('GET', path, undefined, key)
  const post: ApiClient['post'] = (path, body, key) => send('POST', path, body, key)
  const trigger: ApiClient['trigger'] = async (workflowId, given = 'go', key) => {
    const body = typeof given === 'string' ? { input: given } : given
    return (await post(`/v1/workflows/${workflowId}/runs`, body, key)).id
  }
  const rest: ApiClient['rest'] = (id, key) => get(`/v1/runs/${id}?wait=30`, key)
  const run: ApiClient['run'] = async (workflowId, given, key) =>
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
      return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => {
        const event = JSON.parse(data ?? '') as RunEvent
        checkEvent(event)
        return event
      })
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
  const isEndless =
    type.startsWith('text/event-stream') && /^\/v1\/(threads\/\w+\/)?events/.test(path)
  const text = isEndless ? '' : await response.text()
  if (isEndless) await response.body?.cancel()
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  }
}

/** Each event has the data that the schema of its type describes, and no other. */
function checkEvent(event: RunEvent): void {
  const check = checks.get(event.type)
  assert.ok(check, `${event.type} has no schema`)
  assert.ok(check(event), `${JSON.stringify(check.errors)} of ${JSON.stringify(event)}`)
}

const ajv = new Ajv({ strict: false, validateFormats: false })
const checks = new Map(
  Object.entries(schemaOf).map(([type, { properties }]) => {
    const { data, ...others } = properties
    const strict = { ...data, additionalProperties: false }
    const required = Object.keys(properties)
    return [
      type,
      ajv.compile({ type: 'object', properties: { ...others, data: strict }, required }),
    ]
  }),
)

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
    statuses: [
      ...Object.keys(one.answer.response).map(Number),
      ...(isConditional(one) ? [304] : []),
      ...statusesOfFailure(one),
    ],
  }))
