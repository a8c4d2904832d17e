import { queryOptions } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'
import type { Connector } from '../../sdk/generated.ts'

export const connectorsQuery = (muster: Muster) =>
  queryOptions({
    queryKey: ['connectors'],
    queryFn: async ({ signal }): Promise<Connector[]> => [
      ...(await muster.connectors.list({}, { signal })),
    ],
    staleTime: 30_000,
  })
