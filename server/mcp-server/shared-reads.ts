/**
 * Reads that callers of the same key share. A caller that comes during a read waits for the next one, which begins when
 * that one has ended, so it never gets what was read before it asked.
 */
export class SharedReads<Result> {
  readonly #running = new Map<string, Promise<Result>>()
  readonly #next = new Map<string, Promise<Result>>()

  read(key: string, work: () => Promise<Result>): Promise<Result> {
    const next = this.#next.get(key)
    if (next !== undefined) return next
    const running = this.#running.get(key)
    if (running === undefined) return this.#start(key, work)
    const after = running.then(
      () => this.#start(key, work),
      () => this.#start(key, work),
    )
    this.#next.set(key, after)
    return after
  }

  #start(key: string, work: () => Promise<Result>): Promise<Result> {
    this.#next.delete(key)
    const running = work()
    this.#running.set(key, running)
    const end = (): void => {
      if (this.#running.get(key) === running) this.#running.delete(key)
    }
    running.then(end, end)
    return running
  }
}
