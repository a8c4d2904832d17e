import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

/**
 * Another user of the same PostgreSQL server or disk, who interferes with Muster. It connects
 * directly, without the proxies, and undoes everything at the end.
 */
export interface Stranger {
  /** The tables of the service's schemas, by name. */
  listTables(): Promise<string[]>
  lockTable(table: string, ms: number): Promise<void>
  /** Like a primary that steps down: transactions become read-only, and sessions are ended. */
  makeReadOnly(ms: number): Promise<void>
  /** Undefined if there is no small disk to fill. */
  fillDisk: ((ms: number) => Promise<void>) | undefined
  /** Takes all connections of the server; others are ended. */
  takeConnections(ms: number): Promise<void>
  terminateBackends(count: number, ms: number): Promise<void>
  /** Copies the database inside its server; returns the URL of the copy. Sessions are ended meanwhile. */
  copyDatabase(copy: string): Promise<string>
  dropDatabase(copy: string): Promise<void>
}

const name = 'stranger'
/** After a crash the server recovers by itself. */
const patienceMs = 60_000

/** `disk` is the folder of a small file system with the database. */
export function makeStranger(url: string, disk: string | undefined): Stranger {
  const own = new URL(url).pathname.slice(1)
  /** In the server, outside the database. */
  const administer = async (...statements: string[]): Promise<void> => {
    await using session = await openSession(urlOf(url, 'postgres'))
    for (const statement of statements) await session.client.query(statement)
  }
  return {
    async listTables() {
      await using session = await openSession(url)
      const { rows } = await session.client.query<{ table: string }>(
        `select format('%I.%I', nspname, relname) as table
         from pg_class join pg_namespace on pg_namespace.oid = relnamespace
         where relkind in ('r', 'p') and not relispartition
           and nspname not like 'pg\\_%' and nspname <> 'information_schema'
         order by 1`,
      )
      return rows.map(({ table }) => table)
    },

    async lockTable(table, ms) {
      await using session = await openSession(url)
      await session.client.query(`begin; lock table ${table} in access exclusive mode`)
      await delay(ms)
    },

    async makeReadOnly(ms) {
      const set = async (change: string): Promise<void> => {
        await using session = await openSession(url)
        await session.client.query(`alter system ${change}`)
        await session.client.query('select pg_reload_conf()')
        await session.client.query(terminateOthers, [1_000])
      }
      try {
        await set('set default_transaction_read_only = on')
        await delay(ms)
      } finally {
        // Another fault may end this session too.
        await insist(() => set('reset default_transaction_read_only'))
      }
    },

    fillDisk:
      disk === undefined
        ? undefined
        : async (ms) => {
            const file = join(disk, `filler-${process.hrtime.bigint()}`)
            try {
              const endsAt = performance.now() + ms
              // Also takes space that the server frees meanwhile, and uses up recycled WAL
              // segments, until the server fails to create a new one.
              while (performance.now() < endsAt) {
                await appendUntilFull(file)
                await writeLog(url)
                await delay(200)
              }
            } finally {
              await rm(file, { force: true })
            }
          },

    async takeConnections(ms) {
      const taken: Session[] = []
      try {
        const endsAt = performance.now() + ms
        while (performance.now() < endsAt) {
          const session = await openOnce(url).catch(() => undefined)
          if (session !== undefined) taken.push(session)
          else if (!((await taken.at(-1)?.end(terminateOthers)) ?? 0)) await delay(100)
        }
      } finally {
        await Promise.all(taken.map((session) => session[Symbol.asyncDispose]()))
      }
    },

    async terminateBackends(count, ms) {
      const endsAt = performance.now() + ms
      let ended = 0
      while (ended < count && performance.now() < endsAt) {
        await using session = await openSession(url)
        for (; ended < count && performance.now() < endsAt; await delay(50)) {
          const found = await session.end(terminateOthers, Math.ceil((count * 50) / ms))
          if (found === undefined) break
          ended += found
        }
      }
    },

    async copyDatabase(copy) {
      try {
        await administer(
          `alter database ${own} allow_connections false`,
          `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${own}'`,
          `create database ${copy} template ${own} strategy file_copy`,
        )
      } finally {
        await insist(() => administer(`alter database ${own} allow_connections true`))
      }
      return urlOf(url, copy)
    },

    dropDatabase: (copy) => insist(() => administer(`drop database if exists ${copy} (force)`)),
  }
}

/** The URL of another database of a server. */
function urlOf(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${database}`
  return String(other)
}

/** Ends up to $1 sessions of other users. */
const terminateOthers = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where backend_type = 'client backend' and application_name <> '${name}'
  order by datname = current_database() desc, random() limit $1`

class Session implements AsyncDisposable {
  readonly client: pg.Client

  constructor(url: string) {
    this.client = new pg.Client({
      connectionString: url,
      application_name: name,
      options: '-c default_transaction_read_only=off -c statement_timeout=0',
    })
    // The server may be killed meanwhile.
    this.client.on('error', () => {})
  }

  /** Returns how many sessions were ended; undefined if this one was. */
  async end(statement: string, most = 1_000): Promise<number | undefined> {
    return await this.client.query(statement, [most]).then(
      ({ rowCount }) => rowCount ?? 0,
      () => undefined,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.end().catch(() => {})
  }
}

async function openOnce(url: string): Promise<Session> {
  const session = new Session(url)
  await session.client.connect()
  return session
}

function openSession(url: string): Promise<Session> {
  return insist(() => openOnce(url))
}

/** Retries while the server is down or has no free connection, or another fault ends the session. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > endsAt) throw error
      await delay(100)
    }
  }
}

async function writeLog(url: string): Promise<void> {
  const session = await openOnce(url).catch(() => undefined)
  await session?.client
    .query(`select pg_logical_emit_message(false, '${name}', repeat('x', 8 * 1024 * 1024))`)
    .catch(() => {})
  await session?.[Symbol.asyncDispose]()
}

async function appendUntilFull(file: string): Promise<void> {
  await using handle = await open(file, 'a')
  for (const bytes of [1024 * 1024, 4_096]) {
    const zeros = Buffer.alloc(bytes)
    try {
      for (;;) await handle.appendFile(zeros)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
}

/** Mounts a file system in memory; undefined, with the reason logged, if that is impossible. */
export async function mountSmallDisk(
  folder: string,
  megabytes: number,
): Promise<AsyncDisposable | string> {
  const run = promisify(execFile)
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', folder])
  } catch (error) {
    return (error as { stderr?: string }).stderr?.trim() || String(error)
  }
  return {
    async [Symbol.asyncDispose]() {
      // Open files stay until they are closed.
      await run('umount', ['--lazy', folder])
    },
  }
}
