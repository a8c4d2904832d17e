import type { UseQueryResult } from '@tanstack/react-query'
import type { View } from '../../sdk/generated.ts'
import { useList } from '../session/api.ts'

/** The saved views of the list of runs, by name. */
export function useViews(): UseQueryResult<View[]> {
  return useList(['views'], (muster, options) => muster.views.list(options), {
    staleTime: 15_000,
    select: (views) => views.toSorted((a, b) => a.name.localeCompare(b.name, 'en')),
  })
}
