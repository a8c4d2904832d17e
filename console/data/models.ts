import type { UseQueryResult } from '@tanstack/react-query'
import type { Model } from '../../sdk/generated.ts'
import { useList } from '../session/api.ts'

export const demoModel = 'muster/demo'

export function useModels(): UseQueryResult<Model[]> {
  return useList(['models'], (muster, options) => muster.models.list(options), {
    staleTime: 60_000,
  })
}
