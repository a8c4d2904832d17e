import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Run } from '../../sdk/generated.ts'
import { formatUsd } from '../ui/format.ts'
import { toLine } from '../ui/invisible.ts'
import { Ago, Span } from '../ui/time.tsx'
import { RunStatus } from './run-status.tsx'
import { Tags } from './tags.tsx'

interface Props {
  run: Run
  workflowName: string
  /** It came or changed just now. */
  isMarked: boolean
}

/** One run of a list: what it is, how it stands, when, how long, for how much. */
export function RunRow({ run, workflowName, isMarked }: Props): ReactNode {
  return (
    <Link
      to="/runs/$runId"
      params={{ runId: run.id }}
      data-run={run.id}
      className={`grid ${isMarked ? 'bg-live-soft' : ''} transition-colors duration-700 grid-cols-[1fr_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2.5 hover:bg-hover md:grid-cols-[7rem_1fr_5rem_5rem_5.5rem] focus-visible:-outline-offset-2`}
    >
      <span className="order-2 text-sm text-ink-soft md:order-none">
        <RunStatus run={run} />
      </span>
      <span className="order-1 min-w-0 md:order-none">
        <span className="block truncate text-base font-medium">{workflowName}</span>
        <span className="block truncate text-sm text-ink-soft">{summaryOf(run)}</span>
        <Tags tags={run.tags} />
      </span>
      <span className="hidden text-right text-sm text-ink-soft tabular-nums md:block">
        {run.started_at === null ? '–' : <Span from={run.started_at} to={run.finished_at} />}
      </span>
      <span className="hidden text-right text-sm text-ink-soft tabular-nums md:block">
        {formatUsd(run.cost_usd)}
      </span>
      <span className="order-3 col-span-2 text-xs text-ink-faint md:order-none md:col-span-1 md:text-right md:text-sm">
        <Ago at={run.created_at} />
      </span>
    </Link>
  )
}

/** The failure where there is one, else what the run was given. */
export function summaryOf(run: Run): string {
  return toLine(run.error ?? run.input, 240)
}
