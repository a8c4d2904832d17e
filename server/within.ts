/** What comes of a promise; where it takes longer, rejects with what `late` makes. */
export function within<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  const over = Promise.withResolvers<never>()
  const timer = setTimeout(() => over.reject(late()), Math.max(0, ms))
  return Promise.race([promise, over.promise]).finally(() => clearTimeout(timer))
}
