import type { UseQueryResult } from '@tanstack/react-query'
import type { Budget } from '../../sdk/generated.ts'
import { useList } from '../session/api.ts'

export function useBudgets(): UseQueryResult<Budget[]> {
  return useList(['budgets'], (muster, options) => muster.budgets.list(options), {
    refetchInterval: 5_000,
  })
}
