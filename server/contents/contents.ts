import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'

/** Limit for one file. */
export const maxFileBytes = 32 * 1024 * 1024

/**
 * Stores of file contents, by account and content id. Each `file_contents` row names its store, so
 * contents stay readable when the setting changes. To add a store: a class with these members that
 * passes `contents.test.ts`, and a line in `open-contents.ts`.
 */
export interface ContentKey {
  accountId: string
  contentId: string
}

export interface Contents {
  /** The value of `file_contents.store`, which must never change. */
  readonly name: string
  /** Whether reads use the shared database connections. */
  readonly isDatabase: boolean
  /**
   * Writes the parts in order, with a few megabytes in memory at a time. After a failure `delete`
   * removes what was written.
   */
  put: (key: ContentKey, parts: AsyncIterable<Uint8Array>) => Promise<void>
  /** The bytes from `start` up to, but not including, `end`, in parts of up to a megabyte. */
  read: (key: ContentKey, start: number, end: number) => AsyncIterable<Uint8Array>
  /** Also succeeds if there is nothing, or only a part. */
  delete: (key: ContentKey) => Promise<void>
}

/** Key of the probe, which belongs to no account. */
const probe = 'muster-probe'

/** The store answered, but the contents are missing. */
export function contentsLost(
  key: ContentKey,
  store: string,
  at: number,
  cause?: unknown,
): DomainError {
  const why = `the contents of the file are lost: ${key.contentId} ends at byte ${at} in its store`
  const details = new Error(`in ${store}`, { cause })
  return new DomainError('file_contents_lost', `Cannot read the file: ${why}`, { cause: details })
}

/** The stores of a process, one of which takes new contents. */
export class ContentStores implements AsyncDisposable {
  readonly current: Contents
  readonly #others: Contents[]
  readonly #transport: AsyncDisposable

  constructor(current: Contents, others: Contents[], transport: AsyncDisposable) {
    this.current = current
    this.#others = others
    this.#transport = transport
  }

  /**
   * Writes, reads and deletes a few bytes in each store outside the database; returns the errors by
   * store.
   */
  async probe(): Promise<Map<string, string>> {
    const faults = new Map<string, string>()
    for (const store of [this.current, ...this.#others].filter((one) => !one.isDatabase)) {
      const key = { accountId: probe, contentId: newId('cnt') }
      try {
        await store.put(key, Readable.from([Buffer.from(probe)]))
        await buffer(store.read(key, 0, probe.length))
        await store.delete(key)
      } catch (error) {
        const { cause, message } = error as Error
        faults.set(store.name, cause instanceof Error ? cause.message : message)
      }
    }
    return faults
  }

  named(name: string): Contents {
    const found = [this.current, ...this.#others].find((one) => one.name === name)
    if (found !== undefined) return found
    const cause = new Error(`${name} is neither MUSTER_FILES_URL nor in MUSTER_FILES_OTHER_URLS`)
    const message = 'Cannot read the file: the store that it is in is not configured'
    throw new DomainError('files_unavailable', message, { retryAfterSeconds: 60, cause })
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#transport[Symbol.asyncDispose]()
  }
}
