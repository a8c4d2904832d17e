import { withLock } from './lock.ts'

/**
 * Locks for streams of single runs, shared by all tabs of a browser; see `shared-stream.ts`. HTTP/1.1 has six
 * connections for all tabs, of which two are for streams: the account's, and that of one run.
 */
const slots = ['muster.run.1', 'muster.run.2', 'muster.run.3']

function freeSlots(): string[] {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return /^h[23]/.test(page?.nextHopProtocol ?? '') ? slots : slots.slice(0, 1)
}

/** Waits for one of the locks and holds it; throws the error of `hold`, or the abort. */
export async function inSlot(signal: AbortSignal, hold: () => Promise<void>): Promise<void> {
  const enough = new AbortController()
  let held: Promise<void> | undefined
  const requests = freeSlots().map((name) =>
    withLock(name, AbortSignal.any([signal, enough.signal]), async () => {
      if (held !== undefined) return
      held = hold()
      enough.abort()
      await held
    }),
  )
  await Promise.allSettled(requests)
  signal.throwIfAborted()
  await held
}
