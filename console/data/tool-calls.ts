import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { RequestedCall, ToolWorker } from '../../sdk/generated.ts'
import { useList, usePages } from '../session/api.ts'

/** Who executes calls of callers' tools. */
export function useToolWorkers(): UseQueryResult<ToolWorker[]> {
  return useList(['tool-workers'], (muster, options) => muster.tool_workers.list(options), {
    refetchInterval: 5_000,
  })
}

export function useToolCalls(
  status: RequestedCall['status'] | '',
): UseInfiniteQueryResult<RequestedCall[]> {
  const chosen = { limit: 30, ...(status !== '' && { status }) }
  return usePages(
    ['tool-calls', status],
    (muster, options) => muster.tool_calls.list({ ...chosen, ...options }),
    { refetchInterval: 3_000 },
  )
}
