import { createDatabase, createPool } from '../server/db/client.ts'
import { Queue } from '../server/engine/queue/queue.ts'
import type { BenchDatabase } from './bench-database.ts'

const batch = 10_000

/** Writes queued runs with their events and jobs, as many triggers would, but faster. */
export async function fillQueue(
  databaseUrl: string,
  bench: BenchDatabase,
  { accountId, workflowId }: { accountId: string; workflowId: string },
  count: number,
): Promise<void> {
  const database = createDatabase(createPool(databaseUrl, 1))
  const queue = await Queue.open(database, {
    supervise: false,
    onError: (error) => console.error(error),
  })
  try {
    for (let written = 0; written < count; written += batch) {
      const rows = await bench.query<{ id: string }>(
        `with made as (
           insert into runs (id, account_id, workflow_id, input, last_sequence)
           select new_id('run'), $1, $2, 'A text of the backlog. ' || repeat('Facts. ', 100), 1
           from generate_series(1, $3::int)
           returning id, account_id
         ), logged as (
           insert into events (run_id, sequence, id, account_id, type, data)
           select id, 1, new_id('evt'), account_id, 'run.queued', '{}' from made
         )
         select id from made`,
        [accountId, workflowId, Math.min(batch, count - written)],
      )
      const jobs = rows.map(({ id }) => ({ key: id, generation: 0, group: accountId }))
      await database.transaction().execute((transaction) => queue.enqueue(transaction, jobs))
    }
  } finally {
    await queue[Symbol.asyncDispose]()
    await database.destroy()
  }
}
