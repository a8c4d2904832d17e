import {
  keepPreviousData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { BulkOperation, Run, RunCounts } from '../../../sdk/generated.ts'
import { useAnswer, usePages } from '../../session/api.ts'
import { queryOf, type Filters } from './filters.ts'
import { serverNow } from '../../ui/text/server-time.ts'

const pageSize = 50

/** Runs of the account, newest first, page by page. */
export function useRuns(filters: Filters): UseInfiniteQueryResult<Run[]> {
  return usePages(
    ['runs', 'list', filters],
    (muster, options) =>
      muster.runs.list_all({ ...options, ...queryOf(filters, serverNow()), limit: pageSize }),
    { keepsOther: false },
  )
}

/** How many runs are in each status, with these filters. */
export function useRunCounts(filters: Filters): UseQueryResult<RunCounts> {
  const { state: _, ...others } = filters
  return useAnswer(
    ['runs', 'counts', others],
    (muster, options) => muster.runs.counts({ ...options, ...queryOf(others, serverNow()) }),
    { placeholderData: keepPreviousData },
  )
}

/** The first few runs, and whether there are more. */
export interface Glance {
  runs: Run[]
  hasMore: boolean
}

const mostGlanced = 100

export function useGlance(
  name: string,
  filters: Filters,
  limit = mostGlanced,
): UseQueryResult<Glance> {
  return useAnswer(['runs', 'glance', name], async (muster, options) => {
    const query = { ...queryOf(filters, serverNow()), limit }
    const page = await muster.runs.list_all({ ...query, ...options })
    return { runs: [...page], hasMore: page.hasNext }
  })
}

/** Polls a bulk operation until it has ended. */
export function useBulkOperation(id: string | undefined): BulkOperation | undefined {
  return useAnswer(
    ['bulk-operation', id],
    (muster, options) => muster.bulk_operations.retrieve(id ?? '', options),
    {
      enabled: id !== undefined,
      refetchInterval: ({ state }) => (state.data?.status === 'running' ? 500 : false),
    },
  ).data
}
