import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import { watchChanges, type Changes } from './loopback.ts'

/**
 * For tests only: a server on every address of this machine, including loopback of both families,
 * that counts all connections. `until` is checked when a connection opens or closes, and at
 * `changed`.
 */
export interface Receiver extends AsyncDisposable, Changes {
  port: number
  connections: number
  open: number
}

export function startReceiver(listener: RequestListener): Promise<Receiver> {
  return listen(createServer(listener))
}

export function startTlsReceiver(
  certificate: { cert: string; key: string },
  listener: RequestListener,
): Promise<Receiver> {
  return listen(createTlsServer(certificate, listener))
}

/** A receiver that need not speak HTTP. */
export function startRawReceiver(onConnection: (socket: Socket) => void): Promise<Receiver> {
  return listen(
    createTcpServer((socket) => {
      // Without reading, a socket does not notice that its other end was closed.
      socket.resume()
      onConnection(socket)
    }),
  )
}

async function listen(server: Server): Promise<Receiver> {
  const sockets = new Set<Socket>()
  const { changed, until } = watchChanges()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    receiver.connections += 1
    receiver.open += 1
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      receiver.open -= 1
      changed()
    })
    changed()
  })
  // No host: all IPv6 and IPv4 addresses, or only IPv4 if there is no IPv6.
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const receiver: Receiver = {
    port: (server.address() as AddressInfo).port,
    changed,
    connections: 0,
    open: 0,
    until,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}
