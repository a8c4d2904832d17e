import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { RunEvent, RunWithSteps } from '../../../sdk/generated.ts'
import { useIsAwake } from '../../data/live/awake.ts'
import { inSlot } from '../../data/live/slot.ts'
import { hasEnded } from '../../data/runs/states.ts'
import { useSession } from '../../session/session.tsx'
import { StreamedText } from './streamed-text.ts'

export interface Feed {
  runId: string
  events: readonly RunEvent[]
  /** Live, live in other tabs only, over, or broken; a broken stream is resumed. */
  state: 'live' | 'elsewhere' | 'over' | 'broken'
  /** The models' output as it is written. */
  streamed: StreamedText
}

/** Changes are shown together, so that a fast run does not slow the page down. */
const showEveryMs = 250
const restartAfterMs = 3_000
const sayElsewhereAfterMs = 2_000

/**
 * The events of a run from the first, and new ones, each of which refetches the run. They are
 * requested once it is known whether the run has ended. If too many tabs follow running runs, only
 * the account's stream keeps the page up to date. Text is requested only for a running run, because
 * it makes the model stream.
 */
export function useRunEvents(runId: string, isOver: boolean | undefined): Feed {
  const { muster } = useSession()
  const queries = useQueryClient()
  const isAwake = useIsAwake()
  const streamed = useMemo(
    () => new StreamedText((notify) => requestAnimationFrame(notify)),
    // oxlint-disable-next-line react/exhaustive-deps -- another run has another text
    [runId],
  )
  const nothing: Feed = { runId, events: [], state: 'live', streamed }
  const [feed, setFeed] = useState(nothing)
  /** Returning to the page continues after the events that it has. */
  const kept = useRef(nothing)

  useEffect(() => {
    const before = kept.current.runId === runId ? kept.current : undefined
    if (!isAwake || isOver === undefined || before?.state === 'over') return
    const stop = new AbortController()
    const { signal } = stop
    const events = [...(before?.events ?? [])]
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (state: Feed['state']) => {
      clearTimeout(timer)
      timer = undefined
      if (signal.aborted) return
      kept.current = { runId, events: [...events], state, streamed }
      setFeed(kept.current)
      // A finished run does not change, and a run that is just being loaded is new enough.
      const queryKey = ['run', runId]
      const run = queries.getQueryData<RunWithSteps>(queryKey)
      if (run !== undefined && !hasEnded(run)) void queries.invalidateQueries({ queryKey })
    }
    const follow = async () => {
      clearTimeout(waiting)
      if (kept.current.state === 'elsewhere') show('live')
      const after = events.at(-1)?.sequence ?? 0
      const text = isOver ? {} : { onText: streamed.take }
      for await (const event of muster.runs.stream(runId, { after, signal, ...text })) {
        events.push(event)
        if (event.type === 'step.completed' || event.type === 'step.failed')
          streamed.end(event.data.order)
        timer ??= setTimeout(() => show('live'), showEveryMs)
      }
      show('over')
    }
    let waiting: ReturnType<typeof setTimeout> | undefined
    const keepFollowing = () => {
      waiting = setTimeout(() => show('elsewhere'), sayElsewhereAfterMs)
      // The stream of a finished run closes soon, so it needs no slot.
      const over = isOver ? follow() : inSlot(signal, follow)
      over.catch(() => {
        clearTimeout(waiting)
        if (signal.aborted) return
        show('broken')
        setTimeout(() => !signal.aborted && keepFollowing(), restartAfterMs)
      })
    }
    keepFollowing()
    return () => {
      clearTimeout(timer)
      clearTimeout(waiting)
      stop.abort()
    }
  }, [muster, queries, runId, isOver, isAwake, streamed])
  return feed.runId === runId ? feed : nothing
}
