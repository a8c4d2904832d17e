import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../db/client.ts'
import { bucketBase } from '../engine/state/count-usage.ts'

/**
 * SQL of usage: sums of days, and the deltas that are not in them yet. A statement that counts something adds
 * deltas (`engine/state/count-usage.ts`), `foldUsage` moves them into the sums, and who reads takes both
 * from one snapshot, so that sums are exact at any moment.
 */
export type Grouping = 'day' | 'workflow' | 'agent' | 'model' | `tag:${string}`

const countNames = [
  'completed',
  'failed',
  'cancelled',
  'steps',
  'tokens_in',
  'tokens_out',
  'cost_usd',
] as const
const counts = sql.raw(countNames.join(', '))
const sums = sql.raw(countNames.map((name) => `sum(${name}) as ${name}`).join(', '))

/** What a delta counts for in a dimension, where null is nothing, and the durations it has there. */
function placeOf(dimension: string): RawBuilder<unknown> {
  switch (dimension) {
    case 'day':
      return sql`day::text as value, ${ofRuns} as buckets`
    case 'workflow':
      return sql`workflow_id as value, ${ofRuns} as buckets`
    case 'agent':
      return sql`case when model is not null then coalesce(agent_id, '') end as value, buckets`
    case 'model':
      return sql`model as value, buckets`
    default:
      return sql`tags ->> ${dimension.slice('tag:'.length)} as value, ${ofRuns} as buckets`
  }
}

const ofRuns = sql`case when model is null then buckets end`

const foldBatch = 5_000

/** Moves deltas into the sums of their days. Several processes may do so at once. True when there are more. */
export async function foldUsage(database: Database): Promise<boolean> {
  const places = ['day', 'workflow', 'agent', 'model'].map(
    (dimension) => sql`select ${sql.lit(dimension)} as dimension, ${placeOf(dimension)}`,
  )
  // Two of these at once take other deltas each, and sums in one order, so neither waits for the other in
  // a circle.
  const { rows } = await sql<{ count: number }>`
    with taken as (
      delete from usage_deltas where ctid = any(array(
        select ctid from usage_deltas order by account_id, id
        limit ${sql.lit(foldBatch)} for update skip locked))
      returning *
    ), placed as materialized (
      select account_id, place.dimension, place.value, day, place.buckets, ${counts}
      from taken cross join lateral (
        ${sql.join(places, sql` union all `)}
        union all select 'tag:' || key, value, ${ofRuns} from jsonb_each_text(tags)
      ) as place
      where place.value is not null
    ), summed as (
      insert into usage_days as sum (account_id, dimension, value, day, ${counts})
      select account_id, dimension, value, day, ${sums} from placed
      group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (account_id, dimension, value, day) do update
      set ${sql.raw(countNames.map((name) => `${name} = sum.${name} + excluded.${name}`).join(', '))}
    ), timed as (
      insert into usage_durations as timed (account_id, dimension, value, day, bucket, count)
      select account_id, dimension, value, day, bucket, count(*) from placed, unnest(buckets) as bucket
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      on conflict (account_id, dimension, value, day, bucket) do update
      set count = timed.count + excluded.count
    )
    select count(*)::int as count from taken`.execute(database)
  return rows[0]?.count === foldBatch
}

export interface UsageFilter {
  grouping: Grouping
  /** Days, the first included, the second not. */
  from: string
  to: string
  limit: number
  /** Only values behind this one. */
  after: string | undefined
}

export type UsageSum = Record<(typeof countNames)[number], number> & {
  /** The day, id or tag; '' where steps have no agent. */
  value: string
  /** Of a workflow or agent that exists. */
  name: string | null
  duration_p50_ms: number | null
  duration_p95_ms: number | null
}

/** Sums by value, in the order of the values. */
export async function sumUsage(
  database: Database,
  accountId: string,
  { grouping, from, to, limit, after }: UsageFilter,
): Promise<UsageSum[]> {
  const inRange = sql`account_id = ${accountId} and day >= ${from}::date and day < ${to}::date`
  const behind = after === undefined ? sql`true` : sql`value > ${after}`
  const folded = sql`${inRange} and dimension = ${grouping} and ${behind}`
  const onPage = sql`${folded} and value <= (select max(value) from page)`
  const { rows } = await sql<UsageSum>`
    with recent as materialized (
      select * from (select ${placeOf(grouping)}, ${counts} from usage_deltas where ${inRange}) as one
      where value is not null and ${behind}
    ), page as materialized (
      select value from (
        (select distinct value from usage_days where ${folded} order by value limit ${limit})
        union select value from recent
      ) as one order by value limit ${limit}
    ), counted as (
      select value, ${sums} from (
        select value, ${counts} from usage_days where ${onPage}
        union all select value, ${counts} from recent
      ) as one group by value
    ), ranked as (
      select value, bucket, sum(sum(count)) over (partition by value order by bucket)
                            / sum(sum(count)) over (partition by value) as part
      from (
        select value, bucket, count from usage_durations where ${onPage}
        union all select value, unnest(buckets), 1 from recent
      ) as one group by value, bucket
    ), quantiles as (
      select value, ${quantile(0.5)} as duration_p50_ms, ${quantile(0.95)} as duration_p95_ms
      from ranked group by value
    )
    select counted.*, duration_p50_ms, duration_p95_ms, ${nameOf(grouping, accountId)} as name
    from counted join page using (value) left join quantiles using (value)
    order by value`.execute(database)
  return rows
}

function nameOf(grouping: Grouping, accountId: string): RawBuilder<unknown> {
  if (grouping !== 'workflow' && grouping !== 'agent') return sql`null`
  const table = sql.table(`${grouping}s`)
  return sql`(select name from ${table} where account_id = ${accountId} and id = value)`
}

/**
 * The middle of the bucket where this part of the durations is reached: at most 5 % from the true one, as
 * a bucket's end is 10 % above its start.
 */
function quantile(part: number): RawBuilder<unknown> {
  return sql`
    round(${sql.lit(bucketBase)}::float8 ^ (min(bucket) filter (where part >= ${sql.lit(part)}) + 0.5))`
}
