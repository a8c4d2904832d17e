import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import { isIdle } from '../../data/runs/states.ts'
import type { Glance } from '../../data/runs/list.ts'
import { RunStatus } from '../../parts/runs/run-status.tsx'
import { useAnswer } from '../../session/api.ts'
import { Failure } from '../../ui/failure.tsx'

const mostShown = 3

/** The runs that continue a run: its retries and forks. */
export interface Descendants {
  retries: UseQueryResult<Glance>
  forks: UseQueryResult<Glance>
}

/**
 * The newest retries and forks. Only failed runs have retries, and only idle runs have forks; while
 * the run itself is loading, both are loaded in parallel.
 */
export function useDescendants(id: string, run: RunWithSteps | undefined): Descendants {
  const retries = useAnswer(
    ['runs', 'retries', id],
    async (muster, options) => {
      const page = await muster.runs.list_all({ ...options, retry_of: id, limit: mostShown })
      return { runs: [...page], hasMore: page.hasNext }
    },
    { enabled: run === undefined || run.status === 'failed' },
  )
  const forks = useAnswer(
    ['runs', 'forks', id],
    async (muster, options) => {
      const page = await muster.runs.list_all({ ...options, forked_from: id, limit: mostShown })
      return { runs: [...page], hasMore: page.hasNext }
    },
    { enabled: run === undefined || isIdle(run) },
  )
  return { retries, forks }
}

/** Links to the retries and forks of a run, if it has any. */
export function aboutDescendants(run: RunWithSteps, { retries, forks }: Descendants): ReactNode {
  const all = [
    ...(run.status === 'failed'
      ? [{ label: 'Retried as', filter: 'retried' as const, query: retries }]
      : []),
    ...(isIdle(run) ? [{ label: 'Forked as', filter: 'forked' as const, query: forks }] : []),
  ]
  const shown = all.filter(
    ({ query: { data, error } }) => data?.runs.length !== 0 && (data ?? error),
  )
  if (shown.length === 0) return undefined
  return shown.map((one) => <Line key={one.label} {...one} runId={run.id} />)
}

interface LineProps {
  label: string
  filter: 'retried' | 'forked'
  query: UseQueryResult<Glance>
  runId: string
}

function Line({ label, filter, query: { data, error, refetch }, runId }: LineProps): ReactNode {
  const id = label.toLowerCase().replaceAll(' ', '-')
  if (data === undefined) {
    return error === null ? undefined : <Failure error={error} retry={() => void refetch()} />
  }
  return (
    <div className="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-sm">
      <span id={id}>{label}</span>
      <div className="grid min-w-0 gap-1">
        <ul aria-labelledby={id} className="grid gap-1">
          {data.runs.map((run) => (
            <li key={run.id} className="flex items-baseline gap-2">
              <Link
                to="/runs/$runId"
                params={{ runId: run.id }}
                className="link truncate font-mono text-xs"
              >
                {run.id}
              </Link>
              <RunStatus run={run} />
            </li>
          ))}
        </ul>
        {data.hasMore && (
          <Link to="/runs" search={{ [filter]: runId }} className="link justify-self-start">
            All {filter === 'retried' ? 'retries' : 'forks'}
          </Link>
        )}
      </div>
    </div>
  )
}
