import type { BenchDatabase } from './bench-database.ts'
import { until } from './until.ts'

/** Waits until this many runs of the database are completed. */
export async function waitForCompleted(
  database: BenchDatabase,
  count: number,
  timeoutMs: number,
): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    const rows = await database.query<{ count: number }>(
      `select count(*)::int as count from runs where status = 'completed'`,
    )
    return rows[0]?.count === count
  }
  await until(`${count} runs are completed`, timeoutMs, isDone, 50)
}

/**
 * Errors in runs of a crew of two, one line each: every run must be completed, with two finished
 * steps, one event of each kind and step, and event numbers without a gap.
 */
export async function findFlaws(database: BenchDatabase): Promise<string[]> {
  const rows = await database.query<{ id: string; flaw: string }>(
    `select runs.id, concat_ws(', ',
        case when status <> 'completed' then 'is ' || status end,
        case when output is null then 'has no output' end,
        case when total_steps <> 2 then 'counts ' || total_steps || ' steps' end,
        case when step.positions is distinct from '{0,1}' then 'has steps ' || step.positions::text end,
        case when event.kinds is distinct from expected.kinds then 'has events ' || event.kinds::text end,
        case when event.sequences is distinct from '{1,2,3,4,5,6,7}' or last_sequence <> 7
             then 'has event numbers ' || event.sequences::text || ' of ' || last_sequence end
      ) as flaw
     from runs
     cross join (values (array['run.completed ', 'run.queued ', 'run.started ', 'step.completed 0',
       'step.completed 1', 'step.started 0', 'step.started 1'])) as expected (kinds)
     left join lateral (
       select array_agg(position order by position) as positions from steps
       where steps.account_id = runs.account_id and steps.run_id = runs.id
         and steps.output is not null and steps.finished_at is not null
     ) as step on true
     left join lateral (
       select array_agg(type || ' ' || coalesce(data ->> 'order', '') order by type, data ->> 'order')
                as kinds,
              array_agg(sequence order by sequence) as sequences
       from events where events.account_id = runs.account_id and events.run_id = runs.id
     ) as event on true`,
  )
  return rows.filter(({ flaw }) => flaw !== '').map(({ id, flaw }) => `${id} ${flaw}`)
}
