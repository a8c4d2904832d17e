import { setTimeout as delay } from 'node:timers/promises'

/**
 * How fast bytes leave that are sent to anyone, without a key: files of the console, the reference, the
 * document. Everybody is served, part by part in turn; one address has three quarters of it at most.
 */
export class SendPace {
  readonly #clock: Clock
  readonly #all = new Lane(bytesPerSecond)
  readonly #addresses = new Map<string, Lane>()

  constructor(clock: Clock = { now: () => performance.now(), wait: delay }) {
    this.#clock = clock
  }

  /** Returns when bytes for an address may leave; at once, and not as a promise, while there is room. */
  pass(address: string, bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const own = this.#enter(this.#laneOf(address), bytes, signal)
    // In the lane of all stands only what its own lane lets through, or one address would fill it.
    return own === undefined
      ? this.#enter(this.#all, bytes, signal)
      : own.then(() => this.#enter(this.#all, bytes, signal))
  }

  #enter(lane: Lane, bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const waitMs = lane.enter(bytes, this.#clock.now())
    return waitMs > 0 ? this.#clock.wait(waitMs, undefined, { signal }) : undefined
  }

  #laneOf(address: string): Lane {
    const known = this.#addresses.get(address)
    if (known !== undefined) return known
    if (this.#addresses.size >= maxAddresses) this.#addresses.clear()
    const lane = new Lane(bytesPerSecondAndAddress)
    this.#addresses.set(address, lane)
    return lane
  }
}

interface Clock {
  now: () => number
  wait: (ms: number, value: undefined, options: { signal: AbortSignal }) => Promise<void>
}

/** Copying so much takes a few percent of a processor. */
const bytesPerSecond = 24 * 1024 * 1024
const bytesPerSecondAndAddress = (bytesPerSecond * 3) / 4
/** What may leave at once after a rest: a page with all of its files. */
const burstMs = 500
const maxAddresses = 10_000

class Lane {
  readonly #bytesPerMs: number
  #freeAtMs = -Infinity

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1_000
  }

  /** Milliseconds to wait. */
  enter(bytes: number, nowMs: number): number {
    const beginsAtMs = Math.max(this.#freeAtMs, nowMs - burstMs)
    this.#freeAtMs = beginsAtMs + bytes / this.#bytesPerMs
    return Math.max(0, beginsAtMs - nowMs)
  }
}
