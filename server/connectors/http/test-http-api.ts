import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { startReceiver } from '../../../rig/receiver.ts'

/** For tests only: an HTTP API on loopback that records its requests, apart from those for a test of the connection. */
export interface TestHttpApi extends AsyncDisposable {
  url: string
  requests: SeenRequest[]
  /** Requests of connections that are tested. */
  tests: SeenRequest[]
  /** Answers from now on; by default 200 with the JSON `{"ok":true}`. */
  answer: (request: SeenRequest, response: ServerResponse) => void
}

export interface SeenRequest {
  method: string
  /** Path and query, as they were sent. */
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export async function startTestHttpApi(): Promise<TestHttpApi> {
  const api: TestHttpApi = {
    url: '',
    requests: [],
    tests: [],
    answer: (_, response) => sendJson(response, { ok: true }),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
  const receiver = await startReceiver(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = (await buffer(request)).toString()
    const seen = { method, path: url, headers, body }
    const isTest = method === 'HEAD' && headers['accept'] === '*/*'
    ;(isTest ? api.tests : api.requests).push(seen)
    api.answer(seen, response)
  })
  api.url = `http://127.0.0.1:${receiver.port}`
  return api
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
