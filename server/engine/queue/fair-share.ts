import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/client.ts'
import { statement, type Given, type ValueOf } from '../../db/statement.ts'
import { fanOut, oneOrEach, run, runEach } from '../../db/run.ts'
import { quickCommit } from '../../db/fragments.ts'
import { isFree, type Job, heldBy, leaseEnd } from './jobs.ts'

/**
 * Takes ready jobs by fair share. Two index probes find each account's oldest jobs: first jobs that
 * have started before, then new ones. Jobs are chosen from the accounts with the fewest in
 * progress. So an account with 100,000 jobs does not delay others, and its jobs are not read while
 * it is at its limit. `docs/decisions/013` has figures.
 */
export interface Fetched {
  jobs: Job[]
  /** Nothing else could be taken now. */
  isAll: boolean
  /** The other jobs of such an account can start once one of its jobs ends. */
  hasAccountAtLimit: boolean
}

interface Page extends Fetched {
  /** The last account of this page, as a cursor; empty after the last page. */
  next: string
}

interface Taking {
  worker: string
  leaseMs: number
  /** Maximum number of jobs to take. */
  count: number
  /** Maximum jobs in progress of an account, over all processes. */
  perAccount: number
  /** Only accounts after this one. */
  after: string
}

/** Accounts per statement. */
const accountsPerPage = 200
/** Maximum jobs of one account per statement. */
const jobsPerAccount = 128

/**
 * CTEs: a page of the accounts with waiting jobs and, for those that are not suspended or over
 * quota, how many jobs they have in progress and room for.
 */
function shares({
  perAccount,
  after,
}: {
  perAccount: ValueOf<number>
  after: ValueOf<string>
}): RawBuilder<unknown> {
  return sql`
    waiting (account_id, number) as (
      (select account_id, 1 from jobs where worker is null and account_id > ${after}
       order by account_id limit 1)
      union all
      select (select job.account_id from jobs as job
              where job.worker is null and job.account_id > waiting.account_id
              order by job.account_id limit 1), waiting.number + 1
      from waiting
      where waiting.account_id is not null and waiting.number < ${sql.lit(accountsPerPage)}
    ), active as materialized (
      select account_id, count(*)::int as count from jobs
      where worker is not null group by account_id
    ), share as materialized (
      select waiting.account_id, coalesce(active.count, 0) as active,
             ${perAccount}::int - coalesce(active.count, 0) as room
      from waiting left join active using (account_id)
      where waiting.account_id is not null and ${isFree('waiting')}
    )`
}

/** The cursor for the next page. */
const nextPage = sql`
  case when (select count(*) from waiting) < ${sql.lit(accountsPerPage)} then ''
    else (select max(account_id) from waiting) end`

/** Takes jobs of one page of accounts. */
export function takeJobs(database: Database, page: Taking): Promise<Page> {
  return oneOrEach(database, {
    inOne: () => takeInOne(database, page),
    inEach: () => takeInEach(database, page),
  })
}

async function takeInOne(database: Database, page: Taking): Promise<Page> {
  const { rows } = await taking(page, {}).execute(database)
  // There is a row even if nothing was taken.
  const { next, chosen, isHeld: hasAccountAtLimit } = rows[0] as Row
  const jobs = rows.flatMap(({ accountId, runId }) =>
    accountId === null || runId === null ? [] : [{ accountId, runId }],
  )
  return {
    jobs,
    // If another process took all chosen jobs, this one does not retry at once.
    isAll: chosen < page.count || jobs.length === 0,
    hasAccountAtLimit,
    next,
  }
}

const taking = statement(
  (given: Given<Taking>) => sql<Row>`
    with recursive ${shares(given)},
    chosen as materialized (
      select one.place, one.number = share.room as fills
      from share cross join lateral (
        select place, ready_at, row_number() over (order by begun desc, ready_at) as number
        from (${oldest(true, given.count)} union all ${oldest(false, given.count)}) as few
        order by number limit greatest(0, least(share.room, ${given.count}::int))
      ) as one
      order by share.active + one.number, one.ready_at limit ${given.count}::int
    ), quick as materialized (
      -- A lease need not survive a crash of the server: without it the job is ready again. So this
      -- commit does not wait for the disk; the run's own writes do.
      select ${quickCommit}
    ), taken as (
      update jobs set worker = ${given.worker}, lease_until = ${leaseEnd(given.leaseMs)}, begun = true
      where ctid = any(array(
        select ctid from jobs where ctid = any(array(select place from chosen)) and ${isReady}
        for update skip locked))
      returning account_id, run_id
    )
    select ${nextPage} as next,
           (select count(*)::int from chosen) as chosen,
           exists (select from share where room <= 0)
             or exists (select from chosen where fills) as "isHeld",
           taken.account_id as "accountId", taken.run_id as "runId"
    from quick left join taken on true`,
)

/**
 * Written this way so that rows are found by ctid, and not by the index `jobs_ready`, which has all
 * ready jobs.
 */
const isReady = heldBy('')

interface Row {
  next: string
  chosen: number
  isHeld: boolean
  accountId: string | null
  runId: string | null
}

/** The oldest ready jobs of the account of a row `share`, started before or not, up to its room. */
function oldest(begun: boolean, count: ValueOf<number> = jobsPerAccount): RawBuilder<unknown> {
  return sql`
    (select * from (
       select ctid as place, begun, ready_at from jobs
       where worker is null and account_id = share.account_id and begun = ${sql.lit(begun)}
         and ready_at <= now()
       order by ready_at limit greatest(0, least(share.room, ${count}::int))) as oldest
     -- A literal that the planner sees: without it, it expects a tenth of all jobs.
     limit ${sql.lit(jobsPerAccount)})`
}

/**
 * The same on a distributed database: reads from each shard how many jobs its accounts have waiting
 * and in progress, then takes jobs with one statement for each shard that has chosen accounts.
 */
async function takeInEach(database: Database, taking: Taking): Promise<Page> {
  const { count, perAccount } = taking
  const rows = await fanOut(database, sharesOfShard(taking))
  const found = rows.flatMap(({ accountId, ...share }) =>
    accountId === null ? [] : [{ accountId, ...share }],
  )
  const turns = shareOut(found, count, perAccount)
  const parts = [...Map.groupBy(turns, ({ accountId }) => accountId)].map(
    ([accountId, { length }]) => ({ accountId, count: length }),
  )
  // Jobs that were taken start even if the connection to another account's shard was lost.
  const take = (part: typeof parts) => takeShares(database, taking, part)
  const jobs = await runEach(database, parts, take, { isPartial: true })
  // The smallest cursor of the shards that have more; some accounts of the other shards are read
  // twice.
  const [next = ''] = rows.flatMap((row) => (row.next === '' ? [] : [row.next])).sort()
  return {
    jobs,
    // If another process took all chosen jobs, this one does not retry at once.
    isAll: turns.length < count || jobs.length === 0,
    hasAccountAtLimit: found.some(({ active, ready }) => active + ready >= perAccount),
    next,
  }
}

/** Returns a row even if nothing is ready. */
export function sharesOfShard(
  taking: Pick<Taking, 'count' | 'perAccount' | 'after'>,
): RawBuilder<Share & { accountId: string | null; next: string }> {
  const { count } = taking
  return sql`
    with recursive ${shares(taking)}
    select ${nextPage} as next, share.account_id as "accountId", share.active,
           (select count(*)::int
            from (${oldest(true, count)} union all ${oldest(false, count)}) as few) as ready
    from (select 1) as one left join share on true`
}

interface Share {
  accountId: string
  active: number
  ready: number
}

/** Chooses up to `count` jobs, always from the account with the fewest in progress. */
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

/**
 * The statement checks an account's limit again. It chooses the oldest jobs before it locks any, so
 * processes that fetch at the same time choose the same jobs, and each job goes to one of them.
 */
export async function takeShares(
  database: Database,
  { worker, leaseMs, perAccount }: Pick<Taking, 'worker' | 'leaseMs' | 'perAccount'>,
  shares: { accountId: string; count: number }[],
): Promise<Job[]> {
  const query = sql<Job>`
    update jobs set worker = ${worker}, lease_until = ${leaseEnd(leaseMs)}, begun = true
    where ctid = any(array(select ctid from jobs where worker is null and ctid = any(array(
      select few.place
      from (
        select account_id, least(count, greatest(0, ${perAccount}::int - (
                 select count(*) from jobs as active
                 where active.account_id = asked.account_id and active.worker is not null))) as room
        from unnest(${shares.map(({ accountId }) => accountId)}::text[],
                    ${shares.map(({ count }) => count)}::int[]) as asked (account_id, count)
        offset 0) as share
      cross join lateral (
        select place from (${oldest(true)} union all ${oldest(false)}) as ready
        order by begun desc, ready_at limit share.room) as few))
      for update skip locked))
    returning account_id as "accountId", run_id as "runId"`
  return run(database, shares, query)
}
