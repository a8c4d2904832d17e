import { useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import type { ModelProvider } from '../../sdk/generated.ts'
import { useList } from '../session/api.ts'

export function useModelProviders(): UseQueryResult<ModelProvider[]> {
  return useList(['model-providers'], (muster, options) => muster.model_providers.list(options), {
    staleTime: 30_000,
  })
}

/** Refreshes everything: models, the default and the warnings of workflows depend on providers. */
export function useRefreshProviders(): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries()
}
