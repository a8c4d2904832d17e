/** One call at a time, whose result counts for so long after it came. */
export function cached<T>(
  read: () => Promise<T>,
  lifetimeMs: number,
  nowMs: () => number = () => performance.now(),
): () => Promise<T> {
  let last: Promise<T> | undefined
  let expiresAt = Infinity
  return () => {
    if (last === undefined || nowMs() > expiresAt) {
      expiresAt = Infinity
      last = read().finally(() => (expiresAt = nowMs() + lifetimeMs))
    }
    return last
  }
}
