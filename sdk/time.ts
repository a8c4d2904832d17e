/** Timers, using only web standards. */

/** In milliseconds; a longer timer would fire at once. */
const longestTimer = 2 ** 31 - 1

/** Rejects with the signal's reason if it aborts first. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.min(ms, longestTimer),
    )
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/**
 * Works under a signal that aborts when the caller's signal does, throwing its reason; or at the
 * timeout, throwing the result of `late`.
 */
export async function within<T>(
  timeoutMs: number,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal, leftMs: () => number) => Promise<T>,
  late: (cause: unknown) => Error,
): Promise<T> {
  const controller = new AbortController()
  const endsAt = performance.now() + timeoutMs
  let isOver = false
  const onTime = () => {
    isOver = true
    controller.abort(new DOMException('The deadline has passed', 'TimeoutError'))
  }
  const timer = setTimeout(onTime, Math.min(timeoutMs, longestTimer))
  const onAbort = () => controller.abort(caller?.reason)
  if (caller?.aborted) onAbort()
  else caller?.addEventListener('abort', onAbort, { once: true })
  try {
    return await work(controller.signal, () => endsAt - performance.now())
  } catch (error) {
    if (caller?.aborted) throw caller.reason
    throw isOver ? late(error) : error
  } finally {
    clearTimeout(timer)
    caller?.removeEventListener('abort', onAbort)
  }
}
