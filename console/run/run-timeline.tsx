import { getRouteApi } from '@tanstack/react-router'
import { useMemo, type ReactNode } from 'react'
import type { RunEvent, RunWithSteps } from '../../sdk/generated.ts'
import { hasEnded } from '../runs/status.ts'
import { useNow } from '../ui/clock.ts'
import { Section } from '../ui/page.tsx'
import { Detail } from './detail.tsx'
import { makeScale } from './scale.ts'
import { buildRows } from './timeline.ts'
import { TimelineView } from './timeline-view.tsx'

const route = getRouteApi('/runs/$runId')
const farFuture = 86_400_000

interface Props {
  run: RunWithSteps
  events: readonly RunEvent[]
}

/** The timeline, and beside it what is selected in it. */
export function Timeline({ run, events }: Props): ReactNode {
  const { at } = route.useSearch()
  const navigate = route.useNavigate()
  const isOver = hasEnded(run)
  // A run that has ended does not move with the clock.
  const ticking = useNow(isOver ? farFuture : 1_000)
  const rows = useMemo(() => buildRows(run, events), [run, events])
  const started = Date.parse(run.created_at)
  const now = Math.max(isOver ? Date.parse(run.finished_at ?? run.created_at) : ticking, started)
  const scale = useMemo(() => {
    const pauses = rows
      .filter(({ kind }) => kind === 'wait' || kind === 'queue')
      .map(({ from, to }) => ({ from, to: to ?? now }))
    return makeScale(started, Math.max(now, ...rows.map(({ to }) => to ?? 0)), pauses)
  }, [rows, started, now])
  const selected = rows.find(({ id }) => id === at)
  const select = (id: string | undefined) =>
    void navigate({
      search: id === undefined || id === at ? {} : { at: id },
      replace: true,
      resetScroll: false,
    })
  return (
    <Section title="What happened">
      {rows.length === 0 ? (
        <p className="panel px-4 py-3 text-ink-soft">Nothing yet.</p>
      ) : (
        <div className={selected === undefined ? '' : 'grid items-start gap-4 xl:grid-cols-2'}>
          <TimelineView rows={rows} scale={scale} now={now} selected={at} select={select} />
          {selected !== undefined && (
            <Detail row={selected} run={run} close={() => select(undefined)} />
          )}
        </div>
      )}
    </Section>
  )
}
