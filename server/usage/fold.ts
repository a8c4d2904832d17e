import { sql } from 'kysely'
import type { Database } from '../db/client.ts'
import { eachPart, run, type SweepScope } from '../db/run.ts'
import { noteEnded } from '../engine/journal/run-words.ts'
import { addToDurations, addToSums, bucketsOfRuns, counts, valueColumns, sums } from './counts.ts'

const batch = 5_000

/**
 * Folds deltas into daily sums, and queues ended runs for the full-text index. Several processes
 * may do this at the same time. Returns true if more are left.
 */
export async function foldUsage(database: Database): Promise<boolean> {
  const full = await eachPart(database, sql`usage_deltas`, async (scope) =>
    (await foldAt(database, scope)) === batch ? 1 : 0,
  )
  return full > 0
}

async function foldAt(database: Database, scope: SweepScope): Promise<number> {
  const places = ['day', 'workflow', 'agent', 'model', 'thread'].map(
    (dimension) => sql`select ${sql.lit(dimension)} as dimension, ${valueColumns(dimension)}`,
  )
  // Two processes take different deltas and update sums in the same order, so they cannot deadlock.
  const query = sql<{ count: number }>`
    with taken as (
      delete from usage_deltas where ctid = any(array(
        select ctid from usage_deltas order by account_id, id
        limit ${sql.lit(batch)} for update skip locked))
      returning *
    ), placed as materialized (
      select account_id, place.dimension, place.value, day, place.buckets, ${counts}
      from taken cross join lateral (
        ${sql.join(places, sql` union all `)}
        union all select 'tag:' || key, value, ${bucketsOfRuns} from jsonb_each_text(tags)
      ) as place
      where place.value is not null
    ), summed as (
      insert into usage_days as sum (account_id, dimension, value, day, ${counts})
      select account_id, dimension, value, day, ${sums} from placed
      group by 1, 2, 3, 4 order by 1, 2, 3, 4 ${addToSums}
    ), timed as (
      insert into usage_durations as timed (account_id, dimension, value, day, bucket, count)
      select account_id, dimension, value, day, bucket, count(*) from placed, unnest(buckets) as bucket
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5 ${addToDurations}
    ), noted as (${noteEnded(sql`select account_id, unnest(run_ids) from taken`)}
    )
    select count(*)::int as count from taken`
  const rows = await run(database, scope, query)
  return rows[0]?.count ?? 0
}
