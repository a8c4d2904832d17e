import type { Usage, UsageListQuery } from '../../sdk/index.ts'
import { dollars, duration } from '../format.ts'
import { given, limit, take, type Call, type Limited, type Verbs } from '../noun.ts'
import { forStdout, table } from '../output.ts'
import { shell } from '../shell.ts'

interface UsageOptions extends Limited {
  groupBy: string
  from?: string
  to?: string
  csv?: true
}

export function addUsage({ verb }: Verbs): void {
  verb(
    'usage',
    'show what was used, by day, workflow, agent, model or tag',
    async ({ muster, options }: Call<UsageOptions>) => {
      const { groupBy, from, to, csv } = options
      const query: UsageListQuery = given({ group_by: groupBy, from, to })
      if (csv !== true) return take(options, (page) => muster.usage.list({ ...page, ...query }))
      shell().stdout.write(forStdout(await muster.usage.csv(query)))
      return undefined
    },
    (rows) => {
      const [first] = rows
      const hasRuns = first !== undefined && first.runs !== null
      const ofRuns = hasRuns ? (['runs', 'failed', 'cancelled'] as const) : []
      return table(rows, ['group', ...ofRuns, 'steps', 'in', 'out', 'p50', 'p95', 'cost'], {
        group: groupOf,
        in: (row) => row.tokens_in,
        out: (row) => row.tokens_out,
        p50: (row) => time(row.duration_p50_ms),
        p95: (row) => time(row.duration_p95_ms),
        cost: (row) => dollars(row.cost_usd),
      })
    },
  )
    .option(
      '--group-by <what>',
      'day, workflow, agent, model, or tag: and a key, such as tag:customer',
      'day',
    )
    .option('--from <day>', 'first day, in UTC; 29 days before the last one by default')
    .option('--to <day>', 'day after the last one; tomorrow by default')
    .option('--csv', 'all rows as CSV')
    .option(...limit(50))
}

function groupOf(row: Usage): string {
  const id = row.day ?? row.workflow ?? row.model ?? row.tag ?? row.agent
  return row.name ?? id ?? 'no agent'
}

function time(ms: number | null): string | null {
  return ms === null ? null : duration(ms)
}
