import type { BenchDatabase } from './bench-database.ts'

/** More data of a long-running service, inserted by SQL around `fillRuns`. */

/** Five events for each run that has none. */
export async function fillEvents(database: BenchDatabase): Promise<void> {
  await database.query('set session_replication_role = replica')
  await database.query(
    `insert into events (run_id, sequence, id, account_id, type, data, created_at)
     select id, number, 'evt' || substr(id, 4), account_id,
            (array['run.queued', 'run.started', 'step.started', 'step.completed', 'run.completed'])[number],
            '{"order": 0, "role": "planner", "model": "bench", "tokens_in": 500, "tokens_out": 250}',
            created_at
     from runs cross join generate_series(1, 5) as number order by id, number
     on conflict do nothing`,
  )
  await database.query('vacuum (analyze) events')
}

/** One finished delivery for each of the newest runs. */
export async function fillDeliveries(
  database: BenchDatabase,
  endpointId: string,
  count: number,
): Promise<void> {
  await database.query(
    `insert into webhook_deliveries
       (id, account_id, endpoint_id, event_id, event_type, run_id, snapshot, status, attempts,
        next_attempt_at, created_at)
     select 'dlv' || substr(id, 4), account_id, $1, 'evt' || substr(id, 4), 'run.completed', id,
            jsonb_build_object('id', id, 'workflow_id', workflow_id, 'status', status),
            'succeeded', '[{"at": "2026-01-01T00:00:00.000Z", "response_status": 200,
              "response_body": "ok", "duration_ms": 12, "error": null, "trigger": "scheduled"}]',
            null, created_at
     from runs order by id desc limit $2::int`,
    [endpointId, count],
  )
  await database.query('vacuum (analyze) webhook_deliveries')
}

/** A full memory for each of this many agents; returns the first agent. */
export async function fillMemory(
  database: BenchDatabase,
  accountId: string,
  agents: number,
): Promise<string> {
  await database.query(
    `insert into agents (id, account_id, name, category, role, system_prompt, connectors,
                         capabilities, status, memory_enabled)
     select 'agt_' || lpad(number::text, 26, '0'), $1, 'Agent', 'General', 'writer', 'Write.', '{}',
            '{}', 'active', true
     from generate_series(1, $2::int) as number`,
    [accountId, agents],
  )
  await database.query(
    `insert into memory_entries (id, account_id, agent_id, content, words, pinned, source)
     select 'mem_' || lpad(agent || 'x' || number, 26, '0'), $1, 'agt_' || lpad(agent::text, 26, '0'),
            array_to_string(words, ' '), words, number % 40 = 0, 'agent'
     from generate_series(1, $2::int) as agent, generate_series(1, 200) as number,
     lateral (select array_agg(left(md5(agent || ' ' || number || ' ' || place % 40), 3)) as words
              from generate_series(1, 40) as place) as made`,
    [accountId, agents],
  )
  await database.query('vacuum (analyze) memory_entries')
  return `agt_${'1'.padStart(26, '0')}`
}

/**
 * Runs that wait for the answer to a question, as the executor leaves them: one step of one turn
 * with one open call. `example` is an ended run of the same workflow. Returns their ids.
 */
export async function fillWaiting(
  database: BenchDatabase,
  example: string,
  count: number,
): Promise<string[]> {
  await database.query('set session_replication_role = replica')
  const rows = await database.query<{ id: string }>(
    `with made as (
       insert into runs (id, account_id, workflow_id, status, attempt, input, definition_hash,
                         last_sequence, pending, waiting_since, started_at)
       select new_id('run'), account_id, workflow_id, 'waiting_input', 1, '#' || number || '# A text.',
              definition_hash, 4,
              json_build_object('id', new_id('pnd'), 'kind', 'input', 'prompt', 'Which one?',
                'step_order', 0, 'role', 'planner', 'call_id', 'call_' || number,
                'approvers', json_build_object('users', '[]'::json,
                                               'roles', '["approver", "member", "admin"]'::json)),
              now(), now()
       from runs cross join generate_series(1, $2::int) as number
       where id = $1
       returning id, account_id, pending ->> 'call_id' as call_id
     ), step as (
       insert into steps (run_id, position, id, account_id, role, model, turns)
       select id, 0, new_id('step'), account_id, 'planner', 'bench', 1 from made
     ), turn as (
       insert into step_turns (account_id, run_id, step_position, turn, message)
       select account_id, id, 0, 0, json_build_object('role', 'assistant', 'content', json_build_array(
         json_build_object('type', 'tool-call', 'toolCallId', 'c1', 'toolName', 'request_input',
                           'input', json_build_object('question', 'Which one?'))))
       from made
     ), call as (
       insert into tool_calls (run_id, step_position, turn, position, id, account_id,
                               provider_call_id, tool, sensitive, input, status)
       select id, 0, 0, 0, call_id, account_id, 'c1', 'request_input', false,
              '{"question": "Which one?"}', 'proposed' from made
     ), event as (
       insert into events (run_id, sequence, id, account_id, type, data)
       select id, number, new_id('evt'), account_id,
              (array['run.queued', 'run.started', 'step.started', 'run.waiting_input'])[number], '{}'
       from made, generate_series(1, 4) as number
     )
     select id from made`,
    [example, count],
  )
  for (const table of ['runs', 'steps', 'step_turns', 'tool_calls', 'events']) {
    await database.query(`vacuum (analyze) ${table}`)
  }
  return rows.map(({ id }) => id)
}
