import type { UseQueryResult } from '@tanstack/react-query'
import type { Usage } from '../../sdk/generated.ts'
import { useAnswer } from '../session/api.ts'

export interface UsageRows {
  rows: Usage[]
  hasMore: boolean
}

const mostRows = 1_000

/**
 * Usage since a day in one grouping, of one workflow only by day. Its key is under `runs`, so that
 * it is refetched when runs end.
 */
export function useUsage(
  from: string,
  groupBy: string,
  workflowId?: string,
): UseQueryResult<UsageRows> {
  return useAnswer(['runs', 'usage', from, groupBy, workflowId], async (muster, options) => {
    const query = { from, group_by: groupBy, limit: mostRows }
    const ofOne = workflowId === undefined ? {} : { workflow_id: workflowId }
    const page = await muster.usage.list({ ...query, ...ofOne, ...options })
    return { rows: [...page], hasMore: page.hasNext }
  })
}
