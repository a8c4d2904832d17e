import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { listenOnLoopback } from './loopback.ts'

/**
 * For tests only: a real proxy for CONNECT on loopback. Whatever host it is asked for, it connects to this
 * machine on the port that was asked for, so that public names and addresses can be called.
 */
export interface TestProxy extends AsyncDisposable {
  port: number
  /** What was asked for, each with its credentials. */
  asked: { authority: string; authorization: string | undefined }[]
  /** Statuses of the next answers that open nothing. */
  refusals: number[]
  stop(): Promise<void>
}

export async function startProxy(): Promise<TestProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((_, response) => response.writeHead(405).end())
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }
  server.on('connection', keep)
  server.on('connect', (request, socket: Socket, head) => {
    const authority = request.url ?? ''
    const { 'proxy-authorization': authorization } = request.headers
    proxy.asked.push({ authority, authorization })
    const refusal = proxy.refusals.shift()
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`)
      return
    }
    const port = Number(authority.slice(authority.lastIndexOf(':') + 1))
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.write(head)
      socket.pipe(onward).pipe(socket)
    })
    keep(onward)
    onward.on('close', () => socket.destroy())
    socket.on('close', () => onward.destroy())
  })
  const port = await listenOnLoopback(server)
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  const proxy: TestProxy = { port, asked: [], refusals: [], stop, [Symbol.asyncDispose]: stop }
  return proxy
}
