import { setTimeout as delay } from 'node:timers/promises'

export interface Repeated {
  everyMs: number
  /** One bounded piece of work; true when there is more to do at once. */
  work: () => Promise<boolean>
  onError: (error: unknown) => void
}

/**
 * Does work in the background, the first time after `everyMs`, then `everyMs` after its last piece.
 * Disposing waits for the piece under way and begins no other.
 */
export function repeat({ everyMs, work, onError }: Repeated): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const loop = (async () => {
    while (!signal.aborted) {
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => {})
      let hasMore = !signal.aborted
      while (hasMore) {
        hasMore = await work().catch((error: unknown) => {
          onError(error)
          return false
        })
        if (signal.aborted) return
      }
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await loop
    },
  }
}
