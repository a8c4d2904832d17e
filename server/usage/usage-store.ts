import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../db/client.ts'
import { bucketBase } from '../engine/state/count-usage.ts'

/**
 * SQL of usage: sums of days, and the deltas that are not in them yet. A statement that counts something adds
 * deltas (`engine/state/count-usage.ts`), `foldUsage` moves them into the sums, and who reads takes both
 * from one snapshot, so that sums are exact at any moment.
 */
const counts = sql.raw(
  ['completed', 'failed', 'cancelled', 'steps', 'tokens_in', 'tokens_out', 'cost_usd'].join(', '),
)
const sums = sql.raw(`sum(completed) as completed, sum(failed) as failed,
  sum(cancelled) as cancelled, sum(steps) as steps, sum(tokens_in) as tokens_in,
  sum(tokens_out) as tokens_out, sum(cost_usd) as cost_usd`)

/** Where the deltas of steps have the duration of the step, and runs do not count. */
const ofSteps = ['agent', 'model']

/** What a delta counts for in a dimension, and its bucket there; a null counts for nothing. */
function placeOf(dimension: string): { value: RawBuilder<unknown>; bucket: RawBuilder<unknown> } {
  const values = {
    day: sql`day::text`,
    workflow: sql`workflow_id`,
    agent: sql`case when model is not null then coalesce(agent_id, '') end`,
    model: sql`model`,
  }
  const value = values[dimension as keyof typeof values] ?? sql`tags ->> ${dimension.slice(4)}`
  const bucket = ofSteps.includes(dimension)
    ? sql`bucket`
    : sql`case when model is null then bucket else -1 end`
  return { value, bucket }
}

const foldBatch = 5_000

/** Moves deltas into the sums of their days. Several processes may do so at once. True when there are more. */
export async function foldUsage(database: Database): Promise<boolean> {
  const places = ['day', 'workflow', 'agent', 'model'].map((dimension) => {
    const { value, bucket } = placeOf(dimension)
    return sql`select ${sql.lit(dimension)}, ${value}, ${bucket}`
  })
  const byTag = sql`
    select 'tag:' || key, value, ${placeOf('tag:').bucket} from jsonb_each_text(tags)`
  const { rows } = await sql<{ count: number }>`
    with taken as (
      delete from usage_deltas where ctid = any(array(
        select ctid from usage_deltas order by account_id, id
        limit ${sql.lit(foldBatch)} for update skip locked))
      returning *
    ), folded as (
      insert into usage_days as sum (account_id, dimension, value, day, bucket, ${counts})
      select account_id, place.dimension, place.value, day, place.bucket, ${sums}
      from taken cross join lateral (
        ${sql.join([...places, byTag], sql` union all `)}
      ) as place (dimension, value, bucket)
      where place.value is not null
      group by 1, 2, 3, 4, 5
      -- In one order, so that two of these do not wait for each other in a circle.
      order by 1, 2, 3, 4, 5
      on conflict (account_id, dimension, value, day, bucket) do update
      set completed = sum.completed + excluded.completed, failed = sum.failed + excluded.failed,
          cancelled = sum.cancelled + excluded.cancelled, steps = sum.steps + excluded.steps,
          tokens_in = sum.tokens_in + excluded.tokens_in,
          tokens_out = sum.tokens_out + excluded.tokens_out,
          cost_usd = sum.cost_usd + excluded.cost_usd
    )
    select count(*)::int as count from taken`.execute(database)
  return rows[0]?.count === foldBatch
}

export type Grouping = 'day' | 'workflow' | 'agent' | 'model' | `tag:${string}`

export interface UsageFilter {
  grouping: Grouping
  /** Days, the first included, the second not. */
  from: string
  to: string
  limit: number
  /** Only values behind this one. */
  after: string | undefined
}

export interface UsageSum {
  /** The day, id or tag; '' where steps have no agent. */
  value: string
  /** Of a workflow or agent that exists. */
  name: string | null
  completed: number
  failed: number
  cancelled: number
  steps: number
  tokens_in: number
  tokens_out: number
  cost_usd: number
  duration_p50_ms: number | null
  duration_p95_ms: number | null
}

/** Sums by value, in the order of the values. */
export async function sumUsage(
  database: Database,
  accountId: string,
  { grouping, from, to, limit, after }: UsageFilter,
): Promise<UsageSum[]> {
  const { value, bucket } = placeOf(grouping)
  const within = sql`account_id = ${accountId} and day >= ${from}::date and day < ${to}::date`
  const behind = after === undefined ? sql`true` : sql`value > ${after}`
  const timed = ofSteps.includes(grouping) ? sql`steps` : sql`completed + failed + cancelled`
  const name = { workflow: sql`workflows`, agent: sql`agents` }[grouping as string]
  const { rows } = await sql<UsageSum>`
    with recent as materialized (
      select ${value} as value, ${bucket} as bucket, ${counts} from usage_deltas where ${within}
    ), page as materialized (
      select value from (
        (select distinct value from usage_days
         where ${within} and dimension = ${grouping} and ${behind} order by value limit ${limit})
        union select value from recent where value is not null and ${behind}
      ) as all_values order by value limit ${limit}
    ), counted as (
      select value, bucket, ${sums},
             sum(case when bucket = -1 then 0 else ${timed} end) as timed
      from (
        select value, bucket, ${counts} from usage_days
        where ${within} and dimension = ${grouping} and ${behind}
          and value <= (select max(value) from page)
        union all
        select * from recent where value in (select value from page)
      ) as facts
      group by value, bucket
    ), ranked as (
      select *, sum(timed) over (partition by value order by bucket)
               / nullif(sum(timed) over (partition by value), 0) as part
      from counted
    )
    select value,
           ${name === undefined ? sql`null` : sql`(
             select name from ${name} where account_id = ${accountId} and id = value)`} as name,
           ${sums}, ${quantile(0.5)} as duration_p50_ms, ${quantile(0.95)} as duration_p95_ms
    from ranked group by value order by value limit ${limit}`.execute(database)
  return rows
}

/**
 * The middle of the bucket where this part of the durations is reached: at most 5 % from the true one, as
 * a bucket's end is 10 % above its start.
 */
function quantile(part: number): RawBuilder<unknown> {
  return sql`
    round(${sql.lit(bucketBase)}::float8 ^ (min(bucket) filter (where part >= ${sql.lit(part)}) + 0.5))`
}
