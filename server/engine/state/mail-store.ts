import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import type { CallKey } from './ledger-store.ts'

/**
 * SQL of the mails that an account's agents sent today (UTC). They are counted in the transaction in which
 * their calls begin, behind the lock of one row, so that no process overshoots; one whose outcome nobody
 * knows stays counted.
 */

/**
 * Counts mails that are about to go out; says how many of them the limit lets through: the account's own, or
 * that of its operator where that is less.
 */
export async function takeMails(
  database: Database | Transaction,
  accountId: string,
  wanted: number,
  limit: number | null,
): Promise<{ taken: number; limit: number }> {
  const { rows } = await sql<{ sent: number; quota: number | null }>`
    insert into mail_counts (account_id, day, sent)
    values (${accountId}, (now() at time zone 'UTC')::date, 0)
    on conflict (account_id) do update
    set sent = case when mail_counts.day < excluded.day then 0 else mail_counts.sent end,
        day = greatest(mail_counts.day, excluded.day)
    returning sent, (select max_mails_a_day from accounts where id = ${accountId}) as quota
    `.execute(database)
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

/** Takes off a mail that surely was not sent, unless the day on which it was counted is over. */
export async function returnMail(
  database: Database,
  { accountId, runId, callId }: CallKey,
): Promise<void> {
  await sql`
    update mail_counts set sent = sent - 1
    from tool_calls
    where mail_counts.account_id = ${accountId} and mail_counts.sent > 0
      and tool_calls.account_id = ${accountId} and tool_calls.run_id = ${runId}
      and tool_calls.id = ${callId}
      and mail_counts.day = (tool_calls.started_at at time zone 'UTC')::date`.execute(database)
}
