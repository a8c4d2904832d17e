/**
 * Slots of a process for heavy work, shared fairly among accounts: an account that already has a
 * slot never takes the last free one. Others wait in a bounded queue of their account, and accounts
 * are served in turn.
 */
export interface SlotsSize {
  active: number
  activePerAccount: number
  waiting: number
  waitingPerAccount: number
  waitMs: number
}

/** The error of `Slots`. `own`: the slots that the account has. */
export type Refusal = (action: string, own: number) => Error

/** Waiting callers of an account. */
interface Line {
  first: Set<() => void>
  others: Set<() => void>
}

function sizeOf({ first, others }: Line): number {
  return first.size + others.size
}

export class Slots {
  readonly #limits: SlotsSize
  readonly #refusal: Refusal
  readonly #isBlocked: (accountId: string) => boolean
  /** Slots taken, by account. */
  readonly #taken = new Tally()
  /** Waiting callers by account; the account served longest ago comes first. */
  readonly #lines = new Map<string, Line>()
  #waiting = 0

  /** `refusal` is the error if the queue is full or the wait takes too long. */
  constructor(
    limits: SlotsSize,
    refusal: Refusal,
    isBlocked: (accountId: string) => boolean = () => false,
  ) {
    this.#limits = limits
    this.#refusal = refusal
    this.#isBlocked = isBlocked
  }

  /** Takes a slot until it is disposed; undefined if none is free. */
  tryTake(accountId: string): Disposable | undefined {
    const mayPass = !this.#lines.has(accountId) && this.#mayEnter(accountId)
    return mayPass ? this.#enter(accountId) : undefined
  }

  /** Takes a slot, and throws the refusal if none is free. */
  takeNow(accountId: string, action: string): Disposable {
    const slot = this.tryTake(accountId)
    if (slot === undefined) throw this.#refusal(action, this.#taken.of(accountId))
    return slot
  }

  /**
   * Takes a slot, for which the caller may wait: up to `waitMs`, and before others of the account
   * that are not `isFirst`.
   */
  async take(
    accountId: string,
    action: string,
    { isFirst = false, waitMs = this.#limits.waitMs }: { isFirst?: boolean; waitMs?: number } = {},
  ): Promise<Disposable> {
    const slot = this.tryTake(accountId)
    if (slot !== undefined) return slot
    const line = this.#lines.get(accountId)
    const isFull =
      this.#waiting >= this.#limits.waiting ||
      (line !== undefined && sizeOf(line) >= this.#limits.waitingPerAccount)
    if (isFull) throw this.#refusal(action, this.#taken.of(accountId))
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
    const enter = (): void => {
      clearTimeout(timer)
      resolve(this.#enter(accountId))
    }
    const timer = setTimeout(() => {
      this.#leaveLine(accountId, enter)
      reject(this.#refusal(action, this.#taken.of(accountId)))
    }, waitMs)
    const joined = line ?? { first: new Set(), others: new Set() }
    if (line === undefined) this.#lines.set(accountId, joined)
    if (isFirst) joined.first.add(enter)
    else joined.others.add(enter)
    this.#waiting++
    return promise
  }

  /** Admits waiting callers that may proceed. Call it when an account is no longer blocked. */
  admit(): void {
    while (this.#taken.total < this.#limits.active) {
      const accountId = this.#lines.keys().find((id) => this.#mayEnter(id))
      const line = accountId === undefined ? undefined : this.#lines.get(accountId)
      const [first = line?.others.values().next().value] = line?.first ?? []
      if (accountId === undefined || line === undefined || first === undefined) return
      this.#lines.delete(accountId)
      this.#lines.set(accountId, line)
      this.#leaveLine(accountId, first)
      first()
    }
  }

  #enter(accountId: string): Disposable {
    this.#taken.add(accountId, 1)
    return {
      [Symbol.dispose]: () => {
        this.#taken.add(accountId, -1)
        this.admit()
      },
    }
  }

  #leaveLine(accountId: string, enter: () => void): void {
    const line = this.#lines.get(accountId)
    if (line === undefined || !(line.first.delete(enter) || line.others.delete(enter))) return
    this.#waiting--
    if (sizeOf(line) === 0) this.#lines.delete(accountId)
  }

  #mayEnter(accountId: string): boolean {
    const own = this.#taken.of(accountId)
    const { total } = this.#taken
    const { active, activePerAccount } = this.#limits
    const isRoom = own === 0 ? total < active : own < activePerAccount && total < active - 1
    return isRoom && !this.#isBlocked(accountId)
  }
}

/** Amounts by name, and their total. A name whose amount is zero takes no memory. */
export class Tally {
  readonly #amounts = new Map<string, number>()
  total = 0

  of(name: string): number {
    return this.#amounts.get(name) ?? 0
  }

  add(name: string, by: number): void {
    this.total += by
    const amount = this.of(name) + by
    if (amount === 0) this.#amounts.delete(name)
    else this.#amounts.set(name, amount)
  }
}
