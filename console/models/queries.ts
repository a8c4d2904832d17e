import { queryOptions } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'
import type { Model } from '../../sdk/generated.ts'

export const demoModel = 'muster/demo'

export const modelsQuery = (muster: Muster) =>
  queryOptions({
    queryKey: ['models'],
    queryFn: async ({ signal }): Promise<Model[]> => [
      ...(await muster.models.list({}, { signal })),
    ],
    staleTime: 60_000,
  })
