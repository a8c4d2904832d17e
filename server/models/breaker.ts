/**
 * The circuit breaker of a provider and its key: lets no call go out while the provider does not answer, and
 * brings the calls back without a herd.
 *
 *     closed ──failures──→ open ──its time is over──→ probing ──answer──→ ramping ──quiet──→ closed
 *                            ↑                           │ failure           │ failures
 *                            └───────────────────────────┴───────────────────┘
 *
 * Open: nothing goes out for 1 s at first, twice as long after each probe that fails, 30 s at most. Probing:
 * one call. Ramping: a few calls a second at first, twice as many each second, and at most 1.75 times as many
 * as the provider answered before; where calls wait for longer than 15 minutes, there are more of them than
 * before, and that bound rises. Those that have to wait are told different times, one behind the other
 * at that rate, so that they do not come back at once.
 *
 * Pure but for the clock. There is one in each process, which measures and bounds what this process sends.
 */
export interface BreakerClock {
  nowMs: () => number
  random: () => number
}

/** What became of a call; `failed`: the provider is not there. */
export type CallResult = 'answered' | 'failed' | 'unknown'

export type Admission =
  | { kind: 'go'; done: (result: CallResult, askedMs?: number) => void }
  | { kind: 'wait'; waitMs: number }

const failuresToOpen = 5
const leastOpenMs = 1_000
const mostOpenMs = 30_000
/** A provider may ask for longer, up to this. */
const mostAskedMs = 600_000
const headroom = 1.75
/** The ramp ends when nobody had to wait for so long. */
const quietMs = 5_000
/** A ramp on which calls still wait after that time lets twice as many out in the next. */
const risesEveryMs = 900_000
/** For how long what was normal is remembered. */
const memoryMs = 30_000
/** Fewer answers in that time are no measure. */
const leastAnswers = 20
/** A shorter time is none to tell a rate by. */
const leastMeasuredMs = 5_000
/** How fast those come back that wait, where nothing is known of what is normal. */
const lineRate = 10

type State =
  | { kind: 'closed' }
  | { kind: 'open'; untilMs: number }
  | { kind: 'probing' }
  | { kind: 'ramping'; sinceMs: number; tokens: number; filledMs: number; waitedMs: number }
type Ramping = Extract<State, { kind: 'ramping' }>

export class Breaker {
  readonly #clock: BreakerClock
  #state: State = { kind: 'closed' }
  /** Raised when it opens: what began before tells nothing new. */
  #epoch = 0
  #failures = 0
  #openMs = leastOpenMs
  /** When the last of those that wait may come. */
  #lineEndMs = 0
  /** Answers while it was closed, each weighed by its age. */
  #answers = 0
  #countedMs: number
  /** What one answer a millisecond would have counted to by then; at first that is less than all of memory. */
  #measuredMs = 0

  constructor(clock: BreakerClock = { nowMs: () => performance.now(), random: Math.random }) {
    this.#clock = clock
    this.#countedMs = clock.nowMs()
  }

  get isClosed(): boolean {
    return this.#state.kind === 'closed'
  }

  /** Whether a call may go out now, which then has to say what became of it. */
  admit(): Admission {
    const now = this.#clock.nowMs()
    const state = this.#state
    switch (state.kind) {
      case 'closed':
        return this.#go()
      case 'open':
        if (now < state.untilMs) return this.#wait(now, state.untilMs)
        this.#state = { kind: 'probing' }
        return this.#go()
      case 'probing':
        return this.#wait(now, now + leastOpenMs)
      case 'ramping':
        return this.#ramp(now, state)
    }
  }

  /** When a call may be made that was not let out, or failed; its place is behind all that wait. */
  whenNextMs(): number {
    const now = this.#clock.nowMs()
    const { waitMs } = this.#wait(now, this.#state.kind === 'open' ? this.#state.untilMs : now)
    return waitMs
  }

  #ramp(now: number, state: Ramping): Admission {
    const rate = this.#rampRate(now - state.sinceMs)
    const burst = Math.max(1, rate / 10)
    state.tokens = Math.min(burst, state.tokens + ((now - state.filledMs) / 1_000) * rate)
    state.filledMs = now
    if (now - Math.max(state.sinceMs, state.waitedMs) > quietMs) {
      this.#close(now)
    } else if (state.tokens < 1) {
      state.waitedMs = now
      return this.#wait(now, now)
    } else {
      state.tokens -= 1
    }
    return this.#go()
  }

  /** Calls a second; where nothing is known of what is normal, the doubling alone is the bound. */
  #rampRate(forMs: number): number {
    const normal = this.#normalRate()
    const doubled = 2 ** Math.min(20, forMs / 1_000)
    if (normal === undefined) return doubled
    // What has to wait for so long is more than there was before.
    const most = normal * 2 ** Math.min(20, Math.max(0, forMs / risesEveryMs - 1))
    return Math.min(most, Math.max(1, normal / 10) * doubled)
  }

  /** With headroom; undefined where too little was seen. */
  #normalRate(): number | undefined {
    if (this.#answers < leastAnswers) return undefined
    return (this.#answers / Math.max(this.#measuredMs, leastMeasuredMs)) * 1_000 * headroom
  }

  #go(): Admission {
    const epoch = this.#epoch
    let isDone = false
    return {
      kind: 'go',
      done: (result, askedMs = 0) => {
        if (isDone || epoch !== this.#epoch) return
        isDone = true
        if (result === 'answered') this.#answered()
        else this.#failed(result, askedMs)
      },
    }
  }

  #wait(now: number, fromMs: number): { kind: 'wait'; waitMs: number } {
    const gapMs = 1_000 / (this.#normalRate() ?? lineRate)
    this.#lineEndMs = Math.max(this.#lineEndMs, fromMs) + gapMs
    return { kind: 'wait', waitMs: this.#lineEndMs - this.#clock.random() * gapMs - now }
  }

  #answered(): void {
    const now = this.#clock.nowMs()
    this.#failures = 0
    if (this.#state.kind === 'closed') {
      const kept = Math.exp(-(now - this.#countedMs) / memoryMs)
      this.#answers = this.#answers * kept + 1
      this.#measuredMs = this.#measuredMs * kept + memoryMs * (1 - kept)
      this.#countedMs = now
    } else if (this.#state.kind === 'probing') {
      this.#state = { kind: 'ramping', sinceMs: now, tokens: 1, filledMs: now, waitedMs: now }
    }
  }

  #failed(result: 'failed' | 'unknown', askedMs: number): void {
    const now = this.#clock.nowMs()
    const isProbe = this.#state.kind === 'probing'
    if (result === 'unknown') {
      // Somebody else has to find out.
      if (isProbe) this.#state = { kind: 'open', untilMs: now }
      return
    }
    this.#failures += 1
    if (isProbe || askedMs > 0 || this.#failures >= failuresToOpen) this.#open(now, askedMs)
  }

  #open(now: number, askedMs: number): void {
    const openMs = this.#openMs * (0.75 + this.#clock.random() / 2)
    const untilMs = now + Math.max(openMs, Math.min(askedMs, mostAskedMs))
    // While it is not closed, time does not age what is known of what is normal.
    this.#state = { kind: 'open', untilMs }
    this.#epoch += 1
    this.#failures = 0
    this.#openMs = Math.min(mostOpenMs, this.#openMs * 2)
    this.#lineEndMs = untilMs
  }

  #close(now: number): void {
    this.#state = { kind: 'closed' }
    this.#openMs = leastOpenMs
    this.#countedMs = now
  }
}
