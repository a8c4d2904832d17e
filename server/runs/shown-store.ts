import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { execute } from '../db/run.ts'

/** SQL of the requests that those who may answer were shown last, one row a run and person or key. */
export interface Shown {
  runId: string
  pendingId: string
}

/**
 * Records what somebody is about to be shown. What their run no longer waits for is recorded only where
 * nothing is, so that one who reads late does not lose what they have seen since.
 */
export async function recordShown(
  database: Database,
  accountId: string,
  actorId: string,
  shown: Shown[],
): Promise<void> {
  const query = sql`
    insert into shown_requests (account_id, run_id, actor_id, pending_id)
    select runs.account_id, runs.id, ${actorId}, shown.pending_id
    from unnest(${shown.map(({ runId }) => runId)}::text[],
                ${shown.map(({ pendingId }) => pendingId)}::text[]) as shown (run_id, pending_id)
    join runs on runs.account_id = ${accountId} and runs.id = shown.run_id
    on conflict (account_id, run_id, actor_id) do update set pending_id = excluded.pending_id
    where exists (select from runs
                  where runs.account_id = excluded.account_id and runs.id = excluded.run_id
                    and runs.pending ->> 'id' = excluded.pending_id)`
  await execute(database, accountId, query)
}

export async function findShown(
  transaction: Transaction,
  accountId: string,
  runId: string,
  actorId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ pending_id: string }>`
    select pending_id from shown_requests
    where account_id = ${accountId} and run_id = ${runId} and actor_id = ${actorId}`.execute(
    transaction,
  )
  return rows[0]?.pending_id
}
