import { createServer, connect, type NetConnectOpts, type Socket } from 'node:net'
import { listenOnLoopback } from '../../rig/loopback.ts'

/** The connection of one process to PostgreSQL, over TCP on loopback, with faults on request. */
export interface DatabaseProxy extends AsyncDisposable {
  /** For DATABASE_URL. */
  url: string
  /** Breaks open connections. */
  cut(): void
  /** Delays all data in both directions for this time. */
  stall(ms: number): void
  /** Breaks open connections and rejects new ones for this time. */
  refuse(ms: number): void
  /** Breaks open connections and connects new ones to another server. */
  retarget(databaseUrl: string): void
  /** Ends current faults at once. */
  heal(): void
}

interface Pair {
  client: Socket
  server: Socket
}

/** `databaseUrl` has a user, a database and a host or, for the embedded server, a Unix socket. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  let place = connectOptions(target)
  const pairs = new Set<Pair>()
  let isStalled = false
  let isRefusing = false
  let timer: NodeJS.Timeout | undefined

  const server = createServer((client) => {
    if (isRefusing) return void client.resetAndDestroy()
    const pair = { client, server: connect(place) }
    pairs.add(pair)
    for (const [from, to] of bothWays(pair)) {
      from.on('error', () => {})
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
    }
    if (isStalled) client.pause()
    else join(pair)
  })
  const port = await listenOnLoopback(server)

  const cut = (): void => {
    for (const { client, server } of pairs) {
      client.resetAndDestroy()
      server.destroy()
    }
  }
  const heal = (): void => {
    clearTimeout(timer)
    isRefusing = false
    if (!isStalled) return
    isStalled = false
    for (const pair of pairs) join(pair)
  }
  const forSome = (ms: number): void => {
    timer = setTimeout(heal, ms)
  }
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    cut,
    stall(ms) {
      heal()
      isStalled = true
      for (const pair of pairs) {
        for (const [from, to] of bothWays(pair)) from.unpipe(to)
      }
      forSome(ms)
    },
    refuse(ms) {
      heal()
      isRefusing = true
      cut()
      forSome(ms)
    },
    retarget(databaseUrl) {
      place = connectOptions(new URL(databaseUrl))
      cut()
    },
    heal,
    async [Symbol.asyncDispose]() {
      heal()
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function join(pair: Pair): void {
  for (const [from, to] of bothWays(pair)) from.pipe(to)
}

function bothWays({ client, server }: Pair): [Socket, Socket][] {
  return [
    [client, server],
    [server, client],
  ]
}

function connectOptions({ searchParams, hostname, port }: URL): NetConnectOpts {
  const folder = searchParams.get('host')
  if (folder !== null) return { path: `${folder}/.s.PGSQL.${port}` }
  return { host: hostname, port: Number(port) }
}
