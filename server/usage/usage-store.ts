import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../db/client.ts'
import { bucketBase } from '../engine/journal/record.ts'
import { counts, valueColumns, sums, type countNames, type Grouping } from './counts.ts'

/**
 * SQL of usage: daily sums, and deltas that are not folded yet. A statement that counts something
 * adds deltas (`engine/journal/record.ts`), `foldUsage` folds them into the sums, and readers
 * combine both in one snapshot, so the numbers are always exact.
 */
export interface UsageFilter {
  /** Days such as 2026-11-01, the first included, the last excluded. */
  from: string
  to: string
  grouping: Grouping
  /** Only of this workflow; by day alone. */
  workflowId?: string | undefined
  limit: number
  /** Only values after this one. */
  after: string | undefined
}

export type UsageSum = Record<(typeof countNames)[number], number> & {
  /** The day, id or tag; '' for steps without an agent. */
  value: string
  /** Name of an existing workflow or agent. */
  name: string | null
  duration_p50_ms: number | null
  duration_p95_ms: number | null
}

/** Sums by value, in the order of the values. */
export async function sumUsage(
  database: Database,
  accountId: string,
  filter: UsageFilter,
): Promise<UsageSum[]> {
  const { grouping, limit } = filter
  const { recent, held, ofPage } =
    filter.workflowId === undefined
      ? byValue(accountId, filter)
      : daysOfWorkflow(accountId, filter, filter.workflowId)
  const { rows } = await sql<UsageSum>`
    with recursive recent as materialized (
      select * from (${recent}) as one
      where value is not null and ${behind(filter)}
    ), held (value, number) as (${held}
    ), page as materialized (
      select value from (select value from held union select value from recent) as one
      order by value limit ${limit}
    ), counted as (
      select value, ${sums} from (
        select page.value, sum.* from page cross join lateral (
          select ${counts} from usage_days where ${ofPage}
        ) as sum
        union all select value, ${counts} from recent join page using (value)
      ) as one group by value
    ), ranked as (
      -- As floats, which are exact for these counts and divide far faster.
      select value, bucket, sum(sum(count)) over (partition by value order by bucket)
                            / sum(sum(count)) over (partition by value) as part
      from (
        select page.value, timed.* from page cross join lateral (
          select bucket, sum(count)::float8 as count from usage_durations
          where ${ofPage} group by bucket
        ) as timed
        union all select value, unnest(buckets), 1 from recent join page using (value)
      ) as one group by value, bucket
    ), quantiles as (
      select value, ${quantile(0.5)} as duration_p50_ms, ${quantile(0.95)} as duration_p95_ms
      from ranked group by value
    )
    select counted.*, duration_p50_ms, duration_p95_ms, ${nameColumn(grouping, accountId)} as name
    from counted left join quantiles using (value)
    order by value`.execute(database)
  return rows
}

/** Where the sums of a page are. */
interface Source {
  /** Values with the deltas of their sums. */
  recent: RawBuilder<unknown>
  /** The first values of the sums, each with a number. */
  held: RawBuilder<unknown>
  /** Condition for the sums of `page.value`. */
  ofPage: RawBuilder<unknown>
}

function byValue(accountId: string, filter: UsageFilter): Source {
  const { grouping, limit } = filter
  const inRange = isInRange(accountId, filter)
  const next = (condition: RawBuilder<unknown>) => sql`
    select value from usage_days where ${inRange} and dimension = ${grouping} and ${condition}
    order by value limit 1`
  return {
    recent: sql`select ${valueColumns(grouping)}, ${counts} from usage_deltas where ${inRange}`,
    // One probe of the index for each value, however many days it has.
    held: sql`
      (select value, 1 from (${next(behind(filter))}) as first)
      union all
      select following.value, number + 1
      from held cross join lateral (${next(sql`value > held.value`)}) as following
      where number < ${limit}::int`,
    ofPage: sql`${inRange} and dimension = ${grouping} and value = page.value`,
  }
}

function daysOfWorkflow(accountId: string, filter: UsageFilter, workflowId: string): Source {
  const inRange = isInRange(accountId, filter)
  const ofWorkflow = sql`${inRange} and dimension = 'workflow' and value = ${workflowId}`
  return {
    recent: sql`
      select ${valueColumns('day')}, ${counts} from usage_deltas
      where ${inRange} and workflow_id = ${workflowId}`,
    held: sql`
      select value, 1 from (select day::text as value from usage_days where ${ofWorkflow}) as one
      where ${behind(filter)} order by value limit ${filter.limit}::int`,
    ofPage: sql`${ofWorkflow} and day = page.value::date`,
  }
}

function isInRange(accountId: string, { from, to }: UsageFilter): RawBuilder<unknown> {
  return sql`account_id = ${accountId} and day >= ${from}::date and day < ${to}::date`
}

function behind({ after }: UsageFilter): RawBuilder<unknown> {
  return after === undefined ? sql`true` : sql`value > ${after}`
}

function nameColumn(grouping: Grouping, accountId: string): RawBuilder<unknown> {
  if (grouping === 'thread') {
    return sql`(select title from threads where account_id = ${accountId} and id = value)`
  }
  if (grouping !== 'workflow' && grouping !== 'agent') return sql`null`
  const table = sql.table(`${grouping}s`)
  return sql`(select name from ${table} where account_id = ${accountId} and id = value)`
}

/**
 * A percentile: the middle of the bucket that it falls into. At most 5 % off, because buckets are
 * 10 % wide.
 */
function quantile(part: number): RawBuilder<unknown> {
  return sql`
    round(${sql.lit(bucketBase)}::float8 ^ (min(bucket) filter (where part >= ${sql.lit(part)}) + 0.5))`
}
