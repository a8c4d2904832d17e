import { maxCallMs } from './contract.ts'

/**
 * A timeout that starts over whenever the tool reports progress, up to a maximum. The abort reason
 * says in words which limit was reached.
 */
export function limitTime(
  timeoutMs: number,
  maxMs = Math.max(timeoutMs, maxCallMs),
): Disposable & { signal: AbortSignal; extend: () => void } {
  const controller = new AbortController()
  const startedAt = performance.now()
  const abort = (why: string) => () => controller.abort(new Error(why))
  const start = (ms: number, why: string) => setTimeout(abort(why), ms)
  let timer = start(timeoutMs, `it gave no answer within ${timeoutMs / 1_000} s`)
  const extend = (): void => {
    if (controller.signal.aborted) return
    clearTimeout(timer)
    const leftMs = startedAt + maxMs - performance.now()
    timer =
      leftMs < timeoutMs
        ? start(leftMs, `it gave no answer within ${maxMs / 1_000} s, the maximum`)
        : start(timeoutMs, `it reported no progress for ${timeoutMs / 1_000} s`)
  }
  return { signal: controller.signal, extend, [Symbol.dispose]: () => clearTimeout(timer) }
}
