import type { Usage } from '../../models/contract.ts'

/**
 * The fields of a run, one row each: its column, its type, and where it appears. The trigger's
 * recordset and insert list, webhook snapshots, API rows and what a worker reads are derived from
 * these rows. CONTRIBUTING.md lists what else a new field needs.
 */
interface Field {
  /** Column type for `json_to_recordset`. */
  type: string
  /** In API responses: a field of its own, or a part of another field. */
  wire?: 'field' | 'part'
  /** In webhooks: the plain value, an ISO time, or an empty object or list in place of null. */
  webhook?: 'value' | 'time' | 'object' | 'list'
  /** The trigger provides the value; other fields are set by the statement that inserts the run. */
  given?: true
  /** Name of the field in `Candidate`, if a worker reads it before it takes the run. */
  worker?: string
}

/** Usage columns of runs, steps and turns, and their fields in `Usage`. */
export const usageFields = {
  tokens_in: 'tokensIn',
  tokens_out: 'tokensOut',
  cost_usd: 'costUsd',
  tokens_cached: 'tokensCached',
  tokens_cache_written: 'tokensCacheWritten',
  tokens_reasoning: 'tokensReasoning',
  calls_without_usage: 'callsWithoutUsage',
  calls_without_price: 'callsWithoutPrice',
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
  // Text in the recordset, so that the JSON is stored exactly as it was written.
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
  calls_without_price: { type: 'int', wire: 'field', webhook: 'value' },
  retry_of: { type: 'text', wire: 'field', webhook: 'value' },
  forked_from: { type: 'text', wire: 'part' },
  forked_step: { type: 'int', wire: 'part' },
  triggered_by: { type: 'text', wire: 'field', given: true },
  triggerer_name: { type: 'text', wire: 'part', given: true },
  on_behalf_of: { type: 'jsonb', wire: 'part', given: true },
  tags: { type: 'jsonb', wire: 'field', webhook: 'object', given: true, worker: 'tags' },
  warnings: { type: 'jsonb', wire: 'field', webhook: 'list' },
  // Both null for a run that is no turn of a thread.
  thread_id: { type: 'text', wire: 'field', webhook: 'value', given: true, worker: 'threadId' },
  turn: { type: 'int', wire: 'field', webhook: 'value', given: true },
  context: { type: 'text', given: true, worker: 'context' },
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
/** Columns whose value the trigger gives. */
export type GivenColumn = {
  [Name in keyof Fields]: Fields[Name] extends { given: true } ? Name : never
}[keyof Fields]
/** API fields that are columns. */
export type WireField = {
  [Name in keyof Fields]: Fields[Name] extends { wire: 'field' } ? Name : never
}[keyof Fields]

const rows = Object.entries<Field>(runFields)

export const usageColumns = Object.keys(usageFields) as UsageColumn[]

/** Columns that API responses are made from. */
export const wireColumns = rows.flatMap(([name, { wire }]) =>
  wire === undefined ? [] : [name],
) as WireColumn[]

/** Columns and types of the trigger's recordset. */
export const givenTypes = given(([name, { type }]) => `${name} ${type}`)
/** Columns of the trigger's insert list. */
export const givenNames = given(([name]) => name)
/** Values for `givenNames`. */
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

/** Select list of what a worker reads from the table `runs`. */
export const workerColumns = rows
  .flatMap(([name, { worker }]) => (worker === undefined ? [] : [`runs.${name} as "${worker}"`]))
  .join(',\n           ')

/** Arguments for the `jsonb_build_object` of a snapshot of a row. */
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

/** A user or a key, with its name at that time. */
export interface Person {
  id: string
  name: string
}

/** The kind of actor that an id names. `system` is the service itself, such as a schedule. */
export function actorType(id: string): 'user' | 'key' | 'system' {
  if (id.startsWith('usr_')) return 'user'
  return id.startsWith('key_') ? 'key' : 'system'
}

/** `actorType` in SQL, for a column. */
export function actorTypeOf(column: string): string {
  return `case left(${column}, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end`
}

/** A time in the format of API responses and webhooks. */
export function isoTime(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
