import type { UseQueryResult } from '@tanstack/react-query'
import type { Workflow } from '../../sdk/generated.ts'
import { useAnswer, useList } from '../session/api.ts'

export function useWorkflows(): UseQueryResult<Workflow[]> {
  return useList(['workflows'], (muster, options) => muster.workflows.list({}, options), {
    staleTime: 15_000,
  })
}

/** Read again now and then, so that somebody else's change is seen. */
export function useWorkflow(id: string): UseQueryResult<Workflow> {
  return useAnswer(['workflow', id], (muster, options) => muster.workflows.retrieve(id, options), {
    refetchInterval: 15_000,
  })
}
