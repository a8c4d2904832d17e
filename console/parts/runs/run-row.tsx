import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Run } from '../../../sdk/generated.ts'
import { formatCost } from '../../ui/text/format.ts'
import { showInvisible, toLine } from '../../ui/text/invisible.ts'
import { Ago, Span } from '../../ui/text/time.tsx'
import { stateOf } from '../../data/runs/states.ts'
import { HitText } from '../../ui/text/hit-text.tsx'
import { findHit } from '../../ui/text/hit.ts'
import { RunStatus } from './run-status.tsx'
import { Tags } from './tags.tsx'

interface Props {
  run: Run
  workflowName: string
  /** The row is new or has just changed. */
  isMarked: boolean
  /** Searched words; the row shows the first that it finds. */
  search?: string | undefined
}

// The text keeps at least 40 % of the width; columns appear where there is room beside it.
const columns =
  'lg:grid-cols-[7.5rem_8rem_1fr_5.5rem] xl:grid-cols-[7.5rem_9rem_1fr_5rem_4.5rem_5.5rem] 2xl:grid-cols-[7.5rem_10rem_1fr_7.5rem_5rem_4.5rem_5.5rem]'

/** Column headings, if there is room. */
export function RunColumns(): ReactNode {
  return (
    <div
      aria-hidden="true"
      className={`hidden gap-x-4 px-4 pb-1.5 text-xs text-ink-faint lg:grid ${columns}`}
    >
      <span>Status</span>
      <span>Workflow</span>
      <span>Input, error or warning</span>
      <span className="hidden 2xl:block">Triggered by</span>
      <span className="hidden text-right xl:block">Duration</span>
      <span className="hidden text-right xl:block">Cost</span>
      <span className="text-right">Triggered</span>
    </div>
  )
}

/** A row of a run: name, status, time, duration and cost. */
export function RunRow({ run, workflowName, isMarked, search = '' }: Props): ReactNode {
  const isWarned = stateOf(run) === 'warned'
  const hit = findHit([run.error, run.input, run.output], search)
  return (
    <Link
      to="/runs/$runId"
      params={{ runId: run.id }}
      data-run={run.id}
      className={`grid ${isMarked ? 'bg-live-soft' : ''} transition-colors duration-700 grid-cols-[1fr_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2.5 hover:bg-hover ${columns} lg:py-2 focus-visible:-outline-offset-2`}
    >
      <span className="order-2 text-sm text-ink-soft lg:order-none">
        <RunStatus run={run} />
      </span>
      <span className="order-1 min-w-0 lg:contents">
        <span dir="auto" className="block truncate font-medium max-lg:text-base">
          {workflowName}
        </span>
        <span className="grid min-w-0 gap-y-1">
          {/* Right-to-left texts show their beginning. */}
          <span
            dir="auto"
            className={`truncate text-sm ${isWarned ? 'text-warn' : 'text-ink-soft'}`}
          >
            {hit === undefined ? summaryOf(run) : <HitText hit={hit} />}
          </span>
          <Tags tags={run.tags} />
        </span>
      </span>
      <span className="hidden truncate text-sm text-ink-soft 2xl:block">
        {run.triggered_by !== null && (
          <>
            <Column name="Triggered by" />
            {showInvisible(run.triggered_by.name)}
          </>
        )}
      </span>
      <span className="hidden text-right text-sm text-ink-soft tabular-nums xl:block">
        <Column name="Duration" />
        {run.started_at === null ? '–' : <Span from={run.started_at} to={run.finished_at} />}
      </span>
      <span className="hidden text-right text-sm whitespace-nowrap text-ink-soft tabular-nums xl:block">
        <Column name="Cost" />
        <span>{formatCost(run)}</span>
      </span>
      <span className="order-3 col-span-2 text-xs text-ink-faint lg:order-none lg:col-span-1 lg:text-right lg:text-sm">
        <Column name="Triggered" />
        <Ago at={run.created_at} />
      </span>
    </Link>
  )
}

/** The heading of a value's column, for people who hear the row. */
function Column({ name }: { name: string }): ReactNode {
  return <span className="sr-only">{name}: </span>
}

/** The error of the run, its first warning, or its input. */
export function summaryOf(run: Run): string {
  const warning = stateOf(run) === 'warned' ? run.warnings[0]?.message : undefined
  // The row has no room for the step, which a warning begins with.
  const what = warning?.replace(/^step \d+ \(.*?\): /, '')
  return toLine(run.error ?? what ?? run.input, 240)
}
