import { sql } from 'kysely'
import type { ClientBase } from 'pg'
import type { RunKey } from '../run/run.ts'
import { endOfWait } from '../run/clock.ts'

/** SQL on runs for a new epoch (`safety/epochs.ts`), over a dedicated connection. */
type Connection = Pick<ClientBase, 'query'>

/**
 * Makes all claimed runs ready again and fences off their workers by raising each attempt into the
 * new epoch.
 */
export async function releaseAll(connection: Connection, epoch: number): Promise<void> {
  await connection.query(
    `update muster.runs set attempt = greatest(attempt + 1, $1)
       from muster.jobs
       where jobs.worker is not null and runs.account_id = jobs.account_id
         and runs.id = jobs.run_id`,
    [epoch * attemptsPerEpoch],
  )
  await connection.query(
    `update muster.jobs set worker = null, lease_until = null where worker is not null`,
  )
}

/**
 * Marks the open calls of all runs in doubt, as `markInDoubt` of `run/ledger.ts` does. A run that
 * waits for such an approval runs again, and asks anew, this time about the unknown outcome. Runs
 * are locked before their calls, in the same order as by an answer.
 */
export async function markActionsInDoubt(connection: Connection): Promise<void> {
  await connection.query(`
    with asking as (
      update muster.runs
      set status = 'running', pending = null, counted_to = now(), ${endOfWait}
      where status = 'waiting_input' and exists (
        select from muster.tool_calls
        where tool_calls.account_id = runs.account_id and tool_calls.run_id = runs.id
          and (tool_calls.id = runs.pending ->> 'call_id' or exists (
            select from json_array_elements(runs.pending -> 'calls') as call
            where call ->> 'call_id' = tool_calls.id))
          and tool_calls.status = 'proposed' and sensitive)
      returning account_id, id
    )
    insert into muster.jobs (account_id, run_id, begun) select account_id, id, true from asking`)
  await connection.query(`
    update muster.tool_calls
    set status = 'unknown', decision = null, decided_at = null, decided_by = null,
        decider_name = null, reason = null, approvals = null
    from (select account_id, run_id from muster.jobs
          union all
          select account_id, id from muster.runs where status = 'waiting_input') as open
    where tool_calls.account_id = open.account_id and tool_calls.run_id = open.run_id
      and tool_calls.output is null and sensitive
      and tool_calls.status in ('proposed', 'approved')`)
}

/** The given events that the database has. */
export async function findStored(
  connection: Connection,
  events: (RunKey & { id: string })[],
): Promise<{ id: string }[]> {
  const { rows } = await connection.query<{ id: string }>(
    `with input as materialized (
       select * from json_to_recordset($1::json) as input ("accountId" text, "runId" text, id text)
     )
     select events.id from input join muster.events
       on events.account_id = input."accountId" and events.run_id = input."runId" and events.id = input.id`,
    [JSON.stringify(events)],
  )
  return rows
}

const attemptsPerEpoch = 1_000_000

/**
 * Attempts of an epoch are higher than all attempts of earlier epochs, even those that a lossy
 * failover lost. A worker that still executes a run from an earlier epoch therefore cannot write.
 */
export const attemptFloor = sql<number>`(select max(number) from epochs) * ${sql.lit(attemptsPerEpoch)}`

export const currentEpoch = sql<number>`(select max(number) from epochs)`

/** A run of an earlier epoch than this may have progressed further than the database knows. */
export const lastEpochInDoubt = sql<number>`(
  select coalesce(max(number), 0) from epochs where in_doubt)`
