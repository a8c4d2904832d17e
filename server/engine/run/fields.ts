import type { Usage } from '../../models/contract.ts'

/**
 * The fields of a run, a row each: a column, its type, and where it is seen. The recordset of a trigger, its insert
 * list, the snapshots of webhooks, the rows of answers and what a worker reads are made of these rows. A new field is
 * a migration, a row here, and its schema in `engine/wire/run.ts` where callers see it.
 */
interface Field {
  /** Of the column, as a recordset of JSON gives it. */
  type: string
  /** In answers: a field of its own, or a part of another one. */
  wire?: 'field' | 'part'
  /** In webhooks: as it is, as an ISO time, or with an empty value in place of null. */
  webhook?: 'value' | 'time' | 'object' | 'list'
  /** The trigger gives it; else the statement that inserts the run sets it. */
  given?: true
  /** Its name in what a worker reads before it takes the run. */
  worker?: string
}

/** Columns of runs, steps and turns that count what was used, and their fields of `Usage`. */
export const usageFields = {
  tokens_in: 'tokensIn',
  tokens_out: 'tokensOut',
  cost_usd: 'costUsd',
  tokens_cached: 'tokensCached',
  tokens_cache_written: 'tokensCacheWritten',
  tokens_reasoning: 'tokensReasoning',
  calls_without_usage: 'callsWithoutUsage',
} as const satisfies Record<string, keyof Usage>

const runFields = {
  id: { type: 'text', wire: 'field', webhook: 'value', given: true, worker: 'id' },
  account_id: { type: 'text', given: true, worker: 'accountId' },
  workflow_id: { type: 'text', wire: 'field', webhook: 'value', given: true, worker: 'workflowId' },
  workflow_version: {
    type: 'int',
    wire: 'field',
    webhook: 'value',
    given: true,
    worker: 'workflowVersion',
  },
  status: { type: 'text', wire: 'field', webhook: 'value', worker: 'status' },
  input: { type: 'text', wire: 'field', given: true, worker: 'input' },
  // As text, so that it is stored as it was written.
  data: { type: 'text', wire: 'field', given: true, worker: 'data' },
  output: { type: 'text', wire: 'field' },
  output_json: { type: 'json', wire: 'field' },
  error: { type: 'text', wire: 'field', webhook: 'value' },
  error_code: { type: 'text', wire: 'field', webhook: 'value' },
  total_steps: { type: 'int', wire: 'field', webhook: 'value' },
  tokens_in: { type: 'int', wire: 'field', webhook: 'value' },
  tokens_out: { type: 'int', wire: 'field', webhook: 'value' },
  cost_usd: { type: 'numeric', wire: 'field', webhook: 'value', worker: 'costUsd' },
  tokens_cached: { type: 'int', wire: 'field', webhook: 'value' },
  tokens_cache_written: { type: 'int', wire: 'field', webhook: 'value' },
  tokens_reasoning: { type: 'int', wire: 'field', webhook: 'value' },
  calls_without_usage: { type: 'int', wire: 'field', webhook: 'value' },
  retry_of: { type: 'text', wire: 'field', webhook: 'value' },
  forked_from: { type: 'text', wire: 'part' },
  forked_step: { type: 'int', wire: 'part' },
  triggered_by: { type: 'text', wire: 'field', given: true },
  triggerer_name: { type: 'text', wire: 'part', given: true },
  tags: { type: 'jsonb', wire: 'field', webhook: 'object', given: true, worker: 'tags' },
  warnings: { type: 'jsonb', wire: 'field', webhook: 'list' },
  pending: { type: 'json', wire: 'field' },
  waiting_since: { type: 'timestamptz', wire: 'part' },
  expires_at: { type: 'timestamptz', wire: 'part' },
  created_at: { type: 'timestamptz', wire: 'field', webhook: 'time' },
  started_at: { type: 'timestamptz', wire: 'field', webhook: 'time' },
  finished_at: { type: 'timestamptz', wire: 'field', webhook: 'time' },
  attempt: { type: 'int', worker: 'attempt' },
  takes_without_progress: { type: 'int', worker: 'crashCount' },
  probation_size: { type: 'int', worker: 'probationSize' },
  last_sequence: { type: 'int', worker: 'lastSequence' },
  tool_bytes: { type: 'bigint', worker: 'toolBytes' },
} as const satisfies Record<string, Field>

type Fields = typeof runFields
export type UsageColumn = keyof typeof usageFields
type WireColumn = {
  [Name in keyof Fields]: Fields[Name] extends { wire: string } ? Name : never
}[keyof Fields]
/** The fields of an answer that are columns. */
export type WireField = {
  [Name in keyof Fields]: Fields[Name] extends { wire: 'field' } ? Name : never
}[keyof Fields]

const rows = Object.entries<Field>(runFields)

export const usageColumns = Object.keys(usageFields) as UsageColumn[]

/** The columns that an answer is made of. */
export const wireColumns = rows.flatMap(([name, { wire }]) =>
  wire === undefined ? [] : [name],
) as WireColumn[]

/** For the recordset of a trigger. */
export const givenTypes = given(([name, { type }]) => `${name} ${type}`)
/** For its insert list. */
export const givenNames = given(([name]) => name)
/** And the values of that. */
export const givenValues = given(([name]) => {
  if (name === 'data') return 'data::json'
  if (name === 'workflow_version')
    return 'case when begins then begun_version else workflow_version end'
  return name
})

function given(toText: (row: [string, Field]) => string): string {
  return rows
    .filter(([, field]) => field.given)
    .map(toText)
    .join(', ')
}

/** For the select list of what a worker reads, of the table `runs`. */
export const workerColumns = rows
  .flatMap(([name, { worker }]) => (worker === undefined ? [] : [`runs.${name} as "${worker}"`]))
  .join(',\n           ')

/** For the `jsonb_build_object` of a snapshot, of a row. */
export function snapshotOf(row: string): string {
  const shown = { object: `'{}'`, list: `'[]'` }
  return rows
    .flatMap(([name, { webhook }]) => {
      const column = `${row}.${name}`
      if (webhook === undefined) return []
      if (webhook === 'value') return [`'${name}', ${column}`]
      if (webhook === 'time') return [`'${name}', ${isoTime(column)}`]
      return [`'${name}', coalesce(${column}, ${shown[webhook]})`]
    })
    .join(',\n           ')
}

/** Who an id names: a person, a key, or what makes the service act by itself, such as a schedule. */
export function actorType(id: string): 'user' | 'key' | 'system' {
  if (id.startsWith('usr_')) return 'user'
  return id.startsWith('key_') ? 'key' : 'system'
}

/** The same in SQL, of a column. */
export function actorTypeOf(column: string): string {
  return `case left(${column}, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end`
}

/** A time as answers and webhooks show it. */
export function isoTime(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
