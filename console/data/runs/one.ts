import type { UseQueryResult } from '@tanstack/react-query'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import { useAnswer } from '../../session/api.ts'

const heldEveryMs = 5_000

export function useRun(id: string, everyMs = heldEveryMs): UseQueryResult<RunWithSteps> {
  return useAnswer(['run', id], (muster, options) => muster.runs.retrieve(id, options), {
    // A held run sends no event, so its reason is polled.
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'queued' || data?.status === 'running' ? everyMs : false,
  })
}
