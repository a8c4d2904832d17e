import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { startReceiver, type Receiver } from '../../rig/receiver.ts'
import { createTestTools, type TestTools } from './test-services.ts'

/** For tests only: a JSON API on loopback that records its requests. */
export interface TestApi extends AsyncDisposable {
  requests: ApiRequest[]
  tools: TestTools
  /** Sets what it answers from now on; `cut` breaks the connection after the request arrived. */
  answers(answer: ApiReply | 'cut' | 'silence'): void
  /** Called when a request has arrived that will get no answer. */
  onSilence: () => void
}

export interface ApiRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: unknown
}

export interface ApiReply {
  status?: number
  headers?: Record<string, string>
  body?: unknown
}

export async function startTestApi(): Promise<TestApi> {
  const requests: ApiRequest[] = []
  let reply: ApiReply | 'cut' | 'silence' = {}
  const receiver: Receiver = await startReceiver(async (request, response) => {
    const { method = '', url = '', headers } = request
    const sent = await text(request)
    requests.push({ method, path: url, headers, body: sent === '' ? undefined : JSON.parse(sent) })
    if (reply === 'silence') {
      api.onSilence()
      return
    }
    if (reply === 'cut') {
      request.socket.destroy()
      return
    }
    const { status = 200, headers: answerHeaders = {}, body = {} } = reply
    response.writeHead(status, { 'content-type': 'application/json', ...answerHeaders })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const tools = createTestTools({ port: receiver.port })
  const api: TestApi = {
    requests,
    tools,
    answers: (next) => {
      reply = next
    },
    onSilence: () => {},
    [Symbol.asyncDispose]: async () => {
      await tools[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
  return api
}
