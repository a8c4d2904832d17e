import { sql, type RawBuilder } from 'kysely'

/** SQL shared by all statements of usage: what is counted, and how sums are updated. */
export type Grouping = 'day' | 'workflow' | 'agent' | 'model' | 'thread' | `tag:${string}`

export const countNames = [
  'completed',
  'failed',
  'cancelled',
  'steps',
  'tokens_in',
  'tokens_out',
  'cost_usd',
  'calls_without_price',
] as const
export const counts = sql.raw(countNames.join(', '))
export const sums = sql.raw(countNames.map((name) => `sum(${name}) as ${name}`).join(', '))

/** `on conflict` clauses that add to existing sums. */
export const addToSums = sql`
  on conflict (account_id, dimension, value, day) do update
  set ${sql.raw(countNames.map((name) => `${name} = sum.${name} + excluded.${name}`).join(', '))}`
export const addToDurations = sql`
  on conflict (account_id, dimension, value, day, bucket) do update
  set count = timed.count + excluded.count`

/** A delta's value in a dimension, null for none, and its durations. */
export function valueColumns(dimension: string): RawBuilder<unknown> {
  switch (dimension) {
    case 'day':
      return sql`day::text as value, ${bucketsOfRuns} as buckets`
    case 'workflow':
      return sql`workflow_id as value, ${bucketsOfRuns} as buckets`
    case 'agent':
      return sql`case when model is not null then coalesce(agent_id, '') end as value, buckets`
    case 'model':
      return sql`model as value, buckets`
    case 'thread':
      return sql`thread_id as value, ${bucketsOfRuns} as buckets`
    default:
      return sql`tags ->> ${dimension.slice('tag:'.length)} as value, ${bucketsOfRuns} as buckets`
  }
}

export const bucketsOfRuns = sql`case when model is null then buckets end`
