import { queryOptions } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'

export const agentsQuery = (muster: Muster) =>
  queryOptions({
    queryKey: ['agents'],
    queryFn: async ({ signal }) => [...(await muster.agents.list({}, { signal }))],
    staleTime: 15_000,
  })

export const agentQuery = (muster: Muster, agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId],
    queryFn: ({ signal }) => muster.agents.retrieve(agentId, { signal }),
    // So that somebody else's change is seen.
    refetchInterval: 15_000,
  })
