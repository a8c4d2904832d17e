import type { BenchDatabase } from './bench-database.ts'

/** Large amounts of data for the console, inserted by SQL. */

/** Ended runs of this many accounts in turn; the first account's runs belong to the workflow. */
export async function fillAccounts(
  database: BenchDatabase,
  { accounts, runs, workflowId }: { accounts: number; runs: number; workflowId: string },
): Promise<void> {
  await database.query('set session_replication_role = replica')
  await database.query(
    `insert into accounts (id, name)
     select 'acc_bench' || n, 'Account ' || n from generate_series(1, $1::int - 1) as n`,
    [accounts],
  )
  const batch = 100_000
  for (let from = 0; from < runs; from += batch) {
    await database.query(
      `insert into runs (id, account_id, workflow_id, status, attempt, input, output, error, error_code,
         total_steps, tokens_in, tokens_out, cost_usd, last_sequence, created_at, started_at, finished_at)
       select 'run_01' || lpad(to_hex(n), 8, '0') || left(md5(n::text), 16),
         case when n % $2::int = 0 then (select account_id from workflows where id = $1)
              else 'acc_bench' || n % $2::int end,
         $1, case when failed then 'failed' else 'completed' end, 1, 'Note ' || n || repeat(' of words', 20),
         case when not failed then md5(n::text) end, case when failed then 'the provider refused' end,
         case when failed then 'step_failed' end, 2, 1000, 500, 0.003, 7, at, at, at + interval '4 s'
       from (select n, n / $2::int % 50 = 0 as failed,
                    timestamptz '2026-01-01' + n * interval '20 s' as at
             from generate_series($3::int, least($4::int, $3::int + ${batch}) - 1) as n) as numbered`,
      [workflowId, accounts, from, runs],
    )
  }
  await database.query('vacuum (analyze) runs')
}

/** A run of ten steps, whose calls each waited for a person several times, by its events. */
export async function fillLongRun(
  database: BenchDatabase,
  { events, calls, workflowId }: { events: number; calls: number; workflowId: string },
): Promise<string> {
  const id = `run_01${'0'.repeat(24)}`
  const steps = 10
  const from = `(select account_id, $1::text as run_id, now() - interval '2 days' as began
    from workflows where id = $2) as run`
  await database.query(
    `insert into runs (account_id, id, workflow_id, status, attempt, input, output, total_steps, tokens_in,
       tokens_out, cost_usd, last_sequence, created_at, started_at, finished_at)
     select account_id, run_id, $2, 'completed', 1, 'A long one', 'All done', $3::int, 90000, 40000, 1.2, $4::int,
       began, began, began + interval '1 day' from ${from}`,
    [id, workflowId, steps, events],
  )
  await database.query(
    `insert into steps (account_id, run_id, position, id, role, model, output, started_at, finished_at)
     select account_id, run_id, n, 'step_long' || n, 'clerk ' || n, 'bench', repeat('Some words. ', 100),
       began + n * interval '2 hours', began + (n + 1) * interval '2 hours'
     from ${from}, generate_series(0, $3::int - 1) as n where $2 <> ''`,
    [id, workflowId, steps],
  )
  await database.query(
    `insert into tool_calls (account_id, run_id, step_position, turn, position, id, provider_call_id, tool,
       sensitive, input, status, output, decision, decided_at, started_at, finished_at)
     select account_id, run_id, n % $3::int, n / $3::int, 0, 'call_long' || n, 'c' || n, 'crm.refund', true,
       json_build_object('customer', n, 'text', repeat('words ', 40)), 'succeeded', repeat('An answer. ', 180),
       'approved', at, at, at + interval '1 s'
     from ${from}, generate_series(0, $4::int - 1) as n,
       lateral (select began + n % $3::int * interval '2 hours' + n / $3::int * interval '3 minutes' as at) as t
     where $2 <> ''`,
    [id, workflowId, steps, calls],
  )
  await database.query(
    `insert into events (account_id, run_id, sequence, id, type, data, created_at)
     select account_id, run_id, n, 'evt_long' || n,
       case when n = 1 then 'run.queued' when n = $3::int then 'run.completed'
            when n % 2 = 0 then 'run.waiting_input' else 'run.resumed' end,
       jsonb_build_object('pending_id', 'pnd_long' || n / 2, 'call_id', 'call_long' || n / 2 % $4::int,
         'order', n / 2 % $4::int % ${steps}, 'kind', 'approval', 'tool', 'crm.refund'),
       began + n * interval '10 s'
     from ${from}, generate_series(1, $3::int) as n where $2 <> ''`,
    [id, workflowId, events, calls],
  )
  return id
}
