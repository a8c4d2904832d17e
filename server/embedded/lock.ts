import { Client } from 'pg'
import { ConfigError } from '../config-error.ts'
import type { SocketAddress } from './process.ts'

/**
 * Who owns an embedded server: the one session that has this advisory lock. It ends with its
 * process, so a killed owner never leaves the lock behind.
 */
export type Hold = OwnedHold | { kind: 'taken'; url: string; owner: string }

export interface OwnedHold {
  kind: 'owned'
  url: string
  port: number
  /** The session that has the lock. */
  lock: Client
  /** Resolves when that session is over, wanted or not. */
  ended: Promise<void>
}

/** What a server said that cannot be had now: it does not listen, or starts, stops or recovers. */
export type NoHold = 'absent' | 'busy'

/** Any number of ours; counts in the database `postgres`, which every cluster has. */
const ownerLock = 0x6d757374

/** Asks the server at an address for its ownership. */
export async function askForHold(address: SocketAddress): Promise<Hold | NoHold> {
  const url = serverUrl(address, 'muster')
  const lock = new Client({
    connectionString: serverUrl(address, 'postgres'),
    application_name: `process ${process.pid}`,
    connectionTimeoutMillis: 10_000,
  })
  // Without a listener an error would end the process.
  lock.on('error', () => {})
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  lock.on('end', resolve)
  try {
    await lock.connect()
    if (await tryLock(lock)) {
      await makeDatabase(lock)
      await assertTakesSessions(url)
      return { kind: 'owned', url, port: address.port, lock, ended }
    }
    const owner = await findOwner(lock)
    await lock.end()
    return owner === undefined ? 'busy' : { kind: 'taken', url, owner }
  } catch (error) {
    await lock.end().catch(() => {})
    return serverState(error, address)
  }
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ isLocked: boolean }>(
    'select pg_try_advisory_lock($1) as "isLocked"',
    [ownerLock],
  )
  return rows[0]?.isLocked === true
}

async function findOwner(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ owner: string }>(
    `select application_name as owner from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and objid = $1`,
    [ownerLock],
  )
  return rows[0]?.owner
}

async function makeDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query(`select from pg_database where datname = 'muster'`)
  if (rowCount === 0) await client.query('create database muster')
}

/**
 * A server that is being stopped has already let go of its owner's lock while sessions opened
 * before still live, ours perhaps. But it takes no new one: that tells a free server from a dying.
 */
async function assertTakesSessions(url: string): Promise<void> {
  const probe = new Client(url)
  probe.on('error', () => {})
  try {
    await probe.connect()
  } finally {
    await probe.end().catch(() => {})
  }
}

function serverState(error: unknown, { socketDir }: SocketAddress): NoHold {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'absent'
  if (code === 'EACCES') {
    throw new ConfigError(
      `Cannot start: the socket of the embedded database in ${socketDir} belongs to another user; ` +
        `run Muster as that user`,
      { cause: error },
    )
  }
  const isPassing =
    ['57P01', '57P02', '57P03', 'ECONNRESET', 'EPIPE'].includes(code ?? '') ||
    /timeout|terminated/i.test(message)
  if (isPassing) return 'busy'
  throw error
}

/** Port and ssl are said, so that PGPORT and PGSSLMODE of the environment do not count. */
function serverUrl({ socketDir, port }: SocketAddress, database: string): string {
  const host = encodeURIComponent(socketDir)
  return `postgresql://muster@localhost:${port}/${database}?host=${host}&sslmode=disable`
}
