import { inFormats, listByText } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { listUsage } from './list-usage.ts'
import * as schema from './schema.ts'
import { toCsv } from '../http/csv.ts'
import { countNames } from './counts.ts'
import type { Usage } from './schema.ts'

export const usage: Resource = {
  tag: 'Usage',
  about: 'Usage by day, workflow, agent, model or tag.',
  schemas: schema,
  operations: [
    operation({
      id: 'usage.list',
      route: 'GET /v1/usage',
      cli: { command: 'usage', limit: 50 },
      role: 'viewer',
      action: 'list usage',
      summary: 'List usage',
      description:
        'By UTC day, workflow, agent, model or tag, sorted by these; 50 rows by default. Runs and steps count ' +
        'when they end, exactly; they still count after retention deletes them. Runs without the tag are omitted. ' +
        'As CSV with `Accept: text/csv`.',
      query: schema.usageQuery,
      answer: inFormats(listByText(schema.Usage, 'A page of usage.'), {
        'text/csv': (rows, { query }) => toUsageCsv(rows, query),
      }),
      verb: ({ ctx, page, query }) => listUsage(ctx, page, query),
    }),
  ],
}

const sums = [
  'runs',
  ...countNames.filter((name) => name !== 'calls_without_price'),
  'duration_p50_ms',
  'duration_p95_ms',
  // The newest column comes last.
  'calls_without_price',
] as const

/** The group is the first column; for a tag it is named `tag`, whatever its key. */
function toUsageCsv(rows: Usage[], { group_by = 'day' }: { group_by?: string }): string {
  const group = (group_by.startsWith('tag:') ? 'tag' : group_by) as keyof Usage
  const hasName = group === 'workflow' || group === 'agent'
  const names: (keyof Usage)[] = [group, ...(hasName ? (['name'] as const) : []), ...sums]
  return toCsv(
    names.map((name) => [name, (row: Usage) => row[name]] as const),
    rows,
  )
}
