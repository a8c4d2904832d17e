import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { OwnedTable } from '../db/owned-table.ts'
import type { StoredBudget } from './schema.ts'

/** SQL of budgets for their account; `reserve-store.ts` has the SQL of model calls. */

/** Writes the rows; they are read with the amounts of their windows. */
export const budgets = new OwnedTable('budgets', ['id'])

/**
 * Expression over the table `budgets`: start and end of the window at a time, at midnight in its
 * time zone, correct across clock changes.
 */
export function windowOf(
  time: RawBuilder<unknown>,
): Record<'startsAt' | 'endsAt', RawBuilder<Date>> {
  const first = sql`date_trunc(unit, ${time} at time zone time_zone)`
  return {
    startsAt: sql`${first} at time zone time_zone`,
    endsAt: sql`(${first} + ('1 ' || unit)::interval) at time zone time_zone`,
  }
}
export const { startsAt, endsAt } = windowOf(sql`now()`)

/** Expression over `budgets` and its current row of `budget_windows`: no room for calls until the window ends. */
export const isReached = sql<boolean>`(budget_windows.spent_usd >= budgets.cap_usd
  or coalesce(budget_windows.reached_cap_usd >= budgets.cap_usd, false))`

/** Estimates of the calls in progress that a budget counts. */
export function reservedUsd(table: string): RawBuilder<number> {
  return sql<number>`coalesce((select sum(amount_usd) from budget_reservations as reserved
            where reserved.account_id = ${sql.ref(`${table}.account_id`)}
              and reserved.budget_id = ${sql.ref(`${table}.id`)} and reserved.expires_at > now()), 0)`
}

const columns = sql`
  budgets.id, budgets.name, scope, scope_value, unit as "window", time_zone, cap_usd::float8 as cap_usd,
  thresholds::float8[] as thresholds, on_cap, ${startsAt} as starts_at, ${endsAt} as ends_at,
  coalesce((select spent_usd from budget_windows as spent
            where spent.account_id = budgets.account_id and spent.budget_id = budgets.id
              and spent.starts_at = ${startsAt}), 0)::float8 as spent_usd,
  ${reservedUsd('budgets')}::float8 as reserved_usd,
  coalesce((select ${isReached} from budget_windows
            where budget_windows.account_id = budgets.account_id and budget_windows.budget_id = budgets.id
              and budget_windows.starts_at = ${startsAt}), false) as reached,
  case scope
    when 'workflow' then (select name from workflows where workflows.account_id = budgets.account_id
                            and workflows.id = scope_value)
    when 'agent' then (select name from agents where agents.account_id = budgets.account_id
                         and agents.id = scope_value)
    when 'thread' then (select title from threads where threads.account_id = budgets.account_id
                          and threads.id = scope_value)
  end as scope_name,
  extract(epoch from now() - ${startsAt})::float8 / extract(epoch from ${endsAt} - ${startsAt})::float8
    as passed,
  created_at, updated_at`

type Row = Omit<StoredBudget, 'projected_usd'> & { passed: number }

/** The first minutes of a window say nothing about its end. */
const leastPassed = 0.02

function toBudget({ passed, ...row }: Row): StoredBudget {
  const spent = row.spent_usd
  const projected = passed < leastPassed ? spent : spent / passed
  return { ...row, projected_usd: Number(projected.toFixed(6)) }
}

export async function listBudgets(database: Database, accountId: string): Promise<StoredBudget[]> {
  const { rows } = await sql<Row>`
    select ${columns} from budgets where account_id = ${accountId}
    order by created_at desc, id desc`.execute(database)
  return rows.map(toBudget)
}

export async function findBudget(
  database: Database | Transaction,
  accountId: string,
  id: string,
): Promise<StoredBudget | undefined> {
  const { rows } = await sql<Row>`
    select ${columns} from budgets where account_id = ${accountId} and id = ${id}`.execute(database)
  return rows[0] && toBudget(rows[0])
}

export async function countBudgets(transaction: Transaction, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from budgets where account_id = ${accountId}`.execute(transaction)
  return rows[0]?.count ?? 0
}

/** Sets the amount spent in the current window before the budget existed. */
export async function setSpent(
  transaction: Transaction,
  accountId: string,
  id: string,
  spentUsd: number,
): Promise<void> {
  await sql`
    insert into budget_windows (account_id, budget_id, starts_at, spent_usd)
    select account_id, id, ${startsAt}, ${spentUsd} from budgets
    where account_id = ${accountId} and id = ${id}`.execute(transaction)
}

/** Sets whether the account's model calls need reservations. */
export async function setHasBudgets(
  transaction: Transaction,
  accountId: string,
  hasBudgets: boolean,
): Promise<void> {
  await sql`
    update accounts set has_budgets = ${hasBudgets}
    where id = ${accountId} and has_budgets <> ${hasBudgets}`.execute(transaction)
}

export async function hasThread(
  database: Database,
  accountId: string,
  id: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from threads where account_id = ${accountId} and id = ${id}`.execute(database)
  return rows.length > 0
}
