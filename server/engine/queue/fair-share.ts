import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/client.ts'
import { statement, type Given, type ValueOf } from '../../db/statement.ts'
import { fanOut, oneOrEach, run, runEach } from '../../db/run.ts'
import { quickCommit } from '../../db/fragments.ts'
import { isFree, type Job } from './jobs.ts'
import { heldBy, leaseEnd } from './leases.ts'

/**
 * Takes ready jobs by fair share. Each account is asked for its oldest jobs by two index probes: those
 * that have begun, and behind them the others. Turns go to the accounts with the least in progress. So
 * an account with 100,000 jobs delays no other, and is not read past while it is at its limit.
 * `docs/decisions/013` has figures.
 */
export interface Fetched {
  jobs: Job[]
  /** Nothing else could be taken now. */
  isAll: boolean
  /** An account is at its limit: it may have more, which begins when one of its jobs ends. */
  isHeld: boolean
}

interface Page extends Fetched {
  /** The account behind which the next page begins; empty after the last one. */
  next: string
}

interface Taking {
  worker: string
  leaseMs: number
  /** Jobs to take, up to. */
  count: number
  /** Jobs of an account in progress over all processes, up to. */
  perAccount: number
  /** Only accounts behind this one. */
  after: string
}

/** Accounts that one statement looks at. */
const accountsPerPage = 200
/** Jobs of one account that a statement takes, up to. */
const jobsPerAccount = 128

/**
 * CTEs: a page of the accounts that have jobs waiting, and of those that nothing holds what they have in progress
 * and may still begin.
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

/** The account behind which the next page begins. */
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
  // There is a row also when nothing was taken.
  const { next, chosen, isHeld } = rows[0] as Row
  const jobs = rows.flatMap(({ accountId, runId }) =>
    accountId === null || runId === null ? [] : [{ accountId, runId }],
  )
  return {
    jobs,
    // When another process takes all that were chosen, this one is not to run after it.
    isAll: chosen < page.count || jobs.length === 0,
    isHeld,
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
      -- A lease need not survive a crash of the server: without it the job is ready again. So
      -- this does not wait for the disk; what the run then writes does.
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

/** Said so that rows are found by their place and not by `jobs_ready`, which has all ready jobs. */
const isReady = heldBy('')

interface Row {
  next: string
  chosen: number
  isHeld: boolean
  accountId: string | null
  runId: string | null
}

/** The oldest ready jobs of the account of a row `share`, begun or not, as many as it has room for. */
function oldest(begun: boolean, count: ValueOf<number> = jobsPerAccount): RawBuilder<unknown> {
  return sql`
    (select * from (
       select ctid as place, begun, ready_at from jobs
       where worker is null and account_id = share.account_id and begun = ${sql.lit(begun)}
         and ready_at <= now()
       order by ready_at limit greatest(0, least(share.room, ${count}::int))) as oldest
     -- A number that the planner sees: it would take the other one for a tenth of all jobs.
     limit ${sql.lit(jobsPerAccount)})`
}

/**
 * The same where the database is distributed: a look into each shard at how much its accounts have waiting and in
 * progress, then a statement for each shard that has accounts which get a turn.
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
  // Jobs that were taken begin, also if the node of another account was lost meanwhile.
  const take = (part: typeof parts) => takeShares(database, taking, part)
  const jobs = await runEach(database, parts, take, { isPartial: true })
  // Shards that have more are gone on with; of the others some accounts are looked at twice.
  const [next = ''] = rows.flatMap((row) => (row.next === '' ? [] : [row.next])).sort()
  return {
    jobs,
    // When another process takes all that were chosen, this one is not to run after it.
    isAll: turns.length < count || jobs.length === 0,
    isHeld: found.some(({ active, ready }) => active + ready >= perAccount),
    next,
  }
}

/** There is a row also where nothing is ready. */
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

/**
 * An account's limit is looked at again in the statement, and all choose among its oldest jobs before they lock
 * any: several processes that take at once have the same in mind, and each job goes to one of them.
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
