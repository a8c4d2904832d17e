/**
 * Lets work of one key go one at a time, in the order of its arrival. Work that would wait for the same
 * row in the database waits here instead, where it holds no connection.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  async pass<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const mine = before === undefined ? work() : before.then(work)
    const over = mine.catch(() => {})
    this.#last.set(key, over)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === over) this.#last.delete(key)
    }
  }
}
