import { toCsv } from '../http/csv.ts'
import { countNames } from './counts.ts'
import type { Usage } from './schema.ts'

const sums = ['runs', ...countNames, 'duration_p50_ms', 'duration_p95_ms'] as const

/** The column of the group first; a tag's is `tag`, whatever its key. */
export function toUsageCsv(rows: Usage[], { group_by = 'day' }: { group_by?: string }): string {
  const group = (group_by.startsWith('tag:') ? 'tag' : group_by) as keyof Usage
  const hasName = group === 'workflow' || group === 'agent'
  const names: (keyof Usage)[] = [group, ...(hasName ? (['name'] as const) : []), ...sums]
  return toCsv(
    names.map((name) => [name, (row: Usage) => row[name]] as const),
    rows,
  )
}
