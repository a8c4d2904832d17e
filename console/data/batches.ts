import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { Batch, BatchItem } from '../../sdk/generated.ts'
import { useAnswer, useList, usePages } from '../session/api.ts'

export function useBatches(): UseQueryResult<Batch[]> {
  return useList(['batches'], (muster, options) => muster.batches.list(options), {
    refetchInterval: 5_000,
  })
}

export function useBatch(id: string): UseQueryResult<Batch> {
  return useAnswer(['batch', id], (muster, options) => muster.batches.retrieve(id, options), {
    refetchInterval: ({ state }) => (state.data?.finished_at === null ? 1_000 : false),
  })
}

/** A status of items; those whose run completed with warnings are apart. */
export type ItemState = BatchItem['status'] | 'warned'

/** `version` changes whenever the items may have changed. */
export function useItems(
  id: string,
  status: ItemState | '',
  version: string,
): UseInfiniteQueryResult<BatchItem[]> {
  const chosen = {
    limit: 50,
    ...(status === 'warned' && { status: 'completed' as const, has_warnings: true }),
    ...(status !== '' && status !== 'warned' && { status }),
  }
  return usePages(['batch-items', id, status, version], (muster, options) =>
    muster.batches.items(id, { ...chosen, ...options }),
  )
}
