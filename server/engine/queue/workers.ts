import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'

/** Who carries runs: each process that does says so now and then, whether or not it has any. */
export const announceEveryMs = 5_000

/** What another process wants this one to know, as it said it last. */
export interface Peer<Note> {
  note: Note | null
  isAlive: boolean
  silentMs: number
}

/** Peers that are read, up to, those seen last. */
const mostPeers = 1_000

/** One that misses three in a row is not counted. */
const aliveSeconds = 18
const isAlive = sql<boolean>`(
  not has_left and seen_at > now() - make_interval(secs => ${aliveSeconds}))`

export interface Workers {
  alive: number
  /** When one was seen last; null when none has been since the database was started. */
  lastSeenAt: Date | null
}

/** Says that a worker is there, with a note for all others; returns theirs. */
export async function announceWorker<Note extends object>(
  database: Database,
  worker: string,
  note: Note,
): Promise<Peer<Note>[]> {
  await sql`
    insert into workers (id, note) values (${worker}, ${JSON.stringify(note)}::jsonb)
    on conflict (id) do update set seen_at = excluded.seen_at, note = excluded.note`.execute(
    database,
  )
  await sql`delete from workers where seen_at < now() - interval '1 day'`.execute(database)
  const { rows } = await sql<Peer<Note>>`
    select note, ${isAlive} as "isAlive",
           (extract(epoch from now() - seen_at) * 1000)::float8 as "silentMs"
    from workers where id <> ${worker} order by seen_at desc limit ${mostPeers}`.execute(database)
  return rows
}

export async function withdrawWorker(database: Database, worker: string): Promise<void> {
  await sql`update workers set has_left = true where id = ${worker}`.execute(database)
}

export async function readWorkers(database: Database): Promise<Workers> {
  const { rows } = await sql<Workers>`
    select (count(*) filter (where ${isAlive}))::int as alive,
           max(seen_at) as "lastSeenAt"
    from workers`.execute(database)
  return rows[0] as Workers
}
