/** Streams of single runs that the tabs of a browser hold together; see `shared-stream.ts`. */
const slots = ['muster.run.1', 'muster.run.2', 'muster.run.3']

/** Waits until fewer tabs have one open, then holds a place; throws what `hold` throws, or the abort. */
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
