import { DomainError } from '../../errors.ts'

/**
 * Training sets are read, and then uploaded, a few at a time, of which no account gets all. Who comes
 * later waits in a line in which no account has all places, and accounts are served in turn. One that
 * waits to be read takes no memory, one that waits to be uploaded the compressed set.
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
  readonly #active: string[] = []
  #waiting: Waiting[] = []

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** A slot until it is disposed. */
  async take(accountId: string, action: string): Promise<Disposable> {
    const own = this.#waiting.filter((one) => one.accountId === accountId)
    const isFull =
      this.#waiting.length >= this.#limits.waiting || own.length >= this.#limits.waitingPerAccount
    if (isFull) throw tooMany(action)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const added: Waiting = { accountId, enter: resolve }
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(added), 1)
      reject(tooMany(action))
    }, this.#limits.waitMs)
    this.#waiting.push(added)
    this.#admit()
    await promise.finally(() => clearTimeout(timer))
    return {
      [Symbol.dispose]: () => {
        this.#active.splice(this.#active.indexOf(accountId), 1)
        this.#admit()
      },
    }
  }

  /** Lets in those who may. Others of an account that was let in go to the end of the line. */
  #admit(): void {
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
    const own = this.#active.filter((id) => id === accountId)
    return own.length < this.#limits.activePerAccount
  }
}

/** Of the process. */
export const readerSlots = new Slots({
  active: 4,
  activePerAccount: 2,
  waiting: 100,
  waitingPerAccount: 10,
  waitMs: 30_000,
})

/** Of the process. A provider that hangs holds one for the time-outs of an upload and a create. */
export const uploadSlots = new Slots({
  active: 8,
  activePerAccount: 4,
  waiting: 16,
  waitingPerAccount: 4,
  waitMs: 30_000,
})

function tooMany(action: string): DomainError {
  return new DomainError(
    'too_many_uploads',
    `Cannot ${action}: too many training sets are in progress, try again later`,
    { retryAfterSeconds: 5 },
  )
}
