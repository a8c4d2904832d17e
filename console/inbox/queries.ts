import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { WaitingRun } from '../../sdk/generated.ts'
import { useList } from '../session/api.ts'

/** The oldest of what waits; more are not shown at once. */
export const mostCases = 100

export function usePending(): UseQueryResult<WaitingRun[]> {
  return useList(['pending'], (muster, options) =>
    muster.pending.list({ limit: mostCases }, options),
  )
}

/** A request as it was last seen: it stays on the page when somebody else has answered it. */
export function useCase(pendingId: string): WaitingRun | undefined {
  const { data } = usePending()
  const waiting = data?.find(({ pending }) => pending.id === pendingId)
  const { data: seen } = useQuery({
    queryKey: ['case', pendingId],
    queryFn: () => waiting ?? null,
    enabled: waiting !== undefined,
    staleTime: Infinity,
    gcTime: Infinity,
  })
  return waiting ?? seen ?? undefined
}
