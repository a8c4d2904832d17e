/** Caches the result of a call for a time; concurrent callers share one call. */
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
