import type { UseQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useUsage, type UsageRows } from '../../data/usage.ts'
import { useNow } from '../../ui/text/clock.ts'
import { daysUntil } from './view.ts'

const count = 14

/** The last days, in UTC with today, and the usage by day since the first of them. */
export function useRecentDays(workflowId?: string): {
  days: string[]
  query: UseQueryResult<UsageRows>
} {
  const today = new Date(useNow(60_000)).toISOString().slice(0, 10)
  const days = useMemo(() => daysUntil(Date.parse(today), count), [today])
  return { days, query: useUsage(days[0] as string, 'day', workflowId) }
}
