import { sql, type RawBuilder } from 'kysely'
import { isRun, notice, withNotices, ownNumber } from '../../db/fragments.ts'
import { messages, unknownOutcome } from '../run/messages.ts'
import {
  actorTypeOf,
  isoTime,
  snapshotOf,
  usageColumns,
  usageFields,
  type UsageColumn,
} from '../run/fields.ts'
import type { RunEvent } from '../run/step.ts'
import type { Usage } from '../../models/contract.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { execute, run } from '../../db/run.ts'
import type { RunKey } from '../run/run.ts'
import { insertSearchTerms, termsOfCosts } from './search-terms.ts'
import { runTime } from '../run/clock.ts'

/*
 * What every statement that moves runs records beside their rows, in one place so that no statement
 * can leave a part out: events, notices to account streams, webhook deliveries, the outcome of open
 * tool calls of a failed run, and usage. Event sequence numbers are counted on the run's row, under
 * its lock, so they only grow and have no gaps.
 */

/**
 * CTEs for a statement with a CTE `changed`, which has the columns `id`, `account_id`,
 * `last_sequence` (already raised), `events` (a JSON array of `{id, type, data}`), `event_count`
 * and `run`, the whole changed row. A statement that may end runs or steps also has a CTE `ended`
 * (see `countUsage`). Parts that cannot apply are left out: each table that a statement may write costs
 * some 25 µs, even if no row of it changes.
 */
export function recordChange({ mayEnd = false, mayFail = false } = {}): RawBuilder<unknown> {
  return sql`
    logged as (${appendEvents}),
    delivered as (${writeDeliveries})
    ${mayFail ? sql`, abandoned as (${abandonCalls}), withdrawn as (${withdrawRequests})` : sql``}
    ${mayEnd ? sql`, used as (${countUsage})` : sql``}`
}

/** For the RETURNING of a CTE `changed` of one run, whose table has the alias `run`. */
export function changedBy(events: RunEvent[]): RawBuilder<unknown> {
  return sql`account_id, id, last_sequence, run,
    ${events.length}::int as event_count, ${JSON.stringify(events)}::json as events`
}

/** Channel on which the webhook senders of all processes are notified of due deliveries. */
export const deliveryChannel = 'muster_deliveries'

/** For the RETURNING of a statement that makes deliveries due. */
export const deliveryNotice = notice({ channel: deliveryChannel, payload: sql`''` })

/** Channel for threads with a message whose state has changed, or is to be; the payload is the thread. */
export const threadChannel = 'muster_threads'

/** Channel for changed runs, of accounts that have open streams. */
export const changeChannel = 'muster_changes'

/**
 * For the RETURNING of the statement that appends events: names the changed run if its account has
 * open streams. A trailing `p` says that its pending request may have changed.
 */
const changeNotice = notice({
  channel: changeChannel,
  payload: sql`
    events.account_id || ' ' || events.run_id ||
      case when events.type like 'run.%'
             and events.type not in ('run.queued', 'run.started', 'run.completed')
           then ' p' else '' end`,
  watched: sql.ref('events.account_id'),
})

const appendEvents = sql`
  insert into events (account_id, run_id, sequence, id, type, data)
  select changed.account_id, changed.id,
         changed.last_sequence - changed.event_count + event.number,
         event.id, event.type, event.data
  from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
    with ordinality as event (id, type, data, number)
  returning ${changeNotice}`

/**
 * The last part of the statement, after `recordChange`. `ready`: the statement has a CTE of this
 * name that made jobs ready; `turned`: one that wakes threads.
 */
export function endChange<T>(
  query: RawBuilder<T>,
  { ready = false, turned = false } = {},
): RawBuilder<T> {
  const more = [...(ready ? ['ready'] : []), ...(turned ? ['turned'] : [])]
  return withNotices(query, 'logged', 'delivered', ...more)
}

/**
 * Type under which an endpoint receives an event: a cancelled run is a `run.cancelled` for
 * endpoints that subscribe to it, and a `run.failed` for the others.
 */
const sentType = sql`
  case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
         and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
       else event.value ->> 'type' end`

const fileIds = (direction: RunFileDirection): RawBuilder<unknown> => sql`
  coalesce((select jsonb_agg(file_id order by position) from run_files
            where run_files.account_id = changed.account_id and run_files.run_id = changed.id
              and direction = ${sql.lit(direction)}), '[]')`

/** The names of a run's files, by id. */
const fileNames = sql`
  coalesce((select jsonb_object_agg(file_id, name) from run_files
            where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}')`

type RunFileDirection = 'input' | 'output'

/** A delivery for each endpoint that subscribes to an event. */
const writeDeliveries = sql`
  insert into webhook_deliveries
    (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
  select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
         ${sentType}, changed.id,
         case when event.value ->> 'type' = 'tool.requested'
           then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
         else jsonb_build_object(
           ${sql.raw(snapshotOf('(changed.run)'))},
           'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
             select name from workflows where workflows.account_id = changed.account_id
               and workflows.id = (changed.run).workflow_id)),
           'files', jsonb_build_object('inputs', ${fileIds('input')}, 'outputs', ${fileIds('output')}),
           'file_names', ${fileNames},
           'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
             'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
           'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
             'type', ${sql.raw(actorTypeOf('(changed.run).triggered_by'))},
             'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
           'pending', (changed.run).pending::jsonb || jsonb_build_object(
             'created_at', ${sql.raw(isoTime('(changed.run).waiting_since'))},
             'expires_at', ${sql.raw(isoTime('(changed.run).expires_at'))}),
           'sequence',
           changed.last_sequence - changed.event_count + event.number) end
  from changed
  cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
  join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
    and ${sentType} = any (endpoint.events)
    and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
  -- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
  -- statement, and with it the changes of other runs.
  for key share of endpoint
  returning ${deliveryNotice}`

/** `abandon` of `run/ledger.ts`, for the open calls of runs that fail. */
const abandonCalls = sql`
  update tool_calls
  set status = case when tool_calls.status in ('proposed', 'approved') then 'rejected'
                    when sensitive or tool_calls.status = 'unknown' then 'unknown' else 'failed' end,
      output = case when tool_calls.status = 'executing' then ${sql.lit(messages.inFlight)}
                    when tool_calls.status = 'unknown' then ${sql.lit(unknownOutcome)} || coalesce(' (' || unknown_reason || ')', '') else ${sql.lit(messages.ended)} end,
      finished_at = now()
  from (select account_id, id from changed where (run).error_code is not null) as failed
  where ${isRun('tool_calls', 'failed', 'id')} and tool_calls.output is null`

/** Requests of calls to workers, of runs that fail. */
const withdrawRequests = sql`
  update requested_calls
  set status = 'cancelled', due_at = null, lease_expires_at = null, finished_at = now()
  from (select account_id, id from changed where (run).error_code is not null) as failed
  where ${isRun('requested_calls', 'failed', 'id')} and requested_calls.due_at is not null`

/*
 * SQL of the usage of runs: the columns that count it, and the deltas that a statement adds for the
 * runs and steps that it ends. They go to `usage_deltas`, a row for each day, workflow, agent,
 * model and tags, and are folded into daily sums by `server/usage`.
 */

/** A usage as columns of a row. */
export function usageRow(usage: Usage): Record<UsageColumn, number> {
  const row = {} as Record<UsageColumn, number>
  for (const column of usageColumns) row[column] = usage[usageFields[column]]
  return row
}

/** The columns that are not zero, for `typedUsage`. */
export function usedColumns(usage: Usage): Partial<Record<UsageColumn, number>> {
  const row: Partial<Record<UsageColumn, number>> = {}
  for (const column of usageColumns) {
    const count = usage[usageFields[column]]
    if (count !== 0) row[column] = count
  }
  return row
}

/** The columns with their types, for `json_to_recordset`. */
export const typedUsage = sql.raw(
  usageColumns.map((name) => `${name} ${name === 'cost_usd' ? 'numeric' : 'int'}`).join(', '),
)

export function usageOf(table: string): RawBuilder<unknown> {
  return sql.raw(usageColumns.map((name) => `${table}.${name}`).join(', '))
}

export const usageNames = sql.raw(usageColumns.join(', '))

/** Assignments that add the columns of another table of the statement; null is zero. */
export function addUsageFrom(table: string, source: string): RawBuilder<unknown> {
  return sql.raw(
    usageColumns
      .map((name) => `${name} = ${table}.${name} + coalesce(${source}.${name}, 0)`)
      .join(', '),
  )
}

/** Assignments that add a given usage. */
export function addUsageTo(usage: Usage): RawBuilder<unknown> {
  const row = usageRow(usage)
  return sql.join(
    usageColumns.map((name) => sql`${sql.ref(name)} = ${sql.ref(name)} + ${row[name]}`),
  )
}

export function usageValues(usage: Usage): RawBuilder<unknown> {
  return sql.join(Object.values(usageRow(usage)))
}

/** Expression over the table `steps`: the step's usage so far, as `Usage`. */
export const recordedUsage = sql.raw(
  `json_build_object(${usageColumns.map((name) => `'${usageFields[name]}', steps.${name}`).join(', ')})`,
)

const deltaNumber = ownNumber('id', 'muster.usage_deltas_id_seq')

/**
 * Durations are counted in buckets: bucket n starts at this base to the power n, in milliseconds.
 */
export const bucketBase = 1.1

/**
 * Body of a CTE beside `changed` of `recordChange` and `ended`, which has the steps that the
 * statement ends, with the workflow and tags of their run.
 */
const countUsage = sql`
    insert into usage_deltas (${deltaNumber.column}account_id, day, workflow_id, agent_id, model, thread_id, tags, completed, failed,
                              cancelled, steps, tokens_in, tokens_out, cost_usd, calls_without_price, buckets, run_ids)
    select ${deltaNumber.value}account_id, day, workflow_id, agent_id, model, thread_id, tags, sum(completed), sum(failed),
           sum(cancelled), sum(steps), sum(tokens_in), sum(tokens_out), sum(cost_usd), sum(calls_without_price),
           array_agg(bucket) filter (where bucket is not null),
           array_agg(run_id) filter (where run_id is not null)
    from (
      select account_id, id as run_id, ${dayOf(sql`(run).finished_at`)} as day, (run).workflow_id,
             null as agent_id, null as model, (run).thread_id, (run).tags,
             ((run).status = 'completed')::int as completed,
             ((run).status = 'failed' and (run).error_code <> 'cancelled')::int as failed,
             ((run).error_code is not distinct from 'cancelled')::int as cancelled,
             0 as steps, 0 as tokens_in, 0 as tokens_out, 0 as cost_usd, 0 as calls_without_price,
             -- A run that no worker took was cancelled while queued: it took no time.
             case when (run).attempt > 0 then ${bucketOf(sql`
               ${sql.raw(runTime('(run).', '(run).finished_at'))}`)}
             end as bucket
      from changed where (run).finished_at is not null
      union all
      select account_id, null, ${dayOf(sql`finished_at`)}, workflow_id, agent_id, model, thread_id, tags, 0, 0, 0,
             1, tokens_in, tokens_out, cost_usd, calls_without_price,
             ${bucketOf(msBetween(sql`started_at`, sql`finished_at`))}
      from ended
    ) as counted
    group by account_id, day, workflow_id, agent_id, model, thread_id, tags`

function dayOf(time: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${time} at time zone 'UTC')::date`
}

function msBetween(start: RawBuilder<unknown>, end: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`extract(epoch from ${end} - ${start})::float8 * 1000`
}

function bucketOf(ms: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`floor(ln(greatest(${ms}, 1)) / ${sql.lit(Math.log(bucketBase))})::smallint`
}

/**
 * Counts model calls of a step whose worker lost the run before it could record them: on the run,
 * the step and, if the step has ended, its day. Uses no fence, because the calls are billed
 * whichever worker has the run. False if the step no longer exists.
 */
export async function countLate(
  database: Database | Transaction,
  { accountId, runId, position }: RunKey & { position: number },
  usage: Usage,
): Promise<boolean> {
  const { tokensIn, tokensOut, costUsd, callsWithoutPrice } = usage
  const ofStep = sql`
    steps.account_id = ${accountId} and steps.run_id = ${runId} and steps.position = ${position}`
  const query = sql`
    with changed as (
      update runs as run set ${addUsageTo(usage)}
      where account_id = ${accountId} and id = ${runId} and exists (select from steps where ${ofStep})
      returning account_id, id, run
    ), counted as (
      update steps set ${addUsageTo(usage)} from changed where ${ofStep}
      returning steps.agent_id, steps.model, steps.finished_at, (changed.run).workflow_id,
        (changed.run).thread_id, (changed.run).tags
    ), marked as (${insertSearchTerms(termsOfCosts)}), used as (
      insert into usage_deltas (${deltaNumber.column}account_id, day, workflow_id, agent_id, model, thread_id, tags,
                                completed, failed, cancelled, steps, tokens_in, tokens_out, cost_usd, calls_without_price)
      select ${deltaNumber.value}${accountId}, ${dayOf(sql`finished_at`)}, workflow_id, agent_id, model, thread_id, tags,
             0, 0, 0, 0, ${tokensIn}::int, ${tokensOut}::int, ${costUsd}::numeric, ${callsWithoutPrice}::int
      from counted where finished_at is not null
    )
    select 1 as one from counted`
  return (await run(database, accountId, query)).length > 0
}

/** Counts a model call for a thread that belongs to none of its runs, such as that of a summary. */
export async function countOutsideRuns(
  transaction: Transaction,
  { accountId, workflowId, threadId, model, tags }: OutsideRuns,
  { tokensIn, tokensOut, costUsd, callsWithoutPrice }: Usage,
): Promise<void> {
  const query = sql`
    insert into usage_deltas (${deltaNumber.column}account_id, day, workflow_id, agent_id, model, thread_id, tags,
                              completed, failed, cancelled, steps, tokens_in, tokens_out, cost_usd, calls_without_price)
    select ${deltaNumber.value}${accountId}, ${dayOf(sql`now()`)}, ${workflowId}, null, ${model}, ${threadId},
           ${JSON.stringify(tags)}::jsonb, 0, 0, 0, 0, ${tokensIn}::int, ${tokensOut}::int, ${costUsd}::numeric,
           ${callsWithoutPrice}::int`
  await execute(transaction, accountId, query)
}

interface OutsideRuns {
  accountId: string
  workflowId: string
  threadId: string
  model: string
  tags: Record<string, string>
}
