import type { UseQueryResult } from '@tanstack/react-query'
import type { Usage } from '../../sdk/generated.ts'
import { useAnswer } from '../session/api.ts'

export interface UsageRows {
  rows: Usage[]
  hasMore: boolean
}

const mostRows = 1_000

/**
 * Usage since a day in one grouping. Its key is under `runs`, so that it is refetched when runs
 * end.
 */
export function useUsage(from: string, groupBy: string): UseQueryResult<UsageRows> {
  return useAnswer(['runs', 'usage', from, groupBy], async (muster, options) => {
    const query = { from, group_by: groupBy, limit: mostRows }
    const page = await muster.usage.list({ ...query, ...options })
    return { rows: [...page], hasMore: page.hasNext }
  })
}
