import { DomainError } from '../../errors.ts'

/**
 * Training sets are read, and then uploaded, a few at a time, of which no account gets all. Who comes
 * later waits in line; one that waits to be read takes no memory, one that waits to be uploaded the
 * compressed set.
 */
interface Limits {
  active: number
  activePerAccount: number
  waiting: number
  waitMs: number
}

interface Waiting {
  accountId: string
  enter: () => void
}

export class Slots {
  readonly #limits: Limits
  readonly #active: string[] = []
  readonly #waiting: Waiting[] = []

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** A slot until it is disposed. */
  async take(accountId: string, action: string): Promise<Disposable> {
    if (this.#waiting.length >= this.#limits.waiting) throw tooMany(action)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const own: Waiting = { accountId, enter: resolve }
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(own), 1)
      reject(tooMany(action))
    }, this.#limits.waitMs)
    this.#waiting.push(own)
    this.#admit()
    await promise.finally(() => clearTimeout(timer))
    return {
      [Symbol.dispose]: () => {
        this.#active.splice(this.#active.indexOf(accountId), 1)
        this.#admit()
      },
    }
  }

  /** Lets in those who may, in their order. */
  #admit(): void {
    for (const one of this.#waiting.slice()) {
      if (this.#active.length >= this.#limits.active) return
      const own = this.#active.filter((id) => id === one.accountId)
      if (own.length >= this.#limits.activePerAccount) continue
      this.#waiting.splice(this.#waiting.indexOf(one), 1)
      this.#active.push(one.accountId)
      one.enter()
    }
  }
}

/** Of the process. */
export const readerSlots = new Slots({
  active: 4,
  activePerAccount: 2,
  waiting: 100,
  waitMs: 30_000,
})

/** Of the process. A provider that hangs holds one for the time-outs of an upload and a create. */
export const uploadSlots = new Slots({
  active: 8,
  activePerAccount: 4,
  waiting: 16,
  waitMs: 30_000,
})

function tooMany(action: string): DomainError {
  return new DomainError(
    'too_many_uploads',
    `Cannot ${action}: as many training sets are being read or uploaded as may be, try again`,
    { retryAfterSeconds: 5 },
  )
}
