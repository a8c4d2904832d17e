import type { UseQueryResult } from '@tanstack/react-query'
import type { Connector } from '../../sdk/generated.ts'
import { useList } from '../session/api.ts'

export function useConnectors(): UseQueryResult<Connector[]> {
  return useList(['connectors'], (muster, options) => muster.connectors.list(options), {
    staleTime: 30_000,
  })
}
