import type { Usage } from '../../../sdk/generated.ts'
import { dayMs } from '../../ui/text/format.ts'

/** The view in the URL: a range of days, and the key of a tag. */
export interface View {
  days?: Days
  tag?: string
}

export const spans = { 7: '7 days', 30: '30 days', 90: '90 days', 365: '365 days' } as const
export type Days = keyof typeof spans
export const defaultDays = 30

export function readView({ days, tag }: Record<string, unknown>): View {
  return {
    ...(Number(days) in spans && Number(days) !== defaultDays
      ? { days: Number(days) as Days }
      : {}),
    ...(typeof tag === 'string' && /^[a-z0-9_.-]{1,40}$/.test(tag) ? { tag } : {}),
  }
}

/** UTC days up to today. */
export function daysUntil(now: number, count: number): string[] {
  return Array.from({ length: count }, (_, place) =>
    new Date(now - (count - 1 - place) * dayMs).toISOString().slice(0, 10),
  )
}

/** A row for each day, including days without runs. */
export function fillDays(rows: readonly Usage[], days: readonly string[]): Usage[] {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return days.map((day) => byDay.get(day) ?? { ...sumOf([]), day })
}

/** The sum of all rows; durations cannot be added. */
export function sumOf(rows: readonly Usage[]): Usage {
  const sum = (name: 'steps' | 'tokens_in' | 'tokens_out' | 'cost_usd' | 'calls_without_price') =>
    rows.reduce((total, row) => total + row[name], 0)
  const ofRuns = (name: 'runs' | 'completed' | 'failed' | 'cancelled') =>
    rows.reduce((total, row) => total + (row[name] ?? 0), 0)
  return {
    runs: ofRuns('runs'),
    completed: ofRuns('completed'),
    failed: ofRuns('failed'),
    cancelled: ofRuns('cancelled'),
    steps: sum('steps'),
    tokens_in: sum('tokens_in'),
    tokens_out: sum('tokens_out'),
    cost_usd: sum('cost_usd'),
    calls_without_price: sum('calls_without_price'),
    duration_p50_ms: null,
    duration_p95_ms: null,
  }
}
