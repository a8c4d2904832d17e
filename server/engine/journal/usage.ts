import { sql, type RawBuilder } from 'kysely'
import { ownNumber } from '../../db/fragments.ts'
import type { Usage } from '../../models/contract.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { run } from '../../db/run.ts'
import type { RunKey } from '../run/run.ts'
import { insertSearchTerms, termsOfCosts } from './search-terms.ts'
import { runTime } from '../run/clock.ts'
import { usageColumns, usageFields, type UsageColumn } from '../run/fields.ts'

/**
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
export const countUsage = sql`
    insert into usage_deltas (${deltaNumber.column}account_id, day, workflow_id, agent_id, model, tags, completed, failed,
                              cancelled, steps, tokens_in, tokens_out, cost_usd, buckets, run_ids)
    select ${deltaNumber.value}account_id, day, workflow_id, agent_id, model, tags, sum(completed), sum(failed),
           sum(cancelled), sum(steps), sum(tokens_in), sum(tokens_out), sum(cost_usd),
           array_agg(bucket) filter (where bucket is not null),
           array_agg(run_id) filter (where run_id is not null)
    from (
      select account_id, id as run_id, ${dayOf(sql`(run).finished_at`)} as day, (run).workflow_id,
             null as agent_id, null as model, (run).tags,
             ((run).status = 'completed')::int as completed,
             ((run).status = 'failed' and (run).error_code <> 'cancelled')::int as failed,
             ((run).error_code is not distinct from 'cancelled')::int as cancelled,
             0 as steps, 0 as tokens_in, 0 as tokens_out, 0 as cost_usd,
             -- A run that no worker took was cancelled while queued: it took no time.
             case when (run).attempt > 0 then ${bucketOf(sql`
               ${sql.raw(runTime('(run).', '(run).finished_at'))}`)}
             end as bucket
      from changed where (run).finished_at is not null
      union all
      select account_id, null, ${dayOf(sql`finished_at`)}, workflow_id, agent_id, model, tags, 0, 0, 0,
             1, tokens_in, tokens_out, cost_usd,
             ${bucketOf(msBetween(sql`started_at`, sql`finished_at`))}
      from ended
    ) as counted
    group by account_id, day, workflow_id, agent_id, model, tags`

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
  const { tokensIn, tokensOut, costUsd } = usage
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
        (changed.run).tags
    ), marked as (${insertSearchTerms(termsOfCosts)}), used as (
      insert into usage_deltas (${deltaNumber.column}account_id, day, workflow_id, agent_id, model, tags,
                                completed, failed, cancelled, steps, tokens_in, tokens_out, cost_usd)
      select ${deltaNumber.value}${accountId}, ${dayOf(sql`finished_at`)}, workflow_id, agent_id, model, tags,
             0, 0, 0, 0, ${tokensIn}::int, ${tokensOut}::int, ${costUsd}::numeric
      from counted where finished_at is not null
    )
    select 1 as one from counted`
  return (await run(database, accountId, query)).length > 0
}
