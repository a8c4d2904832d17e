import { sql } from 'kysely'
import type { Transaction } from '../../db/client.ts'
import type { HumanInTheLoop } from '../../workflows/schema.ts'
import { recordedUsage } from './candidate-store.ts'
import type { PendingRequest } from './pending.ts'
import type { Fence, Usage } from './run.ts'

/** SQL of waits whose time is over. */

export interface ExpiredWait {
  fence: Fence
  pending: PendingRequest
  onTimeout: HumanInTheLoop['on_timeout']
  /** Model of the step that waits. */
  model: string
  recorded: Usage
  /** The time-out that is over. */
  waitedSeconds: number
}

/** Runs whose wait is over, locked until the transaction ends, the oldest first. */
export async function lockExpired(transaction: Transaction, limit: number): Promise<ExpiredWait[]> {
  const { rows } = await sql<Fence & Omit<ExpiredWait, 'fence'>>`
    with expired as materialized (
      select * from runs where expires_at <= now()
      order by expires_at limit ${limit} for update skip locked
    )
    select expired.id as "runId", expired.account_id as "accountId", expired.attempt,
           expired.pending, steps.model, ${recordedUsage} as recorded,
           extract(epoch from expires_at - waiting_since)::float8 as "waitedSeconds",
           definitions.body -> 'humanInTheLoop' ->> 'on_timeout' as "onTimeout"
    from expired
    join definitions on definitions.account_id = expired.account_id
      and definitions.hash = expired.definition_hash
    join steps on steps.run_id = expired.id
      and steps.position = (expired.pending ->> 'step_order')::int`.execute(transaction)
  return rows.map(({ runId, accountId, attempt, ...wait }) => ({
    fence: { runId, accountId, attempt },
    ...wait,
  }))
}
