import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import type { Notices, Session } from '../../db/notices.ts'

/**
 * Which processes execute runs. Each registers in `workers` twice a second, and holds a lock of its own on the session on
 * which it listens, so that the lock ends with the process. A process whose lock is free and that has not registered for a
 * second is gone: nobody needs to wait for the end of its leases.
 *
 * Leases alone tell whether a process is there that is stopped while its session lives, whose session alone was cut, that
 * is connected to another server of a cluster, or whose server was restarted or replaced since. After this process has
 * lost its own session, it first gives the others time to come back.
 */
export class Presence {
  readonly #worker: string
  readonly #database: Database
  readonly #supervision: Database
  /** Start of the server on which this process holds its lock. */
  #serverStartedAt: string | undefined
  #lostAt = -Infinity
  #hasLeft = false

  constructor({ worker, database, supervision, notices }: PresenceOptions) {
    this.#worker = worker
    this.#database = database
    this.#supervision = supervision
    notices?.during({
      begin: (session) => this.#hold(session),
      end: () => this.#lose(),
    })
  }

  /** Registers this process. */
  async announce(): Promise<void> {
    if (this.#hasLeft) return
    await sql`
      insert into workers (id, server_started_at)
      values (${this.#worker}, ${this.#serverStartedAt ?? null}::timestamptz)
      on conflict (id) do update
      set seen_at = excluded.seen_at, server_started_at = excluded.server_started_at, has_left = false`.execute(
      this.#supervision,
    )
  }

  /** Records that this process executes no more runs. */
  async withdraw(): Promise<void> {
    this.#hasLeft = true
    await this.#markLeft([this.#worker])
  }

  /** The processes that are gone; `forget` them once their leases have ended. */
  async findGone(): Promise<string[]> {
    const isBack = performance.now() - this.#lostAt > comeBackMs
    if (this.#serverStartedAt === undefined || !isBack) return []
    const { rows } = await sql<{ id: string }>`
      select id from workers where not has_left and id <> ${this.#worker} and ${isGone}`.execute(
      this.#supervision,
    )
    return rows.map(({ id }) => id)
  }

  async forget(workers: string[]): Promise<void> {
    await this.#markLeft(workers)
    await sql`delete from workers where seen_at < now() - interval '1 day'`.execute(
      this.#supervision,
    )
  }

  /** How many processes execute runs. */
  async workers(): Promise<Workers> {
    const { rows } = await sql<Workers>`
      select (count(*) filter (where ${isAlive}))::int as alive,
             max(seen_at) as "lastSeenAt"
      from workers`.execute(this.#database)
    return rows[0] as Workers
  }

  async #hold(session: Session): Promise<void> {
    const { rows } = await session.query<{ startedAt: string }>(
      `select pg_postmaster_start_time()::text as "startedAt",
              pg_advisory_lock_shared($1::int, hashtext($2))`,
      [presenceLocks, this.#worker],
    )
    this.#serverStartedAt = rows[0]?.startedAt
  }

  #lose(): void {
    this.#serverStartedAt = undefined
    this.#lostAt = performance.now()
    // Its leases alone tell from now on; an unavailable server is reported elsewhere.
    this.announce().catch(() => {})
  }

  async #markLeft(workers: string[]): Promise<void> {
    await sql`update workers set has_left = true where id = any(${workers})`.execute(
      this.#supervision,
    )
  }
}

interface PresenceOptions {
  worker: string
  database: Database
  supervision: Database
  notices: Notices | undefined
}

interface Workers {
  alive: number
  /** When a worker was last seen; null if none was since the database was created. */
  lastSeenAt: Date | null
}

/** How often a process registers, busy or idle; one of the version before does so every 5 s. */
export const announceEveryMs = 500
/** A process that misses three registrations of the version before in a row counts as gone. */
const aliveSeconds = 18
const silentSeconds = 1
/** How long others have to take their locks again after a cut of all sessions. */
const comeBackMs = 2_000
/** An arbitrary constant: the class of the advisory locks of processes. */
const presenceLocks = 0x6d777072

/** Whether a process is gone that held its lock on this very server. */
const isGone = sql<boolean>`(
  server_started_at = pg_postmaster_start_time()
  and seen_at < now() - make_interval(secs => ${sql.lit(silentSeconds)})
  and not exists (
    select from pg_locks as held
    where held.locktype = 'advisory' and held.classid = ${sql.lit(presenceLocks)}::oid and held.objsubid = 2
      and held.objid = (hashtext(workers.id)::bigint & 4294967295)::oid
      and held.database = (select oid from pg_database where datname = current_database())))`

const isAlive = sql<boolean>`(
  not has_left and seen_at > now() - make_interval(secs => ${sql.lit(aliveSeconds)}) and not ${isGone})`
