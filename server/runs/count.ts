import type { Context } from '../context.ts'
import { countRuns, type RunFilter } from '../engine/reads/search.ts'
import { runErrorCodes } from '../engine/run/run.ts'
import { countLimit, type RunCounts } from '../engine/wire/run-counts.ts'
import type { RunsQuery } from '../engine/wire/runs-query.ts'
import { toFilter } from './list.ts'

/** What a list of each status asks for. */
const queries: Record<keyof RunCounts, RunsQuery> = {
  queued: { status: 'queued' },
  running: { status: 'running' },
  waiting_input: { status: 'waiting_input' },
  completed: { status: 'completed' },
  with_warnings: { status: 'completed', has_warnings: true },
  failed: {
    status: 'failed',
    error_code: runErrorCodes.filter((code) => code !== 'cancelled').join(),
  },
  cancelled: { status: 'cancelled' },
}

/** Counts the runs of each status that match the other filters, each up to a limit. */
export async function countByStatus(ctx: Context, query: RunsQuery): Promise<RunCounts> {
  const names = Object.keys(queries) as (keyof RunCounts)[]
  const filters = names.map((name): RunFilter => {
    const filter = toFilter(ctx, { ...query, ...queries[name] })
    return { ...filter, limit: countLimit + 1, after: undefined }
  })
  const counts = await countRuns(ctx.reads, ctx.accountId, filters)
  const entries = names.map((name, place) => {
    const count = counts[place] ?? 0
    return [name, { count: Math.min(count, countLimit), more: count > countLimit }] as const
  })
  return Object.fromEntries(entries) as RunCounts
}
