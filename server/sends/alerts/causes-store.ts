import { sql } from 'kysely'
import type { Transaction } from '../../db/client.ts'

/**
 * SQL that finds the causes of alerts other than runs: resources whose state changed after a time.
 */
export interface Cause {
  name: string
  why: string | null
}

const atMost = 100

export async function findMissedFirings(
  transaction: Transaction,
  accountId: string,
  { since, workflowIds }: { since: Date; workflowIds: string[] | null },
): Promise<Cause[]> {
  const { rows } = await sql<Cause>`
    select schedules.name, 'due at ' ||
             to_char(due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') ||
             coalesce(': ' || firing.why, '') as why
    from schedules cross join lateral (
      select * from schedule_firings
      where schedule_firings.account_id = schedules.account_id
        and schedule_firings.schedule_id = schedules.id
      order by number desc limit ${sql.lit(atMost)}) as firing
    where schedules.account_id = ${accountId} and firing.status = 'missed'
      and coalesce(firing.settled_at, firing.created_at) > ${since}
      and (${workflowIds}::text[] is null or workflow_id = any (${workflowIds}::text[]))
    order by firing.due_at limit ${sql.lit(atMost)}`.execute(transaction)
  return rows
}

export async function findDisabledWebhooks(
  transaction: Transaction,
  accountId: string,
  { since }: { since: Date },
): Promise<Cause[]> {
  const { rows } = await sql<Cause>`
    select coalesce(description, regexp_replace(url, '[?].*', '')) as name, disabled_reason as why
    from webhook_endpoints
    where account_id = ${accountId} and disabled_at > ${since} and deleted_at is null
    order by disabled_at limit ${sql.lit(atMost)}`.execute(transaction)
  return rows
}

export async function findFailingConnections(
  transaction: Transaction,
  accountId: string,
  { since }: { since: Date },
): Promise<Cause[]> {
  const { rows } = await sql<Cause>`
    select name, why from (
      select 'Connector ' || id as name, check_message as why, failing_since from connectors
      where account_id = ${accountId}
      union all
      select 'Model provider ' || coalesce(label, id), check_message, failing_since
      from model_providers where account_id = ${accountId}
      union all
      select 'Channel ' || name, check_message, failing_since from channels
      where account_id = ${accountId}
      union all
      select 'Login of ' || users.name || ' at ' || connector_id, why, needs_login_since
      from connector_logins join users on users.id = user_id
      where account_id = ${accountId} and needs_login_since is not null
    ) as connection
    where failing_since > ${since} order by failing_since limit ${sql.lit(atMost)}`.execute(
    transaction,
  )
  return rows
}

/** Models that workflows name. */
export async function listNamedModels(
  transaction: Transaction,
  accountId: string,
): Promise<string[]> {
  const { rows } = await sql<{ model: string }>`
    select distinct model from (
      select model from workflows where account_id = ${accountId}
      union all
      select entry ->> 'model' from workflows, jsonb_array_elements(crew) as entry
      where account_id = ${accountId}
    ) as named where model is not null limit 1000`.execute(transaction)
  return rows.map(({ model }) => model)
}

/** Budgets that have reached a threshold or their cap in the current window. `key` changes with the level. */
export async function findReachedBudgets(
  transaction: Transaction,
  accountId: string,
): Promise<(Cause & { key: string })[]> {
  const { rows } = await sql<Cause & { key: string }>`
    select name, round(spent_usd, 2) || ' of ' || round(cap_usd, 2) || ' USD spent this ' || unit as why,
           id || ' ' || starts_at::text || ' ' || reached as key
    from (
      select budgets.*, latest.starts_at, latest.spent_usd, (
        select max(share) from unnest(thresholds || 1::numeric) as share
        where latest.spent_usd >= share * cap_usd) as reached
      from budgets cross join lateral (
        select starts_at, spent_usd from budget_windows
        where budget_windows.account_id = budgets.account_id and budget_id = budgets.id
        order by starts_at desc limit 1) as latest
      where budgets.account_id = ${accountId}
        and latest.starts_at + ('1 ' || unit)::interval > now()
    ) as budget
    where reached is not null order by id limit ${sql.lit(atMost)}`.execute(transaction)
  return rows
}
