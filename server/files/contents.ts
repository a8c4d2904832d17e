/**
 * Where the bytes of files are: a store that keeps them by account and content. Each `file_contents` row names its
 * store, so that what an earlier setting put elsewhere stays readable. To add one: a class with these four
 * members, and a line in `open-contents.ts`.
 */
export interface ContentKey {
  accountId: string
  contentId: string
}

export interface Contents {
  /** What `file_contents.store` has for it, for ever. */
  readonly name: string
  /**
   * Keeps the parts, in their order. What fails may leave some of them behind, which `delete` removes. Holds a
   * few megabytes at a time.
   */
  put: (key: ContentKey, parts: AsyncIterable<Uint8Array>) => Promise<void>
  /** The bytes from `start` up to, without, `end`, in pieces of up to a megabyte. */
  read: (key: ContentKey, start: number, end: number) => AsyncIterable<Uint8Array>
  /** Also where there is nothing, or only a part. */
  delete: (key: ContentKey) => Promise<void>
}

/** The stores that a process knows: one takes what is new. */
export class ContentStores {
  readonly current: Contents
  readonly #others: Contents[]

  constructor(current: Contents, others: Contents[] = []) {
    this.current = current
    this.#others = others
  }

  named(name: string): Contents {
    const found = [this.current, ...this.#others].find((one) => one.name === name)
    if (found !== undefined) return found
    throw new Error(`The store of file contents ${name} is not configured here`)
  }
}
