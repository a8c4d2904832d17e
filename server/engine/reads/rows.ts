import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Tables } from '../../db/generated-tables.ts'
import type { PendingRequest } from '../run/pending.ts'
import { stepInput, type FinishReason, type RunWarning } from '../run/step.ts'
import type { Run } from '../wire/run.ts'
import type { Approval, Author, Step, ToolCall } from '../wire/step.ts'
import { triggerers } from '../journal/begin.ts'
import {
  actorType,
  usageColumns,
  type Person,
  type UsageColumn,
  wireColumns,
} from '../run/fields.ts'

/** Converts rows of runs, steps and tool calls to the API's form. */

export type RunRow = Pick<Selectable<Tables['runs']>, (typeof wireColumns)[number]> & {
  excluded: string[] | null
}

/**
 * Ids of users and keys that may not approve the run's request; null without a four-eyes policy.
 * The account is a parameter: Citus would ask all nodes for a subquery that compares it with the
 * run's.
 */
export function excluded(accountId: string): RawBuilder<string[] | null> {
  return sql<string[] | null>`
  case when pending is not null then (
    select ${triggerers} from policies where policies.account_id = ${accountId} and four_eyes) end`
}

/** Columns of the table `runs` that `toRun` reads. */
export function rowOfRun(accountId: string): RawBuilder<unknown> {
  return sql`
  ${sql.join(wireColumns.map((column) => sql.ref(`runs.${column}`)))}, ${excluded(accountId)} as excluded`
}

export function toRun({ triggered_by: triggerer, triggerer_name: name, ...row }: RunRow): Run {
  const {
    tags,
    warnings,
    pending,
    waiting_since,
    expires_at,
    excluded: ids,
    on_behalf_of: people,
    ...more
  } = row
  const { forked_from: run_id, forked_step: step, ...rest } = more
  return {
    ...rest,
    data: rest.data as Run['data'],
    output_json: rest.output_json as Run['output_json'],
    tags: (tags ?? {}) as Run['tags'],
    warnings: (warnings ?? []) as RunWarning[],
    forked_from: run_id === null || step === null ? null : { run_id, step },
    triggered_by: toTriggerer(triggerer, name, people as Person[] | null),
    pending:
      pending === null || waiting_since === null
        ? null
        : toPending(pending as PendingRequest, waiting_since, expires_at, ids),
  }
}

/** A pending request with the fields that are not stored with it. */
export function toPending(
  pending: PendingRequest,
  created_at: Date,
  expires_at: Date | null,
  ids: string[] | null,
): NonNullable<Run['pending']> {
  return { ...pending, ...(ids && { excluded: ids }), created_at, expires_at }
}

/** A row that went through JSON: its times are strings. */
type AsJson<T> = {
  [K in keyof T]: T[K] extends Date ? string : T[K] extends Date | null ? string | null : T[K]
}
export type StepRow = AsJson<Selectable<Tables['steps']>>
const callColumns = [
  'id',
  'step_position',
  'tool',
  'tool_version',
  'input',
  'proposed_input',
  'status',
  'unknown_reason',
  'decision',
  'decided_by',
  'decider_name',
  'reason',
  'approvals',
  'decided_at',
  'started_at',
  'finished_at',
  'rule',
] as const
export type CallRow = AsJson<
  Pick<Selectable<Tables['tool_calls']>, (typeof callColumns)[number] | 'output'>
> & { output_bytes: number | null }

/** Characters of a tool's output that are shown with the run. */
export const maxShownOutput = 2_000

/**
 * A row of `tool_calls` as JSON, with the arguments as they were stored, and the output cut to
 * `length`.
 */
export function callOf(length: number | null): RawBuilder<unknown> {
  const output = length === null ? sql`output` : sql`left(output, ${sql.lit(length)})`
  const fields = callColumns.map((name) => sql`${sql.lit(name)}, tool_calls.${sql.ref(name)}`)
  return sql`json_build_object(${sql.join(fields)}, 'output', ${output},
                              'output_bytes', octet_length(output))`
}

export function toSteps(
  { prompt, context }: { prompt: string; context: string | null },
  rows: StepRow[],
  calls: CallRow[],
): Step[] {
  return rows.map((row, index) => {
    const prior = rows.slice(0, index).map(({ role, output, finish_reason: reason }) => ({
      role,
      output: output ?? '',
      isCut: reason === 'length',
    }))
    return {
      id: row.id,
      order: row.position,
      role: row.role,
      agent_id: row.agent_id,
      agent_version: row.agent_version,
      model: row.model,
      input: stepInput(prompt, prior, context),
      output: row.output,
      output_json: row.output_json as Step['output_json'],
      error: row.error,
      finish_reason: row.finish_reason as FinishReason | null,
      ...pickUsage(row),
      reused_from: row.reused_from,
      output_given: row.output_given === true,
      memory: ((row.memory ?? []) as { id: string }[]).map(({ id }) => id),
      tool_calls: calls.filter((call) => call.step_position === row.position).map(toToolCall),
      started_at: toDate(row.started_at),
      finished_at: toDate(row.finished_at),
    }
  })
}

/** The usage columns of a row. */
export function pickUsage(row: Record<UsageColumn, number>): Record<UsageColumn, number> {
  const entries = usageColumns.map((name) => [name, row[name]])
  return Object.fromEntries(entries) as Record<UsageColumn, number>
}

export function toToolCall(row: CallRow): ToolCall {
  return {
    id: row.id,
    tool: row.tool,
    tool_version: row.tool_version,
    input: row.input,
    proposed_input: row.proposed_input,
    status: row.status,
    output: row.output,
    output_bytes: row.output_bytes,
    unknown_reason: row.unknown_reason,
    decision: row.decision,
    decided_by: row.decided_by,
    decider: toActor(row.decided_by, row.decider_name),
    reason: row.reason,
    approvals: (row.approvals ?? []) as Approval[],
    decided_at: toDate(row.decided_at),
    started_at: toDate(row.started_at),
    finished_at: toDate(row.finished_at),
    rule: row.rule as ToolCall['rule'],
  }
}

export function toTriggerer(
  id: string | null,
  name: string | null,
  people: Person[] | null = null,
): Run['triggered_by'] {
  const actor = toActor(id, name)
  if (actor === null || people === null) return actor
  return { ...actor, on_behalf_of: people.flatMap((one) => toActor(one.id, one.name) ?? []) }
}

export function toActor(id: string | null, name: string | null): Author | null {
  if (id === null) return null
  return { type: actorType(id), id, name: name ?? id }
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}
