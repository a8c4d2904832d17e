import { queryOptions } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'

const heldEveryMs = 5_000

export const runQuery = (muster: Muster, runId: string) =>
  queryOptions({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => muster.runs.retrieve(runId, {}, { signal }),
    // That nothing moves, and why, is no event.
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'queued' || data?.status === 'running' ? heldEveryMs : false,
  })
