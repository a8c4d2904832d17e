import { within } from './within.ts'

/**
 * Runs work with the same key one at a time, in order of arrival. Work that would wait for the same
 * row in the database waits here instead, without a connection.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  /** With `patience`, work that waits longer is not done. */
  async run<T>(key: string, work: () => Promise<T>, patience?: Patience): Promise<T> {
    const before = this.#last.get(key)
    let isLate = false
    const mine =
      before === undefined
        ? work()
        : before.then(() => (isLate ? Promise.reject(new Error('too late')) : work()))
    const over = mine.catch(() => {})
    this.#last.set(key, over)
    void over.then(() => {
      if (this.#last.get(key) === over) this.#last.delete(key)
    })
    if (before !== undefined && patience !== undefined) {
      const late = (): Error => {
        isLate = true
        return patience.late()
      }
      await within(patience.ms, before, late)
    }
    return mine
  }
}

interface Patience {
  ms: number
  late: () => Error
}
