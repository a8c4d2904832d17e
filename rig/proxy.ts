import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { listenOnLoopback } from './loopback.ts'

/**
 * For tests only: a real CONNECT proxy on loopback. Whatever host is requested, it connects to this
 * machine on the requested port, so that public names and addresses can be called.
 */
export interface TestProxy extends AsyncDisposable {
  port: number
  /** The requests, with their credentials. */
  asked: { authority: string; authorization: string | undefined }[]
  /** Statuses of the next responses that refuse a tunnel. */
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
