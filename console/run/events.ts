import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { RunEvent } from '../../sdk/generated.ts'
import { useIsAwake } from '../live/awake.ts'
import { inSlot } from '../live/slot.ts'
import { hasEnded } from '../runs/status.ts'
import { useSession } from '../session/session.tsx'
import { runQuery } from './queries.ts'

export interface Feed {
  runId: string
  events: readonly RunEvent[]
  /** Live, over, or broken; a broken one is taken up again. */
  state: 'live' | 'over' | 'broken'
}

/** Changes are shown together, so that a run that hurries keeps the page quick. */
const showEveryMs = 250
const restartAfterMs = 3_000

/**
 * The events of a run from the first, and those to come; each tells the page to read the run again. They are asked for
 * once it is known whether the run has ended; where too many tabs follow one that goes on, the stream of the account
 * alone keeps it up to date.
 */
export function useRunEvents(runId: string, isOver: boolean | undefined): Feed {
  const { muster } = useSession()
  const queries = useQueryClient()
  const isAwake = useIsAwake()
  const nothing: Feed = { runId, events: [], state: 'live' }
  const [feed, setFeed] = useState(nothing)
  /** Who comes back to the page goes on where it was. */
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
      kept.current = { runId, events: [...events], state }
      setFeed(kept.current)
      // One that has ended stays as it is; one that is being read for the first time is new enough.
      const { queryKey } = runQuery(muster, runId)
      const run = queries.getQueryData(queryKey)
      if (run !== undefined && !hasEnded(run)) void queries.invalidateQueries({ queryKey })
    }
    const follow = async () => {
      const after = events.at(-1)?.sequence ?? 0
      for await (const event of muster.runs.stream(runId, { after, signal })) {
        events.push(event)
        timer ??= setTimeout(() => show('live'), showEveryMs)
      }
      show('over')
    }
    const keepFollowing = () => {
      // The stream of one that has ended does not stay open.
      const over = isOver ? follow() : inSlot(signal, follow)
      over.catch(() => {
        if (signal.aborted) return
        show('broken')
        setTimeout(() => !signal.aborted && keepFollowing(), restartAfterMs)
      })
    }
    keepFollowing()
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [muster, queries, runId, isOver, isAwake])
  return feed.runId === runId ? feed : nothing
}
