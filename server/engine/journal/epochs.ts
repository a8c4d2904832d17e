import { sql } from 'kysely'
import type { ClientBase } from 'pg'
import type { RunKey } from '../run/run.ts'
import { endOfWait } from '../run/clock.ts'

/** What a new epoch (`safety/epochs.ts`) changes and reads of runs, over a connection that is not of a pool. */
type Connection = Pick<ClientBase, 'query'>

/** Makes all runs in progress ready again, and fences off their workers: attempts of this epoch are higher. */
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
 * `doubt` of `run/ledger.ts`, for the open calls of all runs. A run that waits for the approval of one is taken again,
 * and then asks for what its call has become. Runs are locked before their calls, as by an answer.
 */
export async function doubtActions(connection: Connection): Promise<void> {
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

/** Which of these events the database has. */
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
 * No attempt of an epoch is as low as one of the epochs before, of which some may have been lost: a
 * worker that still executes a run from then writes nothing.
 */
export const attemptFloor = sql<number>`(select max(number) from epochs) * ${sql.lit(attemptsPerEpoch)}`

export const currentEpoch = sql<number>`(select max(number) from epochs)`

/** What began before this one may have gone further than is known. */
export const doubtEpoch = sql<number>`(
  select coalesce(max(number), 0) from epochs where in_doubt)`
