import { createHash } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { sql } from 'kysely'
import type { Database, Transaction } from './client.ts'

/** Attempts of people and programs without an account, counted in time windows over all processes. */
export interface AttemptCount {
  attempts: number
  /** Seconds until the window ends. */
  leftSeconds: number
}

/** Counts one more attempt for each subject; returns the counts in order. */
export async function countAttempts(
  database: Database,
  subjects: string[],
  windowSeconds: number,
): Promise<AttemptCount[]> {
  const hashes = subjects.map(hashSubject)
  // Window of a subject; a new one lasts this many seconds.
  const isOpen = sql`
    excluded.window_ends_at - known.window_ends_at < make_interval(secs => ${windowSeconds})`
  const { rows } = await sql<AttemptCount & { subject: Buffer }>`
    insert into sign_in_attempts as known (subject, attempts, window_ends_at)
    select subject, 1, now() + make_interval(secs => ${windowSeconds})
    from unnest(${hashes}::bytea[]) as asked (subject) order by subject
    on conflict (subject) do update set
      attempts = case when ${isOpen} then known.attempts + 1 else 1 end,
      window_ends_at = case when ${isOpen} then known.window_ends_at
                            else excluded.window_ends_at end
    returning subject, attempts,
      extract(epoch from window_ends_at - now())::float8 as "leftSeconds"`.execute(database)
  return hashes.map(
    (hash) => rows.find(({ subject }) => subject.equals(hash)) ?? { attempts: 0, leftSeconds: 0 },
  )
}

export async function forgetAttempts(
  database: Database | Transaction,
  subjects: string[],
): Promise<void> {
  const hashes = subjects.map(hashSubject)
  await sql`
    delete from sign_in_attempts where subject = any(${hashes})`.execute(database)
}

function hashSubject(subject: string): Buffer {
  return createHash('sha256').update(subject).digest()
}

/** An IPv4 address, or the 64 bits of an IPv6 address that one subscriber has to itself. */
export function networkOf(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return address ?? ''
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')
}
