import { Tally } from './slots.ts'

export interface ByteBudgetSize {
  perAccount: number
  /** Of all accounts together; no limit by default. */
  all?: number
  /** Bytes of each response that are not counted, so that small ones never fail because of large ones. */
  free?: number
}

/** The bytes of an account, or of all accounts, exceed their limit. */
export interface OverBudget {
  whose: 'the account' | 'all accounts'
  limit: number
}

/** Bytes in memory or on their way in a process, by account and in all. */
export class ByteBudget {
  readonly #held = new Tally()
  readonly #perAccount: number
  readonly #all: number
  readonly #free: number

  constructor({ perAccount, all = Infinity, free = 0 }: ByteBudgetSize) {
    this.#perAccount = perAccount
    this.#all = all
    this.#free = free
  }

  /** Counts one response until it is disposed; `add` returns which limit it exceeds. */
  open(accountId: string): Disposable & { add(bytes: number): OverBudget | undefined } {
    let size = 0
    const counted = (): number => Math.max(0, size - this.#free)
    return {
      add: (bytes) => {
        const before = counted()
        size += bytes
        this.#held.add(accountId, counted() - before)
        return counted() === before ? undefined : this.#over(accountId)
      },
      [Symbol.dispose]: () => {
        this.#held.add(accountId, -counted())
        size = 0
      },
    }
  }

  /** Whether an account has more bytes than its limit. */
  isOver(accountId: string): boolean {
    return this.#held.of(accountId) > this.#perAccount
  }

  #over(accountId: string): OverBudget | undefined {
    if (this.isOver(accountId)) return { whose: 'the account', limit: this.#perAccount }
    return this.#held.total > this.#all ? { whose: 'all accounts', limit: this.#all } : undefined
  }
}
