import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { behind, toPage, type Page } from '../db/keyset.ts'
import { channel } from '../engine/queue/jobs.ts'
import { poolName } from '../db/fragments.ts'
import type { PageRequest } from '../http/pagination.ts'
import {
  quotaNames,
  type AccountUse,
  type OperatedAccount,
  type OperatorEntry,
  type UpdateAccount,
} from './schema.ts'

/** SQL of accounts in the operator's view, and of the operator's log. */
const fields = sql`id, name, created_at, suspended_at, suspension_reason, deleted_at,
  case when deleted_at is not null then 'deleting'
       when suspended_at is not null then 'suspended' else 'active' end as status,
  ${sql.join(quotaNames.map((name) => sql.ref(name)))}`

/** Newest first. */
export async function listAccounts(
  database: Database,
  { limit = 50, after }: PageRequest,
): Promise<Page<OperatedAccount>> {
  const { rows } = await sql<OperatedAccount>`
    select ${fields} from accounts where ${behind('created_at', after)}
    order by created_at desc, id desc limit ${limit + 1}::int`.execute(database)
  return toPage(rows, limit, (row) => row.created_at)
}

export async function findAccount(
  database: Database | Transaction,
  id: string,
  lock: RawBuilder<unknown> = sql``,
): Promise<OperatedAccount | undefined> {
  const { rows } = await sql<OperatedAccount>`
    select ${fields} from accounts where id = ${id} ${lock}`.execute(database)
  return rows[0]
}

/** The account must be locked, here and below. */
export function changeAccount(
  transaction: Transaction,
  id: string,
  change: UpdateAccount,
): Promise<OperatedAccount> {
  const changes = Object.entries(change).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  return set(transaction, id, changes.length === 0 ? sql`name = name` : sql.join(changes))
}

export function suspend(
  transaction: Transaction,
  id: string,
  reason: string | null,
): Promise<OperatedAccount> {
  const at = sql`suspended_at = coalesce(suspended_at, (select now()))`
  return set(transaction, id, sql`${at}, suspension_reason = ${reason}`)
}

export function resume(transaction: Transaction, id: string): Promise<OperatedAccount> {
  return set(transaction, id, sql`suspended_at = null, suspension_reason = null`)
}

async function set(
  transaction: Transaction,
  id: string,
  changes: RawBuilder<unknown>,
): Promise<OperatedAccount> {
  const { rows } = await sql<OperatedAccount>`
    update accounts set ${changes} where id = ${id} returning ${fields}`.execute(transaction)
  return rows[0] as OperatedAccount
}

export async function hold(
  transaction: Transaction,
  accountId: string,
  reason: 'suspended' | 'deleted',
): Promise<void> {
  await sql`
    insert into account_holds (account_id, reason, until) values (${accountId}, ${reason}, 'infinity')
    on conflict (account_id, reason) do update set until = excluded.until`.execute(transaction)
}

/** Lets an account's runs continue; workers are notified when the transaction commits. */
export async function endHold(
  transaction: Transaction,
  accountId: string,
  reason: 'suspended' | 'cost',
): Promise<void> {
  await sql`
    delete from account_holds where account_id = ${accountId} and reason = ${reason}`.execute(
    transaction,
  )
  await sql`select pg_notify(${channel}, ${poolName})`.execute(transaction)
}

export async function readUse(
  database: Database,
  accountId: string,
): Promise<AccountUse | undefined> {
  const { rows } = await sql<AccountUse>`
    with today as (select (now() at time zone 'UTC')::date as day)
    select coalesce(counts.runs, 0) as runs_today,
           coalesce(mails.sent, 0) as mails_today,
           coalesce(counts.cost_usd_of_day, 0) as cost_usd_today,
           coalesce(of_month.cost_usd_of_month, 0) as cost_usd_this_month,
           accounts.stored_bytes, accounts.stored_bytes_at, holds.until as held_until
    from accounts cross join today
    left join quota_counts as counts
      on counts.account_id = accounts.id and counts.day = today.day
    left join quota_counts as of_month on of_month.account_id = accounts.id
      and date_trunc('month', of_month.day) = date_trunc('month', today.day)
    left join mail_counts as mails on mails.account_id = accounts.id and mails.day = today.day
    left join account_holds as holds on holds.account_id = accounts.id
      and holds.reason = 'cost' and holds.until > now()
    where accounts.id = ${accountId}`.execute(database)
  return rows[0]
}

export async function insertLog(
  transaction: Transaction,
  entry: Omit<OperatorEntry, 'created_at'>,
): Promise<void> {
  const { id, action, object_id, before, after, address, request_id } = entry
  await sql`
    insert into operator_log (id, action, object_id, before, after, address, request_id)
    values (${id}, ${action}, ${object_id}, ${JSON.stringify(before)}::jsonb,
            ${JSON.stringify(after)}::jsonb, ${address}, ${request_id})
    on conflict (id) do nothing`.execute(transaction)
}

/** Newest first. */
export async function listLog(
  database: Database,
  { limit = 50, after }: PageRequest,
): Promise<Page<OperatorEntry>> {
  const { rows } = await sql<OperatorEntry>`
    select id, created_at, action, object_id, before, after, address, request_id
    from operator_log where ${behind('created_at', after)}
    order by created_at desc, id desc limit ${limit + 1}::int`.execute(database)
  return toPage(rows, limit, (row) => row.created_at)
}
