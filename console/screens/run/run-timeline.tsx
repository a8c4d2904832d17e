import { getRouteApi } from '@tanstack/react-router'
import { useMemo, type ReactNode } from 'react'
import type { RunEvent, RunWithSteps } from '../../../sdk/generated.ts'
import { Section } from '../../ui/page.tsx'
import { Detail } from './detail.tsx'
import { useRunClock } from './run-clock.ts'
import { makeScale } from './scale.ts'
import { buildRows } from './timeline.ts'
import { TimelineView } from './timeline-view.tsx'

const route = getRouteApi('/runs/$runId')

interface Props {
  run: RunWithSteps
  events: readonly RunEvent[]
}

/** The timeline, with the selected row beside it. */
export function Timeline({ run, events }: Props): ReactNode {
  const { at } = route.useSearch()
  const navigate = route.useNavigate()
  const rows = useMemo(() => buildRows(run, events), [run, events])
  const now = useRunClock(run)
  const started = Math.max(Date.parse(run.created_at), rows[0]?.from ?? 0)
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
    <Section title="Timeline">
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
