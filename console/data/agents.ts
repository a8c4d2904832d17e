import type { UseQueryResult } from '@tanstack/react-query'
import type { Agent } from '../../sdk/generated.ts'
import { useAnswer, useList } from '../session/api.ts'

export function useAgents(): UseQueryResult<Agent[]> {
  return useList(['agents'], (muster, options) => muster.agents.list(options), {
    staleTime: 15_000,
  })
}

/** Refetched at intervals, so that changes by other people show up. */
export function useAgent(id: string): UseQueryResult<Agent> {
  return useAnswer(['agent', id], (muster, options) => muster.agents.retrieve(id, options), {
    refetchInterval: 15_000,
  })
}
