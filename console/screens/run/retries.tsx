import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import type { Glance } from '../../data/runs.ts'
import { RunStatus } from '../../parts/runs/run-status.tsx'
import { useAnswer } from '../../session/api.ts'
import { Failure } from '../../ui/failure.tsx'

const mostShown = 3

/** The newest retries of a run. Only failed runs have any; of one that is not there yet they are read beside it. */
export function useRetries(id: string, run: RunWithSteps | undefined): UseQueryResult<Glance> {
  return useAnswer(
    ['runs', 'retries', id],
    async (muster, options) => {
      const page = await muster.runs.list_all({ ...options, retry_of: id, limit: mostShown })
      return { runs: [...page], hasMore: page.hasNext }
    },
    { enabled: run === undefined || run.status === 'failed' },
  )
}

/** As which runs it was retried, below its name; nothing where it was not, or could not be. */
export function aboutRetries(
  { id: runId, status }: RunWithSteps,
  { data, error, refetch }: UseQueryResult<Glance>,
): ReactNode {
  if (status !== 'failed') return undefined
  if (data === undefined) {
    return error === null ? undefined : <Failure error={error} retry={() => void refetch()} />
  }
  if (data.runs.length === 0) return undefined
  return (
    <div className="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-sm">
      <span id="retried-as">Retried as</span>
      <div className="grid min-w-0 gap-1">
        <ul aria-labelledby="retried-as" className="grid gap-1">
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
          <Link to="/runs" search={{ retried: runId }} className="link justify-self-start">
            All retries
          </Link>
        )}
      </div>
    </div>
  )
}
