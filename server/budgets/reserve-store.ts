import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import type { WebhookEventType } from '../sends/webhooks/schema.ts'
import type { Budget } from './schema.ts'
import { endsAt, isReached, reservedUsd, startsAt } from './store.ts'

/** SQL of model calls that count against budgets. */

/** The facts about a model call by which budgets select it. */
export interface Subject {
  accountId: string
  workflowId: string
  agentId: string | null
  /** The thread of which its run is a turn. */
  threadId?: string | null
  tags: Record<string, string> | null
}

/** A reservation counts this long after its last renewal. */
const leaseSeconds = 60

export interface ReachedBudget extends Pick<
  Budget,
  'id' | 'name' | 'cap_usd' | 'on_cap' | 'window'
> {
  spent_usd: number
  /** Estimates of calls in progress. */
  reserved_usd: number
  ends_at: Date
}

/** A budget without room for a call. */
export interface FullBudget extends ReachedBudget {
  /** It has room once calls in progress have ended: only their estimates are in the way. */
  isBusy: boolean
}

/**
 * Reserves a call's estimate with each budget that counts it, or with none: then returns the
 * budgets that lack room. The windows are locked in order, so calls of all processes are
 * serialized. `announce` is told of budgets that are reached by this, in the same transaction.
 */
export async function reserve(
  database: Database,
  subject: Subject,
  callId: string,
  { estimateUsd, passed }: { estimateUsd: number; passed: Budget['on_cap'][] },
  announce: (transaction: Transaction, passed: Passed[]) => Promise<void>,
): Promise<{ count: number; full: FullBudget[] }> {
  const { accountId } = subject
  return database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ budget_id: string }>`
      insert into budget_windows (account_id, budget_id, starts_at)
      select account_id, id, ${startsAt} from budgets
      -- A budget is locked before its windows, as when it is deleted.
      where ${counts(subject)}
      order by account_id, id for key share
      on conflict (account_id, budget_id, starts_at) do update set spent_usd = budget_windows.spent_usd
      returning budget_id`.execute(transaction)
    if (rows.length === 0) return { count: 0, full: [] }
    const ids = rows.map((row) => row.budget_id)
    const all = await findFull(transaction, accountId, ids, estimateUsd)
    const reached = all.flatMap(({ id, isBusy }) => (isBusy ? [] : [id]))
    if (reached.length > 0)
      await announce(transaction, await markReached(transaction, accountId, reached))
    const full = all.filter(({ on_cap }) => !passed.includes(on_cap))
    if (full.length === 0) {
      await sql`
        insert into budget_reservations (account_id, id, budget_id, starts_at, amount_usd, expires_at)
        select account_id, ${callId}, id, ${startsAt}, ${estimateUsd},
               now() + ${leaseSeconds}::int * interval '1 second'
        from budgets where account_id = ${accountId} and id = any(${ids})`.execute(transaction)
    }
    return { count: ids.length, full }
  })
}

/** Condition on the table `budgets`: those that count a call. */
function counts({
  accountId,
  workflowId,
  agentId,
  threadId = null,
  tags,
}: Subject): RawBuilder<boolean> {
  const pairs = Object.entries(tags ?? {}).map(([key, value]) => `${key}:${value}`)
  return sql<boolean>`budgets.account_id = ${accountId}
        and (scope = 'account' or scope = 'workflow' and scope_value = ${workflowId}
             or scope = 'agent' and scope_value = ${agentId}
             or scope = 'thread' and scope_value = ${threadId}
             or scope = 'tag' and scope_value = any(${pairs}))`
}

/**
 * Remembers, for the current window, that budgets had no room for a call at their present cap. Returns those that were
 * not reached before.
 */
async function markReached(
  transaction: Transaction,
  accountId: string,
  ids: string[],
): Promise<Passed[]> {
  const { rows } = await sql<{ budget_id: string }>`
    update budget_windows as reached set reached_cap_usd = budgets.cap_usd
    from budgets
    where reached.account_id = ${accountId} and reached.budget_id = any(${ids})
      and budgets.account_id = ${accountId} and budgets.id = reached.budget_id
      and reached.starts_at = ${startsAt}
      and reached.spent_usd < budgets.cap_usd
      and (reached.reached_cap_usd is null or reached.reached_cap_usd < budgets.cap_usd)
    returning reached.budget_id`.execute(transaction)
  return rows.map(({ budget_id }) => ({ type: 'budget.reached', share: 1, budget_id }))
}

/** A reached budget that refuses further runs; undefined if there is none. */
export async function findReached(
  database: Database,
  subject: Subject,
): Promise<ReachedBudget | undefined> {
  const { rows } = await sql<ReachedBudget>`
    select budgets.id, name, unit as "window", cap_usd::float8 as cap_usd, on_cap, spent_usd::float8 as spent_usd,
           ${reservedUsd('budgets')}::float8 as reserved_usd, ${endsAt} as ends_at
    from budgets
    join budget_windows on budget_windows.account_id = budgets.account_id
      and budget_windows.budget_id = budgets.id and budget_windows.starts_at = ${startsAt}
    where ${counts(subject)} and on_cap = 'refuse' and ${isReached}
    order by budgets.id limit 1`.execute(database)
  return rows[0]
}

/** A statement of its own: after the lock it sees what others have reserved. */
async function findFull(
  transaction: Transaction,
  accountId: string,
  ids: string[],
  estimateUsd: number,
): Promise<FullBudget[]> {
  const { rows } = await sql<FullBudget>`
    select id, name, unit as "window", cap_usd::float8 as cap_usd, on_cap, spent_usd::float8 as spent_usd,
           reserved::float8 as reserved_usd, ${endsAt} as ends_at,
           spent_usd < cap_usd and spent_usd + ${estimateUsd} <= cap_usd as "isBusy"
    from (
      select budgets.*, budget_windows.spent_usd, ${reservedUsd('budgets')} as reserved
      from budgets
      join budget_windows on budget_windows.account_id = budgets.account_id
        and budget_windows.budget_id = budgets.id and budget_windows.starts_at = ${startsAt}
      where budgets.account_id = ${accountId} and budgets.id = any(${ids})) as budget
    where spent_usd >= cap_usd or spent_usd + reserved + ${estimateUsd} > cap_usd
    order by id`.execute(transaction)
  return rows
}

/** Renews the reservation of a call in progress. */
export async function renew(database: Database, accountId: string, callId: string): Promise<void> {
  await sql`
    update budget_reservations set expires_at = now() + ${leaseSeconds}::int * interval '1 second'
    where account_id = ${accountId} and id = ${callId}`.execute(database)
}

/** A threshold or cap that a budget has reached with a call. */
export interface Passed {
  type: Extract<WebhookEventType, 'budget.threshold' | 'budget.reached'>
  share: number
  budget_id: string
}

/** Replaces a call's estimate by its cost. */
export async function replaceByCost(
  transaction: Transaction,
  accountId: string,
  callId: string,
  costUsd: number,
): Promise<Passed[]> {
  await sql`
    select from budgets where account_id = ${accountId} and id in (
      select budget_id from budget_reservations where account_id = ${accountId} and id = ${callId})
    order by id for key share`.execute(transaction)
  const { rows: reserved } = await sql<{ budget_id: string; starts_at: Date }>`
    delete from budget_reservations
    where account_id = ${accountId} and (id = ${callId} or expires_at < now() - interval '1 hour')
    returning budget_id, starts_at, id`.execute(transaction)
  const ours = reserved.filter((row) => (row as { id?: string }).id === callId)
  if (ours.length === 0 || costUsd === 0) return []
  const { rows } = await sql<{
    budget_id: string
    before: number
    after: number
    cap: number
    wasReached: boolean
    thresholds: number[]
  }>`
    update budget_windows as spent set spent_usd = spent.spent_usd + ${costUsd}
    from (select account_id, id, cap_usd, thresholds from budgets
          where account_id = ${accountId}) as budget
    where spent.account_id = ${accountId} and budget.id = spent.budget_id
      and (spent.budget_id, spent.starts_at) in (
        select * from unnest(${ours.map((row) => row.budget_id)}::text[],
                             ${ours.map((row) => row.starts_at)}::timestamptz[]))
    returning spent.budget_id, (spent.spent_usd - ${costUsd})::float8 as before,
              spent.spent_usd::float8 as after, budget.cap_usd::float8 as cap,
              spent.reached_cap_usd is not null and spent.reached_cap_usd >= budget.cap_usd as "wasReached",
              budget.thresholds::float8[] as thresholds`.execute(transaction)
  return rows.flatMap(({ budget_id, before, after, cap, wasReached, thresholds }) =>
    [...thresholds, ...(wasReached ? [] : [1])]
      .filter((share) => before < share * cap && after >= share * cap)
      .map((share) => ({
        type: share < 1 ? 'budget.threshold' : 'budget.reached',
        share,
        budget_id,
      })),
  )
}
