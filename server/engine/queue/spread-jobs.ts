import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import { isFree, type Job } from './jobs.ts'
import { leaseEnd } from './leases.ts'
import type { Page, Taking } from './ready-jobs.ts'

/**
 * The fair share of `ready-jobs.ts` where the database is distributed: one look over all shards at how much
 * each account has waiting and in progress, then a statement for each account that gets a turn, on its node.
 */
export async function takeSpreadJobs(database: Database, taking: Taking): Promise<Page> {
  const { count, perAccount } = taking
  const { rows } = await sql<Share>`
    select account_id as "accountId", count(*) filter (where worker is not null)::int as active,
           count(*) filter (where worker is null and ready_at <= now())::int as ready
    from jobs where ${isFree('jobs')} group by account_id
    having count(*) filter (where worker is null and ready_at <= now()) > 0`.execute(database)
  const turns = shareOut(rows, count, perAccount)
  const parts = [...Map.groupBy(turns, ({ accountId }) => accountId)].map(([accountId, own]) =>
    takeOf(database, taking, accountId, own.length),
  )
  const jobs = (await Promise.all(parts)).flat()
  return {
    jobs,
    // When another process takes all that were chosen, this one is not to run after it.
    isAll: turns.length < count || jobs.length === 0,
    isHeld: rows.some(({ active, ready }) => active + ready >= perAccount),
    next: '',
  }
}

interface Share {
  accountId: string
  active: number
  ready: number
}

/** Turns go to the accounts with the least in progress, up to `count`. */
export function shareOut(
  shares: Share[],
  count: number,
  perAccount: number,
): { accountId: string }[] {
  return shares
    .flatMap(({ accountId, active, ready }) =>
      Array.from(
        { length: Math.max(0, Math.min(ready, perAccount - active, count)) },
        (_, number) => ({ accountId, turn: active + number }),
      ),
    )
    .sort((a, b) => a.turn - b.turn)
    .slice(0, count)
}

async function takeOf(
  database: Database,
  { worker, leaseMs }: Taking,
  accountId: string,
  count: number,
): Promise<Job[]> {
  const { rows } = await sql<Job>`
    update jobs set worker = ${worker}, lease_until = ${leaseEnd(leaseMs)}, begun = true
    where account_id = ${accountId} and ctid = any(array(
      select ctid from jobs
      where account_id = ${accountId} and worker is null and ready_at <= now()
      order by begun desc, ready_at limit ${count} for update skip locked))
    returning account_id as "accountId", run_id as "runId"`.execute(database)
  return rows
}
