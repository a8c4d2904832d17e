import { queryOptions } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'
import type { Usage } from '../../sdk/generated.ts'

export interface UsageRows {
  rows: Usage[]
  hasMore: boolean
}

const mostRows = 1_000

/** Usage since a day, of one way to group it. Under `runs`, so that it is read again when runs end. */
export const usageQuery = (muster: Muster, from: string, groupBy: string) =>
  queryOptions({
    queryKey: ['runs', 'usage', from, groupBy],
    queryFn: async ({ signal }): Promise<UsageRows> => {
      const query = { from, group_by: groupBy, limit: mostRows }
      const page = await muster.usage.list(query, { signal })
      return { rows: [...page], hasMore: page.hasNext }
    },
  })
