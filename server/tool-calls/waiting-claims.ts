import type { ClaimLine } from '../context.ts'
import type { Notices } from '../db/notices.ts'
import { requestChannel } from '../engine/journal/requests/requests.ts'
import { loop, type Loop } from '../loop.ts'

/**
 * Claims of this process that wait for a call. They hold no connection: a notice of a new request makes the claims that
 * would take it try again, one after the other, until one finds nothing. Claims of the same account and names try in
 * the order in which they came. A lost notice costs seconds, because all claims try now and then.
 */
export class WaitingClaims implements ClaimLine, Disposable {
  readonly #groups = new Map<string, Group>()
  readonly #onError: (error: unknown) => void
  readonly #loop: Loop
  #isClosed = false

  constructor(notices: Notices, onError: (error: unknown) => void, everyMs = 2_000) {
    this.#onError = onError
    this.#loop = loop({
      everyMs: () => (this.#groups.size === 0 ? Infinity : everyMs),
      tick: async () => this.#tryAll(),
      onError,
    })
    notices.on(requestChannel, (payload) => this.#receive(payload))
  }

  /**
   * What `claim` finds, as soon as it finds something; empty when the time is over, the signal aborts or the process
   * stops. What it finds is returned even then.
   */
  wait<Item>(
    { accountId, names }: { accountId: string; names: readonly string[] | undefined },
    claim: () => Promise<Item[]>,
    ms: number,
    signal: AbortSignal,
  ): Promise<Item[]> {
    if (this.#isClosed || signal.aborted) return Promise.resolve([])
    const sorted = names?.toSorted()
    const key = `${accountId} ${sorted?.join(' ') ?? '*'}`
    const group = this.#groups.getOrInsertComputed(key, () => {
      const names = sorted && new Set(sorted)
      return { accountId, names, line: [], isTrying: false, isAsked: false }
    })
    if (this.#groups.size === 1) this.#loop.wake()
    const { promise, resolve, reject } = Promise.withResolvers<Item[]>()
    const waiter: Waiter = { isOver: false, leave: () => resolve([]), try: tryOnce, fail: reject }
    async function tryOnce(): Promise<boolean> {
      const items = await claim()
      if (items.length > 0) resolve(items)
      return items.length > 0
    }
    const end = (): void => {
      waiter.isOver = true
      // One that is trying leaves by itself.
      const place = group.line.indexOf(waiter)
      if (place === -1) return
      group.line.splice(place, 1)
      waiter.leave()
      this.#drop(key, group)
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
    group.line.push(waiter)
    // A request may have come between the caller's own try and now.
    this.#try(key, group)
    return promise.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      this.#drop(key, group)
    })
  }

  #receive(payload: string | undefined): void {
    if (payload === undefined) return this.#tryAll()
    const [accountId, name = ''] = payload.split(' ')
    for (const [key, group] of this.#groups) {
      const isOf = group.accountId === accountId && group.names?.has(name) !== false
      if (isOf) this.#try(key, group)
    }
  }

  #tryAll(): void {
    for (const [key, group] of this.#groups) this.#try(key, group)
  }

  #try(key: string, group: Group): void {
    group.isAsked = true
    if (group.isTrying) return
    group.isTrying = true
    void this.#serve(group).finally(() => {
      group.isTrying = false
      this.#drop(key, group)
      if (group.isAsked && group.line.length > 0) this.#try(key, group)
    })
  }

  async #serve(group: Group): Promise<void> {
    while (group.isAsked) {
      group.isAsked = false
      for (;;) {
        const waiter = group.line.shift()
        if (waiter === undefined) break
        try {
          if (await waiter.try()) continue
        } catch (error) {
          waiter.fail(error)
          this.#onError(error)
          break
        }
        if (waiter.isOver || this.#isClosed) waiter.leave()
        else group.line.unshift(waiter)
        break
      }
    }
  }

  #drop(key: string, group: Group): void {
    const isEmpty = group.line.length === 0 && !group.isTrying
    if (isEmpty && this.#groups.get(key) === group) this.#groups.delete(key)
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    void this.#loop.stop()
    for (const { line } of this.#groups.values()) for (const waiter of line) waiter.leave()
    this.#groups.clear()
  }
}

/** Waiting claims of one account for the same names. */
interface Group {
  accountId: string
  /** Undefined for any. */
  names: Set<string> | undefined
  line: Waiter[]
  isTrying: boolean
  isAsked: boolean
}

interface Waiter {
  isOver: boolean
  /** True if it has found something. */
  try: () => Promise<boolean>
  leave: () => void
  fail: (error: unknown) => void
}
