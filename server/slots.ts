import { cannot, type DomainError, type ErrorCode } from './errors.ts'
import { Tally } from './tally.ts'

/**
 * Slots of a process for work that is heavy, of which no account gets all: an account that has one
 * never takes the last that is free. Who comes later waits in a line of the account, which has a bound,
 * and accounts are served in turn.
 */
interface Limits {
  active: number
  activePerAccount: number
  waiting: number
  waitingPerAccount: number
  waitMs: number
}

/** What `Slots` refuse with: why, and after how long it is worth another try. */
export function refusal(
  code: ErrorCode,
  why: string,
  retryAfterSeconds: number,
): (action: string) => DomainError {
  return (action) => cannot({ action }, code, why, { retryAfterSeconds })
}

export class Slots {
  readonly #limits: Limits
  readonly #refusal: (action: string) => Error
  readonly #isHeldBack: (accountId: string) => boolean
  /** Slots taken, by account. */
  readonly #taken = new Tally()
  /** Who waits, by account; the account that was served longest ago comes first. */
  readonly #lines = new Map<string, Set<() => void>>()
  #waiting = 0

  /** `refusal` is for who finds the line full or waits in it for too long. */
  constructor(
    limits: Limits,
    refusal: (action: string) => Error,
    isHeldBack: (accountId: string) => boolean = () => false,
  ) {
    this.#limits = limits
    this.#refusal = refusal
    this.#isHeldBack = isHeldBack
  }

  /** A slot until it is disposed. */
  async take(accountId: string, action: string): Promise<Disposable> {
    const line = this.#lines.get(accountId)
    if (line === undefined && this.#mayEnter(accountId)) return this.#enter(accountId)
    const isFull =
      this.#waiting >= this.#limits.waiting || (line?.size ?? 0) >= this.#limits.waitingPerAccount
    if (isFull) throw this.#refusal(action)
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
    const enter = (): void => {
      clearTimeout(timer)
      resolve(this.#enter(accountId))
    }
    const timer = setTimeout(() => {
      this.#leaveLine(accountId, enter)
      reject(this.#refusal(action))
    }, this.#limits.waitMs)
    if (line === undefined) this.#lines.set(accountId, new Set([enter]))
    else line.add(enter)
    this.#waiting++
    return promise
  }

  /** Lets in those who may. To be called when an account is no longer held back. */
  admit(): void {
    while (this.#taken.total < this.#limits.active) {
      const accountId = this.#lines.keys().find((id) => this.#mayEnter(id))
      const line = accountId === undefined ? undefined : this.#lines.get(accountId)
      const [first] = line ?? []
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
    if (line?.delete(enter) !== true) return
    this.#waiting--
    if (line.size === 0) this.#lines.delete(accountId)
  }

  #mayEnter(accountId: string): boolean {
    const own = this.#taken.of(accountId)
    const { total } = this.#taken
    const { active, activePerAccount } = this.#limits
    const isRoom = own === 0 ? total < active : own < activePerAccount && total < active - 1
    return isRoom && !this.#isHeldBack(accountId)
  }
}
