import { sql } from 'kysely'
import type { World } from './world.ts'

/** Adds four weeks of usage before today for all workflows, with more on working days. */
export async function furnishUsage({ app, muster }: World): Promise<void> {
  const { id } = await muster.account.retrieve()
  const pasts = sql`
    select account_id, id as workflow_id, current_date - n as day,
           json_build_object('customer', (array['brandt', 'kolb', 'okafor'])[1 + n % 3])::jsonb as tags,
           case when extract(isodow from current_date - n) > 5 then 1 else 4 end
             + (n * 37 + length(name) * 11) % 7 as runs
    from workflows, generate_series(1, 28) as n where account_id = ${id}`
  await sql`
    insert into usage_deltas (account_id, day, workflow_id, agent_id, model, tags, completed, failed,
                              cancelled, steps, tokens_in, tokens_out, cost_usd, buckets)
    select account_id, day, workflow_id, null, null, tags, runs - runs / 5, runs / 5, 0, 0, 0, 0, 0,
           (select array_agg(95 + (runs * at) % 25) from generate_series(1, runs) as at)
    from (${pasts}) as past
    union all
    select account_id, day, workflow_id, (select min(id) from agents where account_id = ${id}), 'claude-sonnet-4-5', tags, 0, 0,
           0, runs * 2, runs * 3120, runs * 840, runs * 0.0219,
           (select array_agg(85 + (runs * at) % 25) from generate_series(1, runs * 2) as at)
    from (${pasts}) as past`.execute(app.database)
}
