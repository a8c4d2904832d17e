import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { RunEvent } from '../../sdk/generated.ts'
import { useSession } from '../session/session.tsx'

export interface Feed {
  events: RunEvent[]
  /** Live, over, or broken; a broken one is taken up again. */
  state: 'live' | 'over' | 'broken'
}

/** Changes are shown together, so that a run that hurries keeps the page quick. */
const showEveryMs = 250
const restartAfterMs = 3_000

/** The events of a run from the first, and those to come; each tells the page to read the run again. */
export function useRunEvents(runId: string): Feed {
  const { muster } = useSession()
  const queries = useQueryClient()
  const [feed, setFeed] = useState<Feed & { runId?: string }>({ events: [], state: 'live' })

  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    let events: RunEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (state: Feed['state']) => {
      clearTimeout(timer)
      timer = undefined
      if (signal.aborted) return
      setFeed({ runId, events, state })
      void queries.invalidateQueries({ queryKey: ['run', runId] })
    }
    const follow = async () => {
      const after = events.at(-1)?.sequence ?? 0
      for await (const event of muster.runs.stream(runId, { after, signal })) {
        events = [...events, event]
        timer ??= setTimeout(() => show('live'), showEveryMs)
      }
      show('over')
    }
    const keepFollowing = () => {
      follow().catch(() => {
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
  }, [muster, queries, runId])
  return feed.runId === runId ? feed : { events: [], state: 'live' }
}
