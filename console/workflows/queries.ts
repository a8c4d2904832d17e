import { queryOptions } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'

export const workflowsQuery = (muster: Muster) =>
  queryOptions({
    queryKey: ['workflows'],
    queryFn: async ({ signal }) => [...(await muster.workflows.list({}, { signal }))],
    staleTime: 15_000,
  })

export const workflowQuery = (muster: Muster, workflowId: string) =>
  queryOptions({
    queryKey: ['workflow', workflowId],
    queryFn: ({ signal }) => muster.workflows.retrieve(workflowId, { signal }),
    // So that somebody else's change is seen.
    refetchInterval: 15_000,
  })
