import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/client.ts'
import { cannot } from '../../errors.ts'
import { countPending } from './delivery-store.ts'

/**
 * Bounds what waits for a hook, for example while its workflow is paused: further events are
 * refused, and their sender may send them again. Counted once in a while by each process.
 */
const max = { count: 20_000, bytes: 256 * 1024 * 1024 }
const countedForMs = 5_000
const retryAfterSeconds = 60

export class Backlog {
  readonly #database: Database
  readonly #full = new LRUCache<string, Promise<boolean>>({ max: 10_000, ttl: countedForMs })

  constructor(database: Database) {
    this.#database = database
  }

  /** Throws while too many events of the hook wait for their runs. */
  async refuseFull(accountId: string, hookId: string, action: string): Promise<void> {
    const key = `${accountId} ${hookId}`
    let isFull = this.#full.get(key)
    if (isFull === undefined) {
      isFull = this.#isFull(accountId, hookId)
      this.#full.set(key, isFull)
      // An outage of the database is not remembered.
      isFull.catch(() => this.#full.delete(key))
    }
    if (!(await isFull)) return
    const why = 'too many events of the hook wait for their runs'
    throw cannot({ action }, 'rate_limited', why, { retryAfterSeconds })
  }

  async #isFull(accountId: string, hookId: string): Promise<boolean> {
    const found = await countPending(this.#database, accountId, hookId, max.count)
    return found.count >= max.count || found.bytes >= max.bytes
  }
}
