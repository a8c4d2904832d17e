import type { BenchDatabase } from './bench-database.ts'

const batch = 10_000

/** Inserts queued runs with their events and jobs, like many triggers, but faster. */
export async function fillQueue(
  bench: BenchDatabase,
  { accountId, workflowId }: { accountId: string; workflowId: string },
  count: number,
): Promise<void> {
  for (let written = 0; written < count; written += batch) {
    await bench.query(
      `with made as (
         insert into runs (account_id, id, workflow_id, input, last_sequence)
         select $1, new_id('run'), $2, 'A text of the backlog. ' || repeat('Facts. ', 100), 1
         from generate_series(1, $3::int)
         returning account_id, id
       ), logged as (
         insert into events (account_id, run_id, sequence, id, type, data)
         select account_id, id, 1, new_id('evt'), 'run.queued', '{}' from made
       )
       insert into jobs (account_id, run_id) select account_id, id from made`,
      [accountId, workflowId, Math.min(batch, count - written)],
    )
  }
  await bench.query("select pg_notify('muster_jobs', '')")
}
