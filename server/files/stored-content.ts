import { createHash } from 'node:crypto'
import type { Services } from '../context.ts'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import { type ContentKey, maxFileBytes } from '../contents/contents.ts'
import { sniff, type Kind } from './media-type.ts'
import * as store from './store.ts'
import { outageOf } from '../db/outage.ts'

/** Stored bytes that belong to no file yet. */
export interface StoredContent {
  key: ContentKey
  name: string
  bytes: number
  sha256: string
  kind: Kind
  read: (start: number, end: number) => AsyncIterable<Uint8Array>
}

const headBytes = 1024 * 1024
/**
 * A store that timed out may still write a batch. If the bytes were deleted before that, it would
 * stay forever.
 */
const lateSeconds = 600

/**
 * Stores bytes while they arrive. The caller creates a file of them or drops them; after a crash
 * the background loop does. Types that Muster does not accept are rejected and dropped as early as
 * possible.
 */
export async function storeContent(
  { database, contents }: Pick<Services, 'database' | 'contents'>,
  { accountId, action, name }: { accountId: string; action: string; name: string },
  parts: AsyncIterable<Uint8Array>,
): Promise<StoredContent> {
  const key = { accountId, contentId: newId('cnt') }
  const into = contents.current
  await store.insertContent(database, key, into.name)
  const observer = new Observer(name, action)
  try {
    await into.put(key, observer.pass(parts))
  } catch (error) {
    const afterSeconds = isAway(error) ? lateSeconds : 0
    await store.dropContent(database, key, 'arriving', { afterSeconds }).catch(() => {})
    throw error
  }
  const read = (start: number, end: number) => into.read(key, start, end)
  return { key, name, read, ...observer.finish() }
}

class Observer {
  readonly #name: string
  readonly #action: string
  readonly #hash = createHash('sha256')
  #head: Uint8Array[] = []
  #headBytes = 0
  #bytes = 0
  #kind: Kind | undefined

  constructor(name: string, action: string) {
    this.#name = name
    this.#action = action
  }

  /**
   * Passes the parts on after the type was recognized from the first bytes, which come as one part.
   */
  async *pass(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const part of parts) {
      this.#bytes += part.length
      if (this.#bytes > maxFileBytes) throw fileTooLarge(this.#action)
      this.#hash.update(part)
      if (this.#kind !== undefined) {
        yield part
        continue
      }
      this.#head.push(part)
      this.#headBytes += part.length
      if (this.#headBytes >= headBytes) yield this.#look()
    }
    if (this.#kind === undefined) yield this.#look()
  }

  finish(): Pick<StoredContent, 'bytes' | 'sha256' | 'kind'> {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex'), kind: this.#kind as Kind }
  }

  #look(): Buffer {
    const head = Buffer.concat(this.#head)
    this.#head = []
    const kind = sniff(head, this.#name)
    if (kind.kind === 'refused') throw invalidFile(this.#action, kind.why)
    this.#kind = kind
    return head
  }
}

export function fileTooLarge(action: string): DomainError {
  const why = `the file has more than ${maxFileBytes} bytes (32 MB)`
  return new DomainError('file_too_large', `Cannot ${action}: ${why}`, { param: 'file' })
}

export function invalidFile(action: string, why: string): DomainError {
  return new DomainError('invalid_file', `Cannot ${action}: ${why}`, { param: 'file' })
}

const againSeconds = 10

/** Whether file contents or texts are unavailable for now: a retry may succeed. */
export function isAway(error: unknown): boolean {
  if (error instanceof DomainError) return error.type === 'unavailable'
  return outageOf(error) !== undefined
}

export function filesUnavailable(action: string, cause: unknown): DomainError {
  const message = `Cannot ${action}: the store of files does not answer`
  return new DomainError('files_unavailable', message, { retryAfterSeconds: againSeconds, cause })
}
