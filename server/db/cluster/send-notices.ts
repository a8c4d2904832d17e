import { sql } from 'kysely'
import { Batcher } from '../batcher.ts'
import type { Database, Transaction } from '../client.ts'

/**
 * A notice that a statement on a node returned: nodes cannot send notices, so the coordinator does.
 */
export interface SentNotice {
  channel: string
  /** Null for the name of the pool. */
  payload: string | null
  /** Sent only while this account is watched. */
  account: string | null
}

/** Sends notices in the open transaction, or else after the statement, batched with others. */
export async function sendNotices(
  database: Database | Transaction,
  notices: SentNotice[],
): Promise<void> {
  if (database.isTransaction) return send(database, notices)
  const { adapter } = database.getExecutor()
  const sender = senders.getOrInsertComputed(
    adapter,
    () =>
      new Batcher<SentNotice[], void>(async (batch) => {
        // The data is committed, so a lost notice is harmless: listeners poll as well.
        await send(database, batch.flat()).catch(() => {})
        return batch.map(() => {})
      }),
  )
  await sender.add(notices)
}

const senders = new WeakMap<object, Batcher<SentNotice[], void>>()

async function send(database: Database | Transaction, notices: SentNotice[]): Promise<void> {
  await sql`
    select pg_notify(channel, coalesce(payload, current_setting('muster.pool', true)))
    from (select distinct * from json_to_recordset(${JSON.stringify(notices)}::json)
            as notice (channel text, payload text, account text)) as notice
    where account is null
       or exists (select 1 from account_watches where account_id = account and until > now())`.execute(
    database,
  )
}
