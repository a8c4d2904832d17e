import type { BenchDatabase } from '../../rig/bench-database.ts'
import type { McpSink } from '../../rig/mcp-sink.ts'
import type { People } from './people.ts'

/**
 * Compares the final state of the database with what clients were promised and what arrived
 * outside. Every list contains errors, one line each, and must be empty. New runs may still arrive:
 * only `due` runs, accepted before a cutoff, must have ended; promises and arrivals are copied
 * before the database is read.
 */
export type Flaws = Record<string, string[]>

/** Accepted runs that are missing, unfinished, failed or duplicated. */
export async function judgeRuns(
  database: BenchDatabase,
  accepted: readonly string[],
  due: ReadonlySet<string>,
): Promise<Flaws> {
  const rows = await database.query<{
    id: string
    status: string
    input: string
    error: string | null
    error_code: string | null
  }>('select id, status, input, error, error_code from runs')
  const ids = new Set(rows.map(({ id }) => id))
  const byInput = Map.groupBy(rows, ({ input }) => input)
  return {
    'runs lost': accepted.filter((id) => !ids.has(id)),
    'runs stuck': rows
      .filter(({ id, status }) => due.has(id) && status !== 'completed' && status !== 'failed')
      .map(({ id, status }) => `${id} is ${status}`),
    'runs failed': rows
      .filter((run) => run.status === 'failed' && run.error_code !== 'cancelled')
      .map(({ id, error_code, error }) => `${id} ${error_code}: ${error}`),
    'runs twice': [...byInput]
      .filter(([, same]) => same.length > 1)
      .map(([input, same]) => `${input} made ${same.map(({ id }) => id).join(', ')}`),
  }
}

/** Steps and events of every due run that was not cancelled; each step of the crew of two once. */
export async function judgeSteps(
  database: BenchDatabase,
  due: ReadonlySet<string>,
): Promise<Flaws> {
  const rows = await database.query<{ id: string; steps: string; events: string }>(
    `select runs.id, concat_ws(', ',
        case when step.positions is distinct from '{0,1}' or total_steps <> 2
             then 'has steps ' || step.positions::text || ' and counts ' || total_steps end,
        case when step.tokens is distinct from tokens_in + tokens_out
             then 'counts ' || tokens_in + tokens_out || ' tokens, its steps ' || step.tokens end,
        case when event.once is distinct from expected.once then 'has events ' || event.once::text end
      ) as steps, concat_ws(', ',
        case when event.count <> last_sequence or event.last <> last_sequence
             then 'has ' || event.count || ' events up to ' || event.last || ' of ' || last_sequence
        end,
        case when event.waits <> event.answers
             then 'waited ' || event.waits || ' times, answered ' || event.answers end
      ) as events
     from runs
     cross join (values (array['run.completed ', 'run.queued ', 'run.started ', 'step.completed 0',
       'step.completed 1', 'step.started 0', 'step.started 1'])) as expected (once)
     left join lateral (
       select array_agg(position order by position) filter (where output is not null) as positions,
              sum(tokens_in + tokens_out) as tokens
       from steps where steps.run_id = runs.id
     ) as step on true
     left join lateral (
       select count(*)::int as count, max(sequence) as last,
              array_agg(type || ' ' || coalesce(data ->> 'order', '')
                        order by type, data ->> 'order')
                filter (where type not like 'tool.%' and type not like 'memory.%'
                          and type not in ('run.waiting_input', 'run.resumed')) as once,
              count(*) filter (where type = 'run.waiting_input') as waits,
              count(*) filter (where type = 'run.resumed') as answers
       from events where events.run_id = runs.id
     ) as event on true
     where error_code is distinct from 'cancelled' and runs.id = any($1)`,
    [[...due]],
  )
  const notes = await database.query<{ content: string }>(
    `select content from memory_entries group by content having count(*) > 1`,
  )
  return {
    'steps twice or missing': rows.flatMap(({ id, steps }) =>
      steps === '' ? [] : `${id} ${steps}`,
    ),
    'events twice or missing': rows.flatMap(({ id, events }) =>
      events === '' ? [] : `${id} ${events}`,
    ),
    'notes kept twice': notes.map(({ content }) => content),
  }
}

interface Call {
  id: string
  runId: string
  status: string
  text: string
  isUnattended: boolean
  isCancelled: boolean
  decisions: string[] | null
}

/** Actions that reached the sink: at most once for each approval. */
export async function judgeActions(
  database: BenchDatabase,
  arrivals: McpSink['calls'],
  unattendedWorkflowId: string,
  due: ReadonlySet<string>,
): Promise<Flaws> {
  const calls = await database.query<Call & Record<string, unknown>>(
    `select tool_calls.id, run_id as "runId", tool_calls.status,
            coalesce(proposed_input, tool_calls.input) ->> 'text' as text,
            runs.workflow_id = $1 as "isUnattended",
            runs.error_code is not distinct from 'cancelled' as "isCancelled",
            (select array_agg(data ->> 'decision') from events
             where events.run_id = runs.id and type = 'run.resumed'
               and data ->> 'call_id' = tool_calls.id) as decisions
     from tool_calls join runs on runs.id = tool_calls.run_id
     where tool = 'sink.write'`,
    [unattendedWorkflowId],
  )
  const arrived = Map.groupBy(
    arrivals.filter(({ tool }) => tool === 'write'),
    ({ idempotencyKey }) => idempotencyKey,
  )
  const known = new Map(calls.map((call) => [call.id, call]))
  const summarizeCall = (call: Call): string =>
    `${call.id} (${call.text}) is ${call.status} after ${call.decisions?.join(', ') ?? 'no decision'}, ` +
    `arrived ${arrived.get(call.id)?.length ?? 0} times`
  const allowed = ({ isUnattended, decisions }: Call): number =>
    isUnattended ? 1 : (decisions ?? []).filter((one) => /approved|edited/.test(one)).length
  const count = ({ id }: Call): number => arrived.get(id)?.length ?? 0
  return {
    'actions twice': [
      ...calls.filter((call) => count(call) > Math.max(1, allowed(call))).map(summarizeCall),
      ...[...Map.groupBy(calls, ({ text }) => text)]
        .filter(([, same]) => same.length > 1)
        .map(([text, same]) => `${text} was proposed by ${same.map(({ id }) => id).join(', ')}`),
    ],
    'actions without approval': [
      ...calls.filter((call) => allowed(call) === 0 && count(call) > 0).map(summarizeCall),
      ...[...arrived.keys()].filter((id) => !known.has(id)).map((id) => `${id} is in no ledger`),
    ],
    'actions done that never arrived': calls
      .filter((call) => due.has(call.runId) && call.status === 'succeeded' && count(call) === 0)
      .map(summarizeCall),
    'actions left open': calls
      .filter(
        ({ runId, status, isCancelled }) =>
          due.has(runId) && !isCancelled && /proposed|approved|executing/.test(status),
      )
      .map(summarizeCall),
  }
}

/** Each request is decided once, by the answer that got the 202. */
export async function judgeAnswers(
  database: BenchDatabase,
  accepted: People['accepted'],
): Promise<Flaws> {
  const decided = await database.query<{ id: string; decisions: string[] }>(
    `select data ->> 'pending_id' as id, array_agg(data ->> 'decision') as decisions
     from events where type = 'run.resumed' group by 1`,
  )
  const byPending = new Map(decided.map(({ id, decisions }) => [id, decisions]))
  const told = Map.groupBy(accepted, ({ pendingId }) => pendingId)
  const meaning: Record<string, RegExp> = {
    approve: /approved|edited/,
    reject: /rejected/,
    input: /answered/,
  }
  return {
    'answers counted twice': [
      ...decided.filter(({ decisions }) => decisions.length > 1).map(({ id }) => id),
      ...[...told].filter(([, same]) => same.length > 1).map(([id]) => `${id} was accepted twice`),
    ],
    'answers lost': accepted
      .filter(({ pendingId, action }) => {
        const [decision = ''] = byPending.get(pendingId) ?? []
        return meaning[action]?.test(decision) !== true
      })
      .map(({ pendingId, action }) => `${pendingId} ${action}`),
  }
}

/** Usage, folded or not, equals the sum of the ended runs and steps, in one snapshot. */
export async function judgeUsage(database: BenchDatabase): Promise<Flaws> {
  const counted = `sum(completed), sum(failed), sum(cancelled), sum(steps), sum(tokens_in),
                   sum(tokens_out), sum(cost_usd)`
  const rows = await database.query<{ account: string; counted: string; expected: string }>(
    `with counted as (
       select account_id, concat_ws(' ', ${counted}) as sums from (
         select account_id, completed, failed, cancelled, steps, tokens_in, tokens_out, cost_usd
         from usage_days where dimension = 'day'
         union all
         select account_id, completed, failed, cancelled, steps, tokens_in, tokens_out, cost_usd
         from usage_deltas
       ) as usage group by account_id
     ), expected as (
       select account_id, concat_ws(' ', ${counted}) as sums from (
         select account_id, (status = 'completed')::int as completed,
                (status = 'failed' and error_code <> 'cancelled')::int as failed,
                (error_code is not distinct from 'cancelled')::int as cancelled,
                0 as steps, 0 as tokens_in, 0 as tokens_out, 0::numeric(20, 10) as cost_usd
         from runs where finished_at is not null
         union all
         select account_id, 0, 0, 0, 1, tokens_in, tokens_out, cost_usd
         from steps where finished_at is not null and reused_from is null
       ) as ended group by account_id
     )
     select coalesce(counted.account_id, expected.account_id) as account,
            coalesce(counted.sums, 'nothing') as counted, coalesce(expected.sums, 'nothing') as expected
     from counted full join expected on expected.account_id = counted.account_id
     where counted.sums is distinct from expected.sums`,
  )
  return {
    'usage wrong': rows.map(
      ({ account, counted, expected }) => `${account} counts ${counted}, its runs ${expected}`,
    ),
  }
}

/** The sums of account-wide budgets equal the cost of the steps, in one snapshot. */
export async function judgeBudgets(database: BenchDatabase): Promise<Flaws> {
  const rows = await database.query<{ id: string; spent: string; cost: string }>(
    `select budgets.id, counted.spent::text, used.cost::text
     from budgets
     cross join lateral (
       select coalesce(sum(spent_usd), 0) as spent from budget_windows
       where budget_windows.account_id = budgets.account_id and budget_id = budgets.id) as counted
     cross join lateral (
       select coalesce(sum(cost_usd), 0) as cost from steps
       where steps.account_id = budgets.account_id and reused_from is null) as used
     where scope = 'account' and spent <> cost`,
  )
  return {
    'budgets unlike usage': rows.map(
      ({ id, spent, cost }) => `${id} counts ${spent} USD, the steps ${cost} USD`,
    ),
  }
}
