import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'
import type { Run } from '../../sdk/generated.ts'
import type { Page } from '../../sdk/page.ts'
import { queryOf, type Filters } from './filters.ts'

const pageSize = 50

/** Runs of the account, newest first, page by page. */
export const runsQuery = (muster: Muster, filters: Filters) =>
  infiniteQueryOptions({
    queryKey: ['runs', 'list', filters],
    queryFn: async ({ pageParam, signal }) =>
      (await pageParam?.next()) ??
      muster.runs.list_all({ ...queryOf(filters, Date.now()), limit: pageSize }, { signal }),
    initialPageParam: undefined as Page<Run> | undefined,
    getNextPageParam: (last) => (last.hasNext ? last : undefined),
    // A page knows the way to the next one, which a copy would not.
    structuralSharing: false,
  })

/** A few runs for a glance, and whether there are more. */
export interface Glance {
  runs: Run[]
  hasMore: boolean
}

const mostGlanced = 100

export const glanceQuery = (muster: Muster, name: string, filters: Filters) =>
  queryOptions({
    queryKey: ['runs', 'glance', name],
    queryFn: async ({ signal }): Promise<Glance> => {
      const query = { ...queryOf(filters, Date.now()), limit: mostGlanced }
      const page = await muster.runs.list_all(query, { signal })
      return { runs: [...page], hasMore: page.hasNext }
    },
  })
