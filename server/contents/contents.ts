import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'

/** Of one file. */
export const maxFileBytes = 32 * 1024 * 1024

/**
 * Where the bytes of files are: a store that keeps them by account and content. Each `file_contents` row names its
 * store, so that what an earlier setting put elsewhere stays readable. To add one: a class with these
 * members that passes `contents.test.ts`, and a line in `open-contents.ts`.
 */
export interface ContentKey {
  accountId: string
  contentId: string
}

export interface Contents {
  /** What `file_contents.store` has for it, for ever. */
  readonly name: string
  /** Whether reading takes from the connections that all have in common. */
  readonly isDatabase: boolean
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

/** Belongs to no account. */
const probe = 'muster-probe'

/** The store answers, and does not have what was put into it. */
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

/** The stores that a process knows: one takes what is new. */
export class ContentStores implements AsyncDisposable {
  readonly current: Contents
  readonly #others: Contents[]
  readonly #transport: AsyncDisposable

  constructor(current: Contents, others: Contents[], transport: AsyncDisposable) {
    this.current = current
    this.#others = others
    this.#transport = transport
  }

  /** Puts, reads and deletes a few bytes in each store outside the database; why one cannot be used, by its name. */
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
