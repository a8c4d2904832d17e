import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'

/** Shared by the servers of tests and benchmarks. */

/** Lets a server listen on loopback; returns its port. */
export async function listenOnLoopback(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

/** Ports that were free just now, all at the same time. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(servers.map((server) => listenOnLoopback(server)))
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

export async function freePort(): Promise<number> {
  return (await freePorts(1))[0] as number
}

/** Ends a server with the connections that it has. */
export async function closeServer(server: HttpServer): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

export interface Changes {
  /** Call it when something has changed that a condition may depend on. */
  changed: () => void
  /** Resolves as soon as the condition holds. */
  until: (condition: () => boolean) => Promise<void>
}

export function watchChanges(): Changes {
  const waiters = new Set<() => void>()
  return {
    changed: () => {
      for (const check of waiters) check()
    },
    until: (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!condition()) return
          waiters.delete(check)
          resolve()
        }
        waiters.add(check)
        check()
      }),
  }
}
