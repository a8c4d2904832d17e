import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'

/** Who carries runs: each process that does says so now and then, whether or not it has any. */
export const announceEveryMs = 5_000

/** One that misses three in a row is not counted. */
const aliveSeconds = 18

export interface Workers {
  alive: number
  /** When one was seen last; null when none has been since the database was started. */
  lastSeenAt: Date | null
}

export async function announceWorker(database: Database, worker: string): Promise<void> {
  await sql`
    insert into workers (id) values (${worker})
    on conflict (id) do update set seen_at = excluded.seen_at`.execute(database)
  await sql`delete from workers where seen_at < now() - interval '1 day'`.execute(database)
}

export async function withdrawWorker(database: Database, worker: string): Promise<void> {
  await sql`update workers set has_left = true where id = ${worker}`.execute(database)
}

export async function readWorkers(database: Database): Promise<Workers> {
  const { rows } = await sql<Workers>`
    select (count(*) filter (where not has_left
              and seen_at > now() - make_interval(secs => ${aliveSeconds})))::int as alive,
           max(seen_at) as "lastSeenAt"
    from workers`.execute(database)
  return rows[0] as Workers
}
