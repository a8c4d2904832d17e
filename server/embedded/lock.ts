import { Client } from 'pg'
import { ConfigError } from '../config-error.ts'
import type { SocketAddress } from './process.ts'

/**
 * Ownership of an embedded server: the session that holds an advisory lock. The session ends with
 * its process, so a killed owner never leaves the lock behind.
 */
export type Hold = OwnedHold | { kind: 'taken'; url: string; owner: string }

export interface OwnedHold {
  kind: 'owned'
  url: string
  port: number
  /** The session that holds the lock. */
  lock: Client
  /** Resolves when the session has ended, for whatever reason. */
  ended: Promise<void>
}

/** Why a server's lock cannot be taken now: it does not listen, or it starts, stops or recovers. */
export type NoHold = 'absent' | 'busy'

/** An arbitrary constant; the lock is in the database `postgres`, which every cluster has. */
const ownerLock = 0x6d757374

/** Tries to take the ownership of the server at an address. */
export async function askForHold(address: SocketAddress): Promise<Hold | NoHold> {
  const url = serverUrl(address, 'muster')
  const lock = new Client({
    connectionString: serverUrl(address, 'postgres'),
    application_name: `process ${process.pid}`,
    connectionTimeoutMillis: 10_000,
  })
  // Without a listener an error would crash the process.
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
 * A stopping server has already released its owner's lock while older sessions, perhaps this one,
 * still live. But it accepts no new session: this distinguishes a free server from a stopping one.
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

/** Port and ssl are explicit, so that PGPORT and PGSSLMODE in the environment have no effect. */
function serverUrl({ socketDir, port }: SocketAddress, database: string): string {
  const host = encodeURIComponent(socketDir)
  return `postgresql://muster@localhost:${port}/${database}?host=${host}&sslmode=disable`
}
