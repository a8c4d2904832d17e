import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import type { Definition } from '../run/definition.ts'
import type { PriorStep, ShownEntry } from '../run/step.ts'
import { callOf, type CallRow } from './rows.ts'
import type { Turn } from '../wire/step.ts'
import { priorStep } from '../journal/take.ts'
import { usageColumns, type UsageColumn } from '../run/fields.ts'

/** SQL of what models were sent and what they answered. */
export interface StepOfTurns {
  /** The run that executed the step, if it was reused; else the run itself. */
  run_id: string
  position: number
  model: string
  agent_id: string | null
  output: string | null
  /** Number of turns with a row of their own. */
  turns: number
  memory: ShownEntry[] | null
  definition: Definition
  /** Input of the run. */
  input: string
  data: object | null
  /** Text of the earlier turns of its thread. */
  context: string | null
  /** Earlier steps, in order. */
  prior: PriorStep[] | null
  /** No turns exist: the step comes from a deleted run, or a person gave its output. */
  isGone: boolean
  /** Tools offered in the turn that answered. */
  tools: Turn['tools'] | null
  last: Record<UsageColumn, number>
  duration_ms: number | null
  request_id: string | null
}

export async function findStep(
  database: Database,
  accountId: string,
  runId: string,
  position: number,
): Promise<StepOfTurns | undefined> {
  const { rows } = await sql<StepOfTurns>`
    select step.run_id, step.position, step.model, step.agent_id, step.output, step.turns,
           step.memory, definition.body as definition, run.input, run.data, run.context, offered.body as tools,
           json_build_object(${sql.raw(
             usageColumns.map((name) => `'${name}', step.${name} - stored.${name}`).join(', '),
           )}) as last,
           step.duration_ms, step.request_id,
           step.run_id is null or (asked.output_given and asked.reused_from is null) is true as "isGone",
           (select json_agg(${priorStep} order by position)
            from steps as prior
            where prior.account_id = ${accountId} and prior.run_id = asked.run_id
              and prior.position < asked.position) as prior
    from steps as asked
    left join steps as step on step.account_id = ${accountId}
      and step.run_id = coalesce(asked.reused_from, asked.run_id) and step.position = asked.position
    left join runs as run on run.account_id = ${accountId} and run.id = step.run_id
    left join definitions as definition on definition.account_id = ${accountId}
      and definition.hash = run.definition_hash
    left join definitions as offered on offered.account_id = ${accountId}
      and offered.hash = step.tools_hash
    cross join lateral (
      select ${sql.raw(usageColumns.map((name) => `coalesce(sum(${name}), 0) as ${name}`).join(', '))}
      from step_turns
      where step_turns.account_id = ${accountId} and step_turns.run_id = step.run_id
        and step_turns.step_position = step.position
    ) as stored
    where asked.account_id = ${accountId} and asked.run_id = ${runId}
      and asked.position = ${position}`.execute(database)
  return rows[0]
}

export interface TurnRow extends Pick<
  Turn,
  'number' | 'problem' | UsageColumn | 'duration_ms' | 'request_id'
> {
  /** Null for turns from before models had fallbacks. */
  model: string | null
  /** Null if it was deleted by retention. */
  message: { content: { type: string; text?: string }[] } | null
  tools: Turn['tools'] | null
  calls: CallRow[] | null
  /** Bytes of this turn and the requested ones before it. */
  bytes: number
}

/** Stored turns from one number up to another, or up to the first one beyond `maxBytes`. */
export async function readTurns(
  database: Database,
  accountId: string,
  { run_id: runId, position, turns }: StepOfTurns,
  { from, to, maxBytes }: { from: number; to: number; maxBytes: number },
): Promise<TurnRow[]> {
  const { rows } = await sql<TurnRow>`
    select * from (
      select number, message, problem, step_turns.model, duration_ms, request_id,
             ${sql.raw(usageColumns.map((name) => `coalesce(${name}, 0) as ${name}`).join(', '))},
             offered.body as tools, calls,
             (sum(size) over (order by number))::int as bytes,
             sum(size) over (order by number) - size as before
      from generate_series(${from}::int, ${Math.min(to, turns) - 1}::int) as number
      left join step_turns on step_turns.account_id = ${accountId} and step_turns.run_id = ${runId}
        and step_turns.step_position = ${position} and step_turns.turn = number
      left join definitions as offered on offered.account_id = ${accountId}
        and offered.hash = step_turns.tools_hash
      left join lateral (
        select json_agg(${callOf(null)} order by tool_calls.position) as calls from tool_calls
        where tool_calls.account_id = ${accountId} and tool_calls.run_id = ${runId}
          and tool_calls.step_position = ${position} and tool_calls.turn = number
      ) as called on true
      cross join lateral (
        select coalesce(octet_length(message::text), 0) + coalesce(octet_length(calls::text), 0)
               + coalesce(octet_length(offered.body::text), 0) as size
      ) as sized
    ) as turn
    where number = ${from} or before < ${maxBytes}::int
    order by number`.execute(database)
  return rows
}
