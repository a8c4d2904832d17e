/** Time with web standards only. */

/** Rejects with the signal's reason when it aborts first. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

export interface Deadline {
  /** Aborts at the deadline, or when the caller's signal does. */
  signal: AbortSignal
  leftMs(): number
  isOver(): boolean
  /** Lets the process go; must be called. */
  clear(): void
}

export function withDeadline(signal: AbortSignal | undefined, timeoutMs: number): Deadline {
  const controller = new AbortController()
  const endsAt = performance.now() + timeoutMs
  let over = false
  const timer = setTimeout(
    () => {
      over = true
      controller.abort(new DOMException('The deadline has passed', 'TimeoutError'))
    },
    // Longer ones would fire at once.
    Math.min(timeoutMs, 2 ** 31 - 1),
  )
  const onAbort = () => controller.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    leftMs: () => endsAt - performance.now(),
    isOver: () => over,
    clear() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    },
  }
}
