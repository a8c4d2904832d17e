import { sql, type RawBuilder } from 'kysely'
import type { Usage } from './run.ts'

/** The columns of `runs`, `steps` and `step_turns` that count what was used, and their fields of `Usage`. */
const fields = {
  tokens_in: 'tokensIn',
  tokens_out: 'tokensOut',
  cost_usd: 'costUsd',
  tokens_cached: 'tokensCached',
  tokens_cache_written: 'tokensCacheWritten',
  tokens_reasoning: 'tokensReasoning',
  calls_without_usage: 'callsWithoutUsage',
} as const satisfies Record<string, keyof Usage>

export type UsageColumn = keyof typeof fields
export const usageColumns = Object.keys(fields) as UsageColumn[]

/** As columns of a row. */
export function usageRow(usage: Usage): Record<UsageColumn, number> {
  const entries = usageColumns.map((column) => [column, usage[fields[column]]])
  return Object.fromEntries(entries) as Record<UsageColumn, number>
}

/** The columns with their types, for `json_to_recordset`. */
export const typedUsage = sql.raw(
  usageColumns.map((name) => `${name} ${name === 'cost_usd' ? 'numeric' : 'int'}`).join(', '),
)

export function usageOf(table: string): RawBuilder<unknown> {
  return sql.raw(usageColumns.map((name) => `${table}.${name}`).join(', '))
}

export const usageNames = sql.raw(usageColumns.join(', '))

/** Assignments that add the columns of another table of the statement. */
export function addUsageFrom(table: string, source: string): RawBuilder<unknown> {
  return sql.raw(
    usageColumns.map((name) => `${name} = ${table}.${name} + ${source}.${name}`).join(', '),
  )
}

/** Assignments that add what is given. */
export function addUsageTo(usage: Usage): RawBuilder<unknown> {
  const row = usageRow(usage)
  return sql.join(
    usageColumns.map((name) => sql`${sql.ref(name)} = ${sql.ref(name)} + ${row[name]}`),
  )
}

export function usageValues(usage: Usage): RawBuilder<unknown> {
  return sql.join(Object.values(usageRow(usage)))
}

/** What a step has used so far, of the table `steps`, as `Usage`. */
export const recordedUsage = sql.raw(
  `json_build_object(${usageColumns.map((name) => `'${fields[name]}', steps.${name}`).join(', ')})`,
)

/** The columns of a row as fields of an object, for `jsonb_build_object`. */
export function usageFields(row: string): RawBuilder<unknown> {
  return sql.raw(usageColumns.map((name) => `'${name}', ${row}.${name}`).join(', '))
}
