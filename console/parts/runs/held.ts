import { useEffect, useRef, useState, type RefObject } from 'react'
import type { Run } from '../../../sdk/generated.ts'
import { mergeHeld } from './merge-held.ts'
import { stateOf } from '../../data/runs/states.ts'

/** How long new and changed rows are marked. */
const markedMs = 4_000

export interface Held {
  /**
   * The runs to show: their order is frozen while a person uses the list, their state is current.
   */
  runs: Run[]
  /** Newer runs, shown once the list is no longer in use. */
  newer: Run[]
  /** Rows that are new or have just changed. */
  marked: ReadonlySet<string>
  /** Adds the newer ones. */
  release: () => void
}

/**
 * Freezes the rows of a live list while the pointer or focus is in it, or it is scrolled, so that a
 * new run on top never makes a person open the wrong one.
 */
export function useHeld(list: RefObject<HTMLElement | null>, latest: Run[]): Held {
  const isHeld = useIsBusy(list)
  const [held, setHeld] = useState<Run[]>()
  if (isHeld && held === undefined && latest.length > 0) setHeld(latest)
  if (!isHeld && held !== undefined) setHeld(undefined)
  const marked = useMarked(latest)
  const release = () => setHeld(latest)
  if (!isHeld || held === undefined) return { runs: latest, newer: [], marked, release }
  const { runs, newer } = mergeHeld(held, latest)
  return { runs, newer, marked, release }
}

function useIsBusy(list: RefObject<HTMLElement | null>): boolean {
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => {
    let isInside = false
    const look = () => {
      const { current } = list
      const hasFocus = current?.contains(document.activeElement) === true
      const isScrolled = current !== null && current.getBoundingClientRect().top < 0
      setIsBusy(current !== null && (isInside || hasFocus || isScrolled))
    }
    const onMove = ({ target }: Event) => {
      isInside = target instanceof Node && list.current?.contains(target) === true
      look()
    }
    const events = ['pointerover', 'pointerdown'] as const
    for (const name of events) document.addEventListener(name, onMove)
    document.addEventListener('focusin', look)
    document.addEventListener('focusout', look)
    addEventListener('scroll', look, { passive: true })
    return () => {
      for (const name of events) document.removeEventListener(name, onMove)
      document.removeEventListener('focusin', look)
      document.removeEventListener('focusout', look)
      removeEventListener('scroll', look)
    }
  }, [list])
  return isBusy
}

/** Runs that are new, or whose status has changed since the last list. */
function useMarked(latest: Run[]): ReadonlySet<string> {
  const seen = useRef(new Map<string, string>())
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const before = seen.current
    seen.current = new Map(latest.map((run) => [run.id, stateOf(run)]))
    if (before.size === 0) return
    const newestBefore = latest.findIndex(({ id }) => before.has(id))
    const changed = latest.filter((run, index) => {
      const state = before.get(run.id)
      return state === undefined ? index < newestBefore : state !== stateOf(run)
    })
    if (changed.length === 0) return
    const ids = new Set(changed.map(({ id }) => id))
    setMarked((marked) => marked.union(ids))
    setTimeout(() => setMarked((marked) => marked.difference(ids)), markedMs)
  }, [latest])
  return marked
}
