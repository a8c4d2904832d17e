import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { countWaiting, usePending } from '../../data/inbox.ts'
import type { Filters } from '../../data/runs/filters.ts'
import { useGlance, type Glance } from '../../data/runs/list.ts'
import { formatCost, formatCount } from '../../ui/text/format.ts'
import { useRecentDays } from '../../parts/usage/recent-days.ts'
import { sumOf } from '../../parts/usage/view.ts'

/**
 * Current activity, and today's failures and cost (in UTC), each with a link to the runs that it
 * counts.
 */
export function Figures(): ReactNode {
  const { data: pending } = usePending()
  const queued = useGlance('queued', { state: 'queued' })
  const running = useGlance('running', { state: 'running' })
  const { days, query: used } = useRecentDays()
  const sum = sumOf(used.data?.rows.filter(({ day }) => day === days.at(-1)) ?? [])
  const { failed } = sum
  return (
    <ul className="mb-8 grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure
        name="Waiting"
        value={pending === undefined ? '…' : countWaiting(pending)}
        to="/inbox"
        tone={pending?.length ? 'text-warn' : ''}
      />
      <Figure
        name="Running"
        value={countOf(queued.data, running.data)}
        to="/runs"
        search={{ state: 'running' }}
      />
      <Figure
        name="Failed today"
        value={used.data === undefined ? '…' : formatCount(failed ?? 0)}
        to="/runs"
        search={{ state: 'failed' }}
        tone={(failed ?? 0) > 0 ? 'text-bad' : ''}
      />
      <Figure
        name="Spent today"
        value={used.data === undefined ? '…' : formatCost(sum)}
        to="/usage"
      />
    </ul>
  )
}

function countOf(...glances: (Glance | undefined)[]): string {
  if (glances.includes(undefined)) return '…'
  const count = glances.reduce((sum, glance) => sum + (glance?.runs.length ?? 0), 0)
  return `${formatCount(count)}${glances.some((glance) => glance?.hasMore) ? '+' : ''}`
}

interface FigureProps {
  name: string
  value: string
  to: '/inbox' | '/runs' | '/usage'
  search?: Filters
  tone?: string
}

function Figure({ name, value, to, search = {}, tone = '' }: FigureProps): ReactNode {
  return (
    <li>
      <Link to={to} search={search} className="panel block px-4 py-3 hover:bg-hover">
        <span className="block text-sm text-ink-soft">{name}</span>
        <span className={`mt-0.5 block text-2xl font-semibold tracking-tight tabular-nums ${tone}`}>
          {value}
        </span>
      </Link>
    </li>
  )
}
