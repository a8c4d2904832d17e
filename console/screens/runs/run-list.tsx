import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import type { Run } from '../../../sdk/generated.ts'
import { useKeys } from '../../ui/keys.ts'
import { useHeld } from '../../parts/runs/held.ts'
import { NewerRuns } from '../../parts/runs/newer-runs.tsx'
import type { Choice } from './choose.ts'
import { RunColumns, RunRow, summaryOf } from '../../parts/runs/run-row.tsx'

interface Props {
  latest: Run[]
  nameOf: (workflowId: string) => string
  /** Loads the next page; called when the end comes into view. */
  showMore: (() => void) | undefined
  /** Searched words. */
  search?: string | undefined
  /** Set during a selection. */
  choice?: Choice | undefined
}

/** A virtual list: only visible rows are rendered. */
export function RunList({ latest, nameOf, showMore, search, choice }: Props): ReactNode {
  // Includes the button for newer runs, so that the list stays frozen while a person moves to it.
  const place = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const { runs, newer, marked, release } = useHeld(place, latest)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), [])
  const virtual = useWindowVirtualizer({
    count: runs.length,
    estimateSize: () => 42,
    overscan: 10,
    scrollMargin: top,
    getItemKey: useCallback((index: number) => runs[index]?.id ?? index, [runs]),
  })
  const shown = virtual.getVirtualItems()
  const isAtEnd = shown.at(-1)?.index === runs.length - 1
  useEffect(() => {
    if (isAtEnd) showMore?.()
  }, [isAtEnd, showMore])
  const navigate = useNavigate()
  const move = (by: 1 | -1) => {
    const focused = focusedRun()
    const index = runs.findIndex(({ id }) => id === focused)
    const next = index === -1 ? 0 : index + by
    const run = runs[next]
    if (run === undefined) return
    virtual.scrollToIndex(next, { align: 'auto' })
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-run="${run.id}"]`)?.focus(),
    )
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    o: () => {
      const runId = focusedRun()
      if (runId !== undefined) void navigate({ to: '/runs/$runId', params: { runId } })
    },
    x: () => {
      const runId = focusedRun()
      if (runId !== undefined) choice?.toggle(runId)
    },
  })
  return (
    <div ref={place} className="relative">
      <div className={choice === undefined ? '' : 'pl-6'}>
        <RunColumns />
      </div>
      <NewerRuns count={newer.length} release={release} />
      <ul
        ref={list}
        aria-label="Runs"
        className="panel relative overflow-hidden"
        style={{ height: `${virtual.getTotalSize() + 2}px` }}
      >
        {shown.map(({ index, key, start }) => {
          const run = runs[index] as Run
          return (
            <li
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              className={`absolute inset-x-0 top-0 ${index < runs.length - 1 ? 'border-b' : ''}`}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              {choice !== undefined && (
                <label className="absolute inset-y-0 left-0 z-10 grid w-10 place-items-center">
                  <input
                    type="checkbox"
                    aria-label={`Choose ${summaryOf(run)}`}
                    checked={choice.ids.has(run.id)}
                    onChange={() => choice.toggle(run.id)}
                    className="size-4 accent-accent-fill pointer-coarse:size-5"
                  />
                </label>
              )}
              <div className={choice === undefined ? '' : 'pl-6'}>
                <RunRow
                  run={run}
                  workflowName={nameOf(run.workflow_id)}
                  isMarked={marked.has(run.id)}
                  search={search}
                />
              </div>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** The run whose row has the focus. */
function focusedRun(): string | undefined {
  const row = document.activeElement?.closest('li')
  return row?.querySelector<HTMLElement>('[data-run]')?.dataset['run']
}
