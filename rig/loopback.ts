import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** What servers of tests and benchmarks share. */

/** Lets a server listen on loopback; returns its port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Ends a server with the connections that it has. */
export async function closeServer(server: HttpServer): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

export interface Changes {
  /** Something that a condition may depend on has changed. */
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
