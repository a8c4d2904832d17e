import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { Batcher } from '../../db/batcher.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { run } from '../../db/run.ts'

/**
 * Quotas of an account: the cost of its model calls, its runs and its emails. Usage is counted on
 * one row for each account, so that parallel processes cannot exceed a quota; an account without
 * quotas has no such row and costs nothing.
 */

/** Whether an account's runs are held, and whether the cost of its model calls is counted. */
interface Gate {
  isHeld: boolean
  hasCostQuota: boolean
  hasBudgets: boolean
}

/** Budgets are checked until it is known whether there are any. */
const unknown: Gate = { isHeld: false, hasCostQuota: false, hasBudgets: true }

/**
 * Decides whether a model call of an account may start: not while the account is suspended or has
 * used up its cost quota. Accounts without a quota are read in batches and cached; accounts with
 * one are checked before each call, over all processes.
 */
export class AccountGate {
  readonly #database: Database
  readonly #freshMs: number
  readonly #reads: Batcher<string, Gate | undefined>
  readonly #known = new LRUCache<string, { at: number; gate: Promise<Gate | undefined> }>({
    max: 10_000,
  })

  /**
   * An account's state is cached for `freshMs`, so a suspension takes effect at most that much
   * later.
   */
  constructor(database: Database, freshMs: number) {
    this.#freshMs = freshMs
    this.#database = database
    this.#reads = new Batcher((ids) => readGates(database, ids))
  }

  async mayCall(accountId: string): Promise<boolean> {
    const gate = await this.#gateOf(accountId)
    if (gate === undefined || gate.isHeld) return false
    return !gate.hasCostQuota || mayCost(this.#database, accountId)
  }

  /** Counts the cost of a call, before its answer is written. */
  async count(accountId: string, costUsd: number): Promise<void> {
    if (costUsd === 0) return
    const gate = await this.#gateOf(accountId)
    if (gate?.hasCostQuota === true) await countCost(this.#database, accountId, costUsd)
  }

  /** Whether the account's calls need a budget reservation. */
  async hasBudgets(accountId: string): Promise<boolean> {
    return (await this.#gateOf(accountId))?.hasBudgets === true
  }

  #gateOf(accountId: string): Promise<Gate | undefined> {
    const now = performance.now()
    const known = this.#known.get(accountId)
    if (known !== undefined && now - known.at < this.#freshMs) return known.gate
    // While the database is unavailable the cached state is used: nothing can be written either.
    const gate = this.#reads.add(accountId).catch(() => known?.gate ?? unknown)
    this.#known.set(accountId, { at: now, gate })
    return gate
  }
}

async function readGates(database: Database, accountIds: string[]): Promise<(Gate | undefined)[]> {
  const { rows } = await sql<Gate & { id: string }>`
    select id, coalesce(max_cost_usd_a_day, max_cost_usd_a_month) is not null as "hasCostQuota",
           has_budgets as "hasBudgets",
           exists (select from account_holds
                   where account_id = accounts.id and until > now()) as "isHeld"
    from accounts where id = any(${accountIds})`.execute(database)
  const gates = new Map(rows.map((row) => [row.id, row]))
  return accountIds.map((id) => gates.get(id))
}

const today = sql`(now() at time zone 'UTC')::date`
/** Counts of a past day or month read as zero. */
const isToday = sql`quota_counts.day = ${today}`
const isThisMonth = sql`date_trunc('month', quota_counts.day) = date_trunc('month', ${today})`
/** The same for the existing row of an upsert, where `excluded.day` is today. */
const metToday = sql`quota_counts.day = excluded.day`
const metThisMonth = sql`
  date_trunc('month', quota_counts.day::timestamp) = date_trunc('month', excluded.day::timestamp)`

/** Adds the cost of a model call. */
async function countCost(
  database: Database | Transaction,
  accountId: string,
  costUsd: number,
): Promise<void> {
  await sql`
    insert into quota_counts (account_id, day, runs, cost_usd_of_day, cost_usd_of_month)
    values (${accountId}, ${today}, 0, ${costUsd}, ${costUsd})
    on conflict (account_id) do update
    set day = excluded.day, runs = case when ${metToday} then quota_counts.runs else 0 end,
        cost_usd_of_day = ${costUsd} + case when ${metToday} then quota_counts.cost_usd_of_day else 0 end,
        cost_usd_of_month =
          ${costUsd} + case when ${metThisMonth} then quota_counts.cost_usd_of_month else 0 end
    `.execute(database)
}

/**
 * Whether an account may make another model call; if not, its runs are held until the day or month
 * ends.
 */
async function mayCost(database: Database, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    with used as (
      select ${isThisMonth} and cost_usd_of_month >= max_cost_usd_a_month as "isMonthOver",
             ${isToday} and cost_usd_of_day >= max_cost_usd_a_day as "isDayOver"
      from quota_counts join accounts on accounts.id = account_id where account_id = ${accountId}
    )
    insert into account_holds (account_id, reason, until)
    select ${accountId}, 'cost',
           (case when "isMonthOver" then date_trunc('month', ${today}) + interval '1 month'
                 else ${today} + interval '1 day' end)::timestamp at time zone 'UTC'
    from used where "isMonthOver" or "isDayOver"
    on conflict (account_id, reason) do update set until = excluded.until
    returning until`.execute(database)
  return rows.length === 0
}

type RunQuota = 'counted' | { max: number; what: 'runs a day' | 'stored bytes' }

/**
 * Counts a run that the transaction creates, unless the account has reached its limit of runs or
 * storage.
 */
export async function countRun(transaction: Transaction, accountId: string): Promise<RunQuota> {
  // Creates the row, or resets it for a new day, and locks it.
  await countCost(transaction, accountId, 0)
  // A statement of its own: after the lock it sees what others have counted.
  const { rows } = await sql<{
    runs: number
    max: number | null
    bytes: number | null
    maxBytes: number | null
  }>`
    update quota_counts set runs = runs + 1 from accounts
    where account_id = ${accountId} and accounts.id = account_id
    returning runs, max_runs_a_day as max, stored_bytes as bytes, max_stored_bytes as "maxBytes"
    `.execute(transaction)
  const [row] = rows
  if (row?.max != null && row.runs > row.max) return { max: row.max, what: 'runs a day' }
  if (row?.maxBytes != null && (row.bytes ?? 0) >= row.maxBytes) {
    return { max: row.maxBytes, what: 'stored bytes' }
  }
  return 'counted'
}

/**
 * Counts emails that are about to go out, in the transaction that starts their calls; returns how
 * many of them are within today's limit (UTC), the account's or its operator's, whichever is lower.
 * An email with an unknown outcome stays counted.
 */
export async function takeMails(
  database: Database | Transaction,
  accountId: string,
  wanted: number,
  limit: number | null,
): Promise<{ taken: number; limit: number }> {
  const query = sql<{ sent: number; quota: number | null }>`
    insert into mail_counts (account_id, day, sent)
    values (${accountId}, (now() at time zone 'UTC')::date, 0)
    on conflict (account_id) do update
    set sent = case when mail_counts.day < excluded.day then 0 else mail_counts.sent end,
        day = greatest(mail_counts.day, excluded.day)
    returning sent, (select max_mails_a_day from accounts where id = ${accountId}) as quota`
  const rows = await run(database, accountId, query)
  const { sent = 0, quota = null } = rows[0] ?? {}
  const most = Math.min(limit ?? Infinity, quota ?? Infinity)
  const left = Math.max(0, most - sent)
  const taken = Math.min(wanted, left)
  if (taken > 0) {
    await sql`update mail_counts set sent = sent + ${taken} where account_id = ${accountId}`.execute(
      database,
    )
  }
  return { taken, limit: most }
}
