import { setTimeout as delay } from 'node:timers/promises'

/**
 * Limits how fast public content is sent: files of the console, the API reference, the OpenAPI
 * document. All clients are served in turns, part by part; one address gets at most three quarters
 * of the rate.
 */
export class SendPace {
  readonly #clock: Clock
  readonly #all = new Lane(bytesPerSecond)
  readonly #addresses = new Map<string, Lane>()

  constructor(clock: Clock = { now: () => performance.now(), wait: delay }) {
    this.#clock = clock
  }

  /**
   * Resolves when bytes for an address may be sent; undefined (no promise) if they may be sent at
   * once.
   */
  pass(address: string, bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const own = this.#enter(this.#laneOf(address), bytes, signal)
    // The shared lane only gets what an address's own lane lets through, so that one address cannot
    // fill it.
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

/** Copying this much takes a few percent of a CPU. */
const bytesPerSecond = 24 * 1024 * 1024
const bytesPerSecondAndAddress = (bytesPerSecond * 3) / 4
/** Burst after a pause: enough for a page with all of its files. */
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
