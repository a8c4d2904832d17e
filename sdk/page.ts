type FetchNext<T> = (signal?: AbortSignal) => Promise<Page<T>>

/**
 * One page of a list: an array of its items that can also load the next page. `for (const item of
 * page)` iterates over this page, `for await (const item of page)` over this and all following
 * pages.
 */
export class Page<T> extends Array<T> {
  readonly #fetchNext: FetchNext<T> | undefined

  constructor(items: Iterable<T> = [], fetchNext?: FetchNext<T>) {
    super()
    for (const item of items) this.push(item)
    this.#fetchNext = fetchNext
  }

  // Results of map, filter and slice are plain arrays.
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }

  get hasNext(): boolean {
    return this.#fetchNext !== undefined
  }

  /**
   * The next page; undefined after the last. `signal` aborts its call in place of the signal of
   * the call before.
   */
  async next(signal?: AbortSignal): Promise<Page<T> | undefined> {
    return this.#fetchNext?.(signal)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    // Not through the next page's own iterator, because then each item would pass through all
    // earlier pages.
    yield* this.values()
    for (let page = await this.next(); page !== undefined; page = await page.next()) {
      yield* page.values()
    }
  }
}
