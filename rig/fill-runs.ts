import type { BenchDatabase } from './bench-database.ts'

const batch = 50_000

/**
 * Inserts ended runs with two steps each, number `first` to `last`, half a minute apart, the
 * highest number newest; each 50th failed. Texts are random, because real ones do not compress
 * well.
 */
export async function fillRuns(
  database: BenchDatabase,
  { accountId, workflowId }: { accountId: string; workflowId: string },
  first: number,
  last: number,
): Promise<void> {
  // All references are valid here, so foreign key checks are skipped.
  await database.query('set session_replication_role = replica')
  for (let from = first; from <= last; from += batch) {
    const to = Math.min(last, from + batch - 1)
    await database.query(
      `insert into runs (id, account_id, workflow_id, status, attempt, input, output, error,
         error_code, total_steps, tokens_in, tokens_out, cost_usd, last_sequence, created_at,
         started_at, finished_at)
       select ${id('run', 0)}, $1, $2, case when has_failed then 'failed' else 'completed' end, 1,
         ${text(10)}, case when not has_failed then ${text(16)} end,
         case when has_failed then 'step 2 (writer): the provider refused' end,
         case when has_failed then 'step_failed' end,
         2, 1000, 500, 0.003, 7, at, at + interval '5 ms', at + interval '4 s'
       ${source}`,
      [accountId, workflowId, from, to],
    )
    await database.query(
      `insert into steps (run_id, position, id, account_id, role, model, output, error, tokens_in,
         tokens_out, cost_usd, started_at, finished_at)
       select ${id('run', 0)}, position, ${id('step', 'position + 1')}, $1,
         (array['planner', 'writer'])[position + 1], 'bench',
         case when not (has_failed and position = 1) then ${text(16)} end,
         case when has_failed and position = 1 then 'the provider refused' end,
         500, 250, 0.0015, at, at + interval '2 s'
       ${source} cross join generate_series(0, 1) as position where $2::text is not null`,
      [accountId, workflowId, from, to],
    )
  }
  await database.query('vacuum (analyze) runs')
  await database.query('vacuum (analyze) steps')
  await database.query('checkpoint')
}

const source = `
  from (select number, number % 50 = 0 as has_failed,
               timestamptz '2026-01-01' + number * interval '25 seconds' as at
        from generate_series($3::int, $4::int) as number) as numbered`

/** Hexadecimal digits are valid base32; the time-ordered part comes first, as in real ids. */
function id(prefix: string, kind: number | string): string {
  return `'${prefix}_01' || lpad(to_hex(number), 8, '0') || left(md5(number || ' ' || ${kind}), 16)`
}

function text(lines: number): string {
  return `(select string_agg(md5(number || ' ' || line), ' ') from generate_series(1, ${lines}) as line)`
}
