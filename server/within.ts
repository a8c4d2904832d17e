/** Rejects with `late()` if the promise takes longer than `ms`. */
export function within<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  const over = Promise.withResolvers<never>()
  const timer = setTimeout(() => over.reject(late()), Math.max(0, ms))
  return Promise.race([promise, over.promise]).finally(() => clearTimeout(timer))
}
