import {
  keepPreviousData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { Firing, PreviewSchedule, Schedule, SchedulePreview } from '../../sdk/generated.ts'
import { useAnswer, useList, usePages } from '../session/api.ts'

/** All schedules, or those of a workflow. */
export function useSchedules(workflowId?: string): UseQueryResult<Schedule[]> {
  const ofOne = workflowId === undefined ? {} : { workflow_id: workflowId }
  return useList(
    ['schedules', ofOne],
    (muster, options) => muster.schedules.list({ ...ofOne, ...options }),
    { refetchInterval: 10_000 },
  )
}

export function useSchedule(id: string): UseQueryResult<Schedule> {
  return useAnswer(['schedule', id], (muster, options) => muster.schedules.retrieve(id, options), {
    refetchInterval: 5_000,
  })
}

export function useFirings(
  id: string,
  status: Firing['status'] | '',
): UseInfiniteQueryResult<Firing[]> {
  const chosen = { limit: 30, ...(status !== '' && { status }) }
  return usePages(
    ['firings', id, status],
    (muster, options) => muster.schedules.firings(id, { ...chosen, ...options }),
    { refetchInterval: 5_000 },
  )
}

/** The next firings of a schedule; `key` changes whenever they may. */
export function useComing(id: string, key: string | null): UseQueryResult<SchedulePreview> {
  return useAnswer(['schedule-preview', id, key], (muster, options) =>
    muster.schedules.preview(id, options),
  )
}

/** The next firings for the timing in a form. */
export function usePreview(timing: PreviewSchedule): UseQueryResult<SchedulePreview> {
  return useAnswer(
    ['schedule-preview', timing],
    (muster, options) => muster.schedules.preview_new(timing, options),
    { placeholderData: keepPreviousData, retry: false },
  )
}
