import { sql } from 'kysely'
import type { Database } from '../server/db/client.ts'
import { foldUsage } from '../server/usage/fold.ts'
import { until } from './until.ts'

export interface UsageToFill {
  accountId: string
  runs: number
  days: number
}

/** How many different values `fillUsage` distributes its runs over. */
export const usageSpread = { workflows: 20, agents: 50, models: 8, customers: 1_000 }

/**
 * Inserts the usage deltas of runs with one step, over this many days until yesterday, and folds
 * them. Each run has one of 1,000 customers as a tag, and a job of its own.
 */
export async function fillUsage(
  database: Database,
  { accountId, runs, days }: UsageToFill,
): Promise<void> {
  const { workflows, agents, models, customers } = usageSpread
  // Day by day, so that rows have their natural order on disk.
  for (let day = days; day > 0; day--) {
    const [first, last] = [days - day, days - day + 1].map((n) => Math.floor((runs * n) / days))
    await sql`
      with run as (
        select number, abs(hashint4(number)::bigint) as hash from generate_series(${first}::int, ${last}::int - 1) as number
      ), timed as (
        select *, array[80 + hash % 15 + hash / 15 % 15 + hash / 225 % 15]::smallint[] as buckets,
               'wf_' || hash / 7 % ${sql.lit(workflows)} as workflow,
               json_build_object('customer', 'c' || hash / 11 % ${sql.lit(customers)},
                                 'job', 'j' || number)::jsonb as tags
        from run
      )
      insert into usage_deltas (account_id, day, workflow_id, agent_id, model, tags, completed, failed,
                                cancelled, steps, tokens_in, tokens_out, cost_usd, buckets)
      select ${accountId}, current_date - ${day}::int, workflow, null, null, tags, (hash % 50 > 0)::int,
             (hash % 50 = 0)::int, 0, 0, 0, 0, 0, buckets
      from timed
      union all
      select ${accountId}, current_date - ${day}::int, workflow, 'agt_' || hash / 13 % ${sql.lit(agents)},
             'm' || hash / 17 % ${sql.lit(models)}, tags, 0, 0, 0, 1, 1000 + hash % 1000, 500, 0.003, buckets
      from timed`.execute(database)
    while (await foldUsage(database));
  }
  // A fold reports that nothing is left when its batch was not full, even if it skipped locked
  // rows.
  await until('all is folded', 60_000, async () => {
    await foldUsage(database)
    const { rows } = await sql`select from usage_deltas limit 1`.execute(database)
    return rows.length === 0
  })
  await sql`vacuum (analyze) usage_days, usage_durations, usage_deltas`.execute(database)
}
