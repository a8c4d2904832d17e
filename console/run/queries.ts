import { queryOptions } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'

export const runQuery = (muster: Muster, runId: string) =>
  queryOptions({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => muster.runs.retrieve(runId, {}, { signal }),
  })
