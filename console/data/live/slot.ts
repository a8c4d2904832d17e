/** Locks for streams of single runs, shared by all tabs of a browser; see `shared-stream.ts`. */
const slots = ['muster.run.1', 'muster.run.2', 'muster.run.3']

/** Waits for one of the locks and holds it; throws the error of `hold`, or the abort. */
export async function inSlot(signal: AbortSignal, hold: () => Promise<void>): Promise<void> {
  if (!isSecureContext) return hold()
  const enough = new AbortController()
  let held: Promise<void> | undefined
  const requests = slots.map((name) =>
    navigator.locks.request(name, { signal: AbortSignal.any([signal, enough.signal]) }, () => {
      if (held !== undefined) return undefined
      enough.abort()
      held = hold()
      return held
    }),
  )
  await Promise.allSettled(requests)
  signal.throwIfAborted()
  await held
}
