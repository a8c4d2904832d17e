/**
 * Slots of a process for work that is heavy, of which no account gets all: an account that has one
 * never takes the last that is free. Who comes later waits in a line in which no account has all places,
 * and accounts are served in turn.
 */
interface Limits {
  active: number
  activePerAccount: number
  waiting: number
  waitingPerAccount: number
  waitMs: number
}

interface Waiting {
  accountId: string
  enter: () => void
}

export class Slots {
  readonly #limits: Limits
  readonly #refusal: (action: string) => Error
  readonly #isHeldBack: (accountId: string) => boolean
  readonly #active: string[] = []
  #waiting: Waiting[] = []

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
    const own = this.#waiting.filter((one) => one.accountId === accountId)
    const isFull =
      this.#waiting.length >= this.#limits.waiting || own.length >= this.#limits.waitingPerAccount
    if (isFull) throw this.#refusal(action)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const added: Waiting = { accountId, enter: resolve }
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(added), 1)
      reject(this.#refusal(action))
    }, this.#limits.waitMs)
    this.#waiting.push(added)
    this.admit()
    await promise.finally(() => clearTimeout(timer))
    return {
      [Symbol.dispose]: () => {
        this.#active.splice(this.#active.indexOf(accountId), 1)
        this.admit()
      },
    }
  }

  /**
   * Lets in those who may. Others of an account that was let in go to the end of the line. To be called
   * when an account is no longer held back.
   */
  admit(): void {
    while (this.#active.length < this.#limits.active) {
      const next = this.#waiting.find(({ accountId }) => this.#mayEnter(accountId))
      if (next === undefined) return
      const rest = this.#waiting.filter((one) => one !== next)
      const isOther = (one: Waiting): boolean => one.accountId !== next.accountId
      this.#waiting = [...rest.filter(isOther), ...rest.filter((one) => !isOther(one))]
      this.#active.push(next.accountId)
      next.enter()
    }
  }

  #mayEnter(accountId: string): boolean {
    const own = this.#active.filter((id) => id === accountId).length
    const { active, activePerAccount } = this.#limits
    const isRoom = own === 0 || (own < activePerAccount && this.#active.length < active - 1)
    return isRoom && !this.#isHeldBack(accountId)
  }
}
