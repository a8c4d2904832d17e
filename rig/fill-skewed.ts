import { sql } from 'kysely'
import type { Database } from '../server/db/client.ts'
import { hashWords } from '../server/engine/journal/run-words.ts'

/**
 * One account with nearly all runs beside hundreds of small ones, for plans of lists: many runs
 * wait for people, an endpoint fails, one word is in all texts, and each filter has a value that
 * finds much, one that finds little, and one that finds nothing. Run number `n` is the newer the
 * higher it is.
 */
export const large = 'acc_large'

export interface Skew {
  /** Runs of the large account. */
  runs: number
  waiting: number
  /** Deliveries, firings, messages and the like, of each kind. */
  others: number
  /** When the newest was created: the same for all parts. */
  end: Date
}

const smallAccounts = 380

/** What exists once, before `fillSkewed` adds runs. */
export async function fillAccounts(database: Database): Promise<void> {
  await all(database, [
    `insert into accounts (id, name) select 'acc_' || n, 'a' from generate_series(1, ${smallAccounts}) as n
     union all select '${large}', 'large'`,
    `insert into workflows (id, account_id, name, model, crew, human_in_the_loop, memory_enabled, limits)
     select 'wf_' || n, 'acc_' || n, 'w', 'm', '[]', '{}', false, '{}' from generate_series(1, ${smallAccounts}) as n`,
    `insert into workflows (id, account_id, name, model, crew, human_in_the_loop, memory_enabled, limits)
     select 'wf_' || n, '${large}', 'w', 'm', '[]', '{}', false, '{}' from generate_series(0, 6) as n`,
    `insert into webhook_endpoints (id, account_id, url, events, secret)
     select id, '${large}', 'https://example.com', '{run.completed}', '' from (values ('we_failing'), ('we_fine')) as e (id)`,
    `insert into channels (id, account_id, name, kind, secret, version)
     select 'ch_' || n, '${large}', 'c', 'email', '', 'v' from generate_series(1, 3) as n`,
  ])
}

/** Adds the part of the data from one fraction to another. */
export async function fillSkewed(
  database: Database,
  { runs, waiting, others, end }: Skew,
  { from, to }: { from: number; to: number } = { from: 0, to: 1 },
): Promise<void> {
  const each = Math.max(2, Math.floor(runs / waiting))
  const part = (count: number): string =>
    `generate_series(${Math.floor(count * from) + 1}, ${Math.floor(count * to)}) as n`
  const id = (prefix: string): string => `'${prefix}_' || lpad(n::text, 26, '0')`
  const at = (count: number): string =>
    `timestamptz '${end.toISOString()}' - (${count} - n) * interval '1 second'`
  const [lorem, ipsum, dolor, dragon, unicorn] = hashWords(large, [
    'lorem',
    'ipsum',
    'dolor',
    'dragon',
    'unicorn',
  ])
  const tags = hashWords(
    large,
    Array.from({ length: 50 }, (_, n) => `t${n}`),
  )
  const status = `case when n % ${each} = 3 then 'waiting_input'
    when n > ${runs - 200} then 'queued' when n % 101 = 1 then 'failed' else 'completed' end`
  const numbered = `(select n, ${status} as status from ${part(runs)}) as run`
  await all(database, [
    `insert into runs (id, account_id, workflow_id, status, input, output, error, error_code, tags,
       cost_usd, pending, waiting_since, created_at, finished_at)
     select ${id('run')}, '${large}', 'wf_' || n % 7, status, 'lorem ipsum dolor sit amet ' || repeat(md5(n::text) || ' ', 6),
       case status when 'completed' then 'lorem ' || repeat(md5(n::text || 'o') || ' ', 10) end,
       case status when 'failed' then 'quota is used up' end,
       case when status = 'failed' then case when n % 10 = 1 then 'cancelled' else 'step_failed' end end,
       jsonb_build_object('customer', 't' || n % 50), case when n % 47 = 0 and status = 'completed' then 0.05 else 0 end,
       case status when 'waiting_input' then ('{"id":"pnd_' || lpad(n::text, 26, '0') || '","kind":"approval","prompt":"' || repeat('x', 300)
         || '","tool":"' || case when n % 5000 = 3 then 'slack.post' else 'email.send' end || '","tool_input":{"text":"' || repeat('y', 300)
         || '"},"step_order":0,"role":"r","call_id":"c","approvers":{"users":[],"roles":["admin"]}}')::json end,
       case status when 'waiting_input' then at + interval '1 second' end, at,
       case when status in ('completed', 'failed') then at + interval '5 seconds' end
     from ${numbered}, lateral (select ${at(runs)} as at) as time`,
    `insert into runs (id, account_id, workflow_id, status, input, output, created_at, finished_at)
     select 'run_' || n || '_' || number, 'acc_' || n, 'wf_' || n, 'completed', 'lorem', 'o', now(), now()
     from ${part(smallAccounts)}, generate_series(1, 3) as number`,
    `insert into run_marks (account_id, run_id, created_at, mark)
     select '${large}', ${id('run')}, ${at(runs)}, mark
     from ${numbered}, lateral (values
       ('tag customer:t' || n % 50, true), ('word t' || n % 50, true), ('tag env:prod', n % 3 = 0), ('tag env:dev', n % 3 <> 0),
       ('tag rare:yes', n % 5003 = 2), ('agent agt_' || n % 6, status <> 'queued'), ('warning', n % 53 = 7),
       ('word quota', status = 'failed'), ('cost 0.01', n % 47 = 0 and status = 'completed')) as term (mark, has)
     where has`,
    `insert into run_words (account_id, run_id, created_at, words)
     select '${large}', ${id('run')}, ${at(runs)},
       array[${lorem}, ${ipsum}, ${dolor}, (array[${tags.join()}])[n % 50 + 1], n]
       || case when n % 103 = 0 then array[${dragon}] else '{}' end || case when n % 6007 = 0 then array[${unicorn}] else '{}' end
       || (select array_agg((n::bigint * 31 + word * 7919) % 5000) from generate_series(1, 60) as word)
     from ${numbered} where status in ('completed', 'failed')`,
    `insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event_type, snapshot, status, next_attempt_at, created_at)
     select ${id('dlv')}, '${large}', case when n % 2 = 0 then 'we_failing' else 'we_fine' end, ${id('evt')}, 'run.completed',
       jsonb_build_object('text', repeat('z', 300)), case when n % 2 = 0 then 'pending' else 'succeeded' end,
       case when n % 2 = 0 then now() end, ${at(others)} from ${part(others)}`,
    `insert into hook_deliveries (id, account_id, hook_id, number, headers, content_type, body, status, run_id, received_at, settled_at)
     select ${id('hdl')}, '${large}', 'hook_1', n, '{}', 'application/json', repeat('b', 400)::bytea, 'started', ${id('run')}, ${at(others)}, now()
     from ${part(others)}`,
    `insert into schedule_firings (id, account_id, schedule_id, number, kind, due_at, status, run_id, settled_at)
     select ${id('fir')}, '${large}', 'sch_1', n, 'scheduled', ${at(others)}, 'fired', ${id('run')}, now() from ${part(others)}`,
    `insert into mailbox_messages (id, account_id, mailbox_id, message_id, uid, sender, subject, status, run_id, created_at)
     select ${id('msg')}, '${large}', 'mbx_1', n, n, 'a@example.com', repeat('s', 80), 'started', ${id('run')}, ${at(others)} from ${part(others)}`,
    `insert into notifications (id, account_id, channel_id, kind, key, recipient, status, next_attempt_at, run_id, pending_id, created_at)
     select ${id('ntf')}, '${large}', 'ch_' || 1 + n % 2, 'case', n, 'a@example.com', 'sent', null, ${id('run')}, ${id('pnd')}, ${at(others)}
     from ${part(others)}`,
    `insert into audit (account_id, id, created_at, actor_type, actor_id, actor_name, action, object_type, object_id)
     select '${large}', ${id('aud')}, ${at(others)}, 'key', 'key_' || n % 2, 'k',
       case when n % 20 <> 0 then 'run.triggered' when n % 40 = 0 then 'workflow.updated' else 'agent.updated' end, 'any', 'obj_' || n % 600
     from ${part(others)}`,
    `insert into batches (id, account_id, workflow_id, concurrency, status, total, queued, created_by, creator_name, due_at, created_at)
     select ${id('bat')}, '${large}', 'wf_' || n % 5, 1, 'completed', 1, 0, 'key_1', 'k', null, ${at(others)} from ${part(others)}`,
    `insert into threads (id, account_id, workflow_id, key, words, turns, created_by, creator_name, created_at, updated_at)
     select ${id('thr')}, '${large}', 'wf_' || n % 5, 'k' || n, array[n, n % 50 + 1000000], 1, 'key_1', 'k', ${at(others)}, ${at(others)}
     from ${part(others)}`,
    `insert into threads (id, account_id, workflow_id, turns, created_by, creator_name, updated_at)
     values ('thr_1', '${large}', 'wf_1', 1000, 'key_1', 'k', '2020-01-01') on conflict do nothing`,
    `insert into thread_messages (id, account_id, thread_id, turn, role, text, run_id, status)
     select ${id('msg')}, '${large}', 'thr_1', n, 'user', 'x', ${id('run')}, 'answered' from ${part(others)}`,
    `insert into thread_summaries (id, account_id, thread_id, through_turn, text, tokens_before, tokens_after, model, cost_usd)
     select ${id('sum')}, '${large}', 'thr_1', n, 'x', 2, 1, 'm', 0 from ${part(others)}`,
    `insert into batch_items (account_id, batch_id, position, item, run_id, status)
     select '${large}', 'bat_1', n, '{}', ${id('run')}, 'completed' from ${part(others)}`,
    `insert into case_comments (account_id, id, pending_id, run_id, author_id, author_name, text, created_at)
     select '${large}', ${id('cmt')}, 'pnd_' || n % 3, ${id('run')}, 'usr_1', 'u', 't', ${at(others)} from ${part(others)}`,
    `insert into requested_calls (account_id, id, run_id, workflow_id, step_position, turn, position, name, sensitive,
       status, requested_at, timeout_seconds, expires_at)
     select '${large}', ${id('call')}, ${id('run')}, 'wf_1', 0, 0, 0, case when n % 100 = 0 then 'lookup' else 'charge' end,
       false, 'succeeded', ${at(others)}, 300, now() from ${part(others)}`,
    `insert into tool_calls (account_id, run_id, step_position, turn, position, id, provider_call_id, tool, sensitive, input, status, output,
       started_at, finished_at)
     select '${large}', ${id('run')}, 0, 0, 0, ${id('call')}, 'c', 'app.x', false, '{}', 'succeeded', 'o', now(), now() from ${part(others)}`,
    `insert into files (account_id, id, content_id, name, media_type, bytes, sha256, created_at)
     select '${large}', ${id('file')}, ${id('cnt')}, 'f', 'text/plain', 1, '', ${at(others)} from ${part(others)}`,
    `insert into versions (account_id, object_id, version, definition, changed, total_bytes, created_at)
     select '${large}', 'wf_1', n, '{}', '{name}', n, ${at(others)} from ${part(others)}`,
    `insert into operator_log (id, action, object_id, created_at)
     select ${id('olg')}, 'account.updated', 'acc_' || n % 9, ${at(others)} from ${part(others)}`,
    `insert into cases (account_id, pending_id, run_id, assignee_id)
     select '${large}', 'pnd_' || lpad((n * ${each} + 3)::text, 26, '0'), 'run_' || lpad((n * ${each} + 3)::text, 26, '0'),
       case when n % 100 = 1 then 'usr_1' else 'usr_2' end from ${part(Math.floor(waiting / 4))}`,
    `insert into usage_days (account_id, dimension, value, day, completed, failed, cancelled, steps, tokens_in, tokens_out, cost_usd)
     select '${large}', dimension, value, current_date - day, 1, 0, 0, 1, 1, 1, 0
     from ${part(1_000)}, generate_series(0, 2) as day,
       lateral (values ('tag:customer', 't' || n), ('tag:job', 'j' || n), ('workflow', 'wf_' || n % 7), ('day', (current_date - day)::text)) as d (dimension, value)
     on conflict do nothing`,
    `insert into usage_durations (account_id, dimension, value, day, bucket, count)
     select '${large}', dimension, value, current_date - day, bucket, 1
     from ${part(1_000)}, generate_series(0, 2) as day, generate_series(60, 66) as bucket,
       lateral (values ('tag:customer', 't' || n), ('tag:job', 'j' || n), ('workflow', 'wf_' || n % 7), ('day', (current_date - day)::text)) as d (dimension, value)
     on conflict do nothing`,
    `insert into usage_deltas (account_id, day, workflow_id, tags, completed, failed, cancelled, steps, tokens_in, tokens_out, cost_usd, buckets)
     select '${large}', current_date, 'wf_' || n % 7, jsonb_build_object('customer', 't' || n % 50), 1, 0, 0, 0, 0, 0, 0, '{60}'
     from ${part(500)}`,
  ])
}

/** Keeps the statistics as they are now, however much is added. */
export async function keepStatistics(database: Database): Promise<void> {
  await sql`vacuum (analyze)`.execute(database)
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables`.execute(database)
  await all(
    database,
    rows.map(({ name }) => `alter table ${name} set (autovacuum_enabled = false)`),
  )
}

async function all(database: Database, statements: string[]): Promise<void> {
  await database.connection().execute(async (connection) => {
    // All references are valid here, so foreign key checks are skipped.
    await sql`set session_replication_role = replica`.execute(connection)
    for (const statement of statements) await sql.raw(statement).execute(connection)
    await sql`reset session_replication_role`.execute(connection)
  })
}
