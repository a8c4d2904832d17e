import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSession } from '../../session/session.tsx'

/** The text that a model is writing. */
export interface LiveText {
  turn: number
  text: string
  /** The calls of tools so far, in order. */
  tools: string[]
}

/**
 * Follows a thread while its page is open: refetches what changes, and returns the text of the turn in progress. The
 * list of messages is refetched at intervals as well, so a broken stream costs only time.
 */
export function useLiveThread(id: string): LiveText | undefined {
  const { muster } = useSession()
  const queries = useQueryClient()
  const [live, setLive] = useState<LiveText>()
  useEffect(() => {
    const leaving = new AbortController()
    const refresh = (): void => {
      for (const queryKey of [
        ['thread-messages', id],
        ['thread', id],
      ])
        void queries.invalidateQueries({ queryKey })
    }
    let current: (LiveText & { step: string }) | undefined
    const show = (turn: number, change: (now: LiveText & { step: string }) => void): void => {
      if (current?.turn !== turn) current = { turn, step: '', text: '', tools: [] }
      change(current)
      setLive({ turn, text: current.text, tools: [...current.tools] })
    }
    const follow = async (): Promise<void> => {
      // Only the newest turn is of interest: the rest is in the list.
      const { turns } = await muster.threads.retrieve(id, { signal: leaving.signal })
      const after = String(Math.max(0, turns) * 1_048_576 - 1)
      const stream = muster.threads.stream(id, {
        ...(turns > 0 && { after }),
        signal: leaving.signal,
        onText: ({ thread_turn: turn, order, turn: part, offset = 0, text }) =>
          show(turn, (now) => {
            const step = `${order} ${part}`
            now.text = (now.step === step ? now.text.slice(0, offset) : '') + text
            now.step = step
          }),
      })
      for await (const event of stream) {
        if (event.type === 'message.changed') refresh()
        else if (event.type === 'tool.started') {
          const { tool } = event.data as { tool?: string }
          show(event.thread_turn, (now) => now.tools.push(tool ?? ''))
        }
      }
    }
    // What fails here is seen at the list, which is refetched.
    follow().catch(() => {})
    return () => leaving.abort()
  }, [id, muster, queries])
  return live
}
