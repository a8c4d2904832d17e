import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { eachAccount, inScope } from '../db/run.ts'
import { batch, lockPruning } from './store.ts'

/**
 * Deletes what is left of deleted endpoints: up to 1,000 deliveries of one, whatever their age and
 * status or, once there are none, the endpoint itself. Returns how many rows.
 */
export function pruneDeletedEndpoints(database: Database): Promise<number> {
  const deleted = sql`webhook_endpoints where deleted_at is not null`
  return eachAccount(database, deleted, (scope) =>
    database.transaction().execute(async (transaction) => {
      if (!(await lockPruning(transaction))) return 0
      const { rows } = await sql<{ accountId: string; id: string }>`
        select account_id as "accountId", id from ${deleted}${inScope('webhook_endpoints', scope)}
        order by account_id, id limit 1`.execute(transaction)
      return rows[0] === undefined ? 0 : pruneEndpoint(transaction, rows[0])
    }),
  )
}

async function pruneEndpoint(
  transaction: Transaction,
  { accountId, id }: { accountId: string; id: string },
): Promise<number> {
  const history = await sql`
    delete from webhook_deliveries
    where account_id = ${accountId} and id = any(array(
      select id from webhook_deliveries where account_id = ${accountId} and endpoint_id = ${id}
      -- In this order the index by endpoint is used, not the one of the whole account.
      order by status, created_at desc, id desc limit ${sql.lit(batch)}))`.execute(transaction)
  const deleted = Number(history.numAffectedRows ?? 0)
  if (deleted > 0) return deleted
  // A statement that started before the deletion may still write a delivery, which is deleted with
  // the endpoint.
  const endpoint = await sql`
    delete from webhook_endpoints where account_id = ${accountId} and id = ${id}`.execute(
    transaction,
  )
  return Number(endpoint.numAffectedRows ?? 0)
}
