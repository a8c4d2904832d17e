/**
 * One page of a list: an array of its items, which also knows the way to the next one.
 * `for (const item of page)` goes over this page, `for await (const item of page)` over this and all
 * that follow.
 */
export class Page<T> extends Array<T> {
  readonly #fetchNext: (() => Promise<Page<T>>) | undefined

  constructor(items: Iterable<T> = [], fetchNext?: () => Promise<Page<T>>) {
    super()
    for (const item of items) this.push(item)
    this.#fetchNext = fetchNext
  }

  // What is mapped, filtered or sliced is a plain array.
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }

  get hasNext(): boolean {
    return this.#fetchNext !== undefined
  }

  /** The next page; undefined after the last. */
  async next(): Promise<Page<T> | undefined> {
    return this.#fetchNext?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    // Not by the next page's own iterator: each item would pass through all pages before it.
    yield* this.values()
    for (let page = await this.next(); page !== undefined; page = await page.next()) {
      yield* page.values()
    }
  }
}
