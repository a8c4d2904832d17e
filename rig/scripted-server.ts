import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { closeServer, listenOnLoopback, watchChanges } from './loopback.ts'

/**
 * For tests only: a provider on loopback that behaves as a test says, records requests, and counts
 * how many it holds at once.
 */
export interface ScriptedServer extends AsyncDisposable {
  url: string
  requests: { path: string; headers: IncomingMessage['headers']; body: string }[]
  /** Maximum requests held at the same time. */
  peak: number
  /** Resolves as soon as the condition holds; checked whenever something happens here. */
  until(condition: () => boolean): Promise<void>
  active: number
  /** Requests whose socket was closed before they were answered. */
  cut: number
}

export type Answer = (response: ServerResponse, call: number) => void

export async function startScriptedServer(answer: Answer): Promise<ScriptedServer> {
  const { changed, until } = watchChanges()
  const server = createServer((request, response) => {
    state.active += 1
    state.peak = Math.max(state.peak, state.active)
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      const { url: path = '', headers } = request
      answer(response, state.requests.push({ path, headers, body }))
      changed()
    })
    response.on('close', () => {
      state.active -= 1
      if (!response.writableFinished) state.cut += 1
      changed()
    })
  })
  const port = await listenOnLoopback(server)
  const state: ScriptedServer = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    peak: 0,
    active: 0,
    cut: 0,
    until,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
  return state
}

/** Sends a body as JSON, or unchanged if it is text. */
export function send(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
