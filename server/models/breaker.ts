import { isAwayFor, PaceMeter, shareOf, type Pace, type PeerPaces, type Share } from './pace.ts'

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
 * before, and that bound rises. Calls go out at even gaps; one that is due soon waits for its moment, the
 * others are told different times, one behind the other at that rate, so that they do not come back at once.
 *
 * Pure but for the clock. There is one in each process, which bounds what this process sends to its share of
 * what is normal for all (`pace.ts`).
 */
export interface BreakerClock {
  nowMs: () => number
  random: () => number
}

/** What became of a call; `failed`: the provider is not there. */
export type CallResult = 'answered' | 'failed' | 'unknown'

export type Admission =
  | { kind: 'go'; done: (result: CallResult, askedMs?: number) => void }
  /** Its moment is kept: `enter` has to be called then. */
  | { kind: 'soon'; waitMs: number; enter: () => Admission }
  | { kind: 'wait'; waitMs: number }

const failuresToOpen = 5
const leastOpenMs = 1_000
const mostOpenMs = 30_000
const headroom = 1.75
/** The ramp ends so long after the last one that had to wait was told so, or should have come. */
const quietMs = 5_000
/** A ramp on which calls still wait after that time lets twice as many out in the next. */
const risesEveryMs = 900_000
/** Fewer answers are no measure. */
const leastAnswers = 20
/** One whose moment is later gives its slot back. */
const mostSoonMs = 500
/** How fast those come back that wait, where nothing is known of what is normal. */
const lineRate = 10

type State =
  | { kind: 'closed' }
  | { kind: 'open'; untilMs: number }
  | { kind: 'probing' }
  | { kind: 'ramping'; sinceMs: number; nextMs: number; waitedMs: number }
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
  readonly #meter: PaceMeter
  /** What all processes said last; undefined before the first time. */
  #share: Share | undefined

  constructor(clock: BreakerClock = { nowMs: () => performance.now(), random: Math.random }) {
    this.#clock = clock
    this.#meter = new PaceMeter(clock.nowMs())
  }

  /** What this process has seen. */
  get pace(): Pace {
    return this.#meter.read(this.#clock.nowMs())
  }

  /** Takes in what all other processes have seen. */
  learn(provider: string, peers: readonly PeerPaces[]): void {
    if (this.isClosed) this.#meter.pause(this.#clock.nowMs(), isAwayFor(provider, peers))
    this.#share = shareOf(this.pace, provider, peers)
  }

  get isClosed(): boolean {
    return this.#state.kind === 'closed'
  }

  /**
   * Whether a call may go out now, which then has to say what became of it. One that has a fallback `joins` no
   * line: nobody may come for its place.
   */
  admit(joins = true): Admission {
    this.#meter.asked(this.#clock.nowMs())
    return this.#admit(joins)
  }

  #admit(joins: boolean): Admission {
    const now = this.#clock.nowMs()
    const state = this.#state
    switch (state.kind) {
      case 'closed':
        return this.#go()
      case 'open':
        if (now < state.untilMs) return this.#wait(now, state.untilMs, joins)
        this.#state = { kind: 'probing' }
        return this.#go()
      case 'probing':
        return this.#wait(now, now + leastOpenMs, joins)
      case 'ramping':
        return this.#ramp(now, state, joins)
    }
  }

  /** When a call may be made that was not let out, or failed; its place is behind all that wait. */
  whenNextMs(joins = true): number {
    const now = this.#clock.nowMs()
    const fromMs = this.#state.kind === 'open' ? this.#state.untilMs : now
    return this.#wait(now, fromMs, joins).waitMs
  }

  #ramp(now: number, state: Ramping, joins: boolean): Admission {
    if (now > Math.max(state.waitedMs, this.#lineEndMs) + quietMs) {
      this.#close(now)
      return this.#go()
    }
    const atMs = Math.max(now, state.nextMs)
    if (atMs > now + mostSoonMs) {
      state.waitedMs = now
      return this.#wait(now, now, joins)
    }
    state.nextMs = atMs + 1_000 / this.#rampRate(now - state.sinceMs)
    if (atMs <= now) return this.#go()
    const epoch = this.#epoch
    // It may have opened again meanwhile.
    const enter = (): Admission => (epoch === this.#epoch ? this.#go() : this.#admit(joins))
    return { kind: 'soon', waitMs: atMs - now, enter }
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

  /** Calls a second, with headroom; undefined where too little was seen. */
  #normalRate(isLine = false): number | undefined {
    const share = this.#share ?? shareOf(this.pace, '')
    const { answers, answersPerMs, part, processes } = share
    if (answers < leastAnswers) return undefined
    // Who has just begun to ask has next to no part yet, and would tell the first of its line to come in hours.
    return answersPerMs * 1_000 * headroom * (isLine ? Math.max(part, 1 / processes) : part)
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

  #wait(now: number, fromMs: number, joins: boolean): { kind: 'wait'; waitMs: number } {
    const gapMs = 1_000 / (this.#normalRate(true) ?? lineRate)
    const endMs = Math.max(this.#lineEndMs, fromMs) + gapMs
    const { random } = this.#clock
    // Without a place it is somewhere among the others, should it come again.
    if (!joins) return { kind: 'wait', waitMs: endMs - random() * (endMs - fromMs) - now }
    this.#lineEndMs = endMs
    return { kind: 'wait', waitMs: endMs - random() * gapMs - now }
  }

  #answered(): void {
    const now = this.#clock.nowMs()
    this.#failures = 0
    this.#meter.answered(now)
    if (this.#state.kind === 'probing') {
      this.#state = { kind: 'ramping', sinceMs: now, nextMs: now, waitedMs: now }
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
    const untilMs = now + Math.max(openMs, askedMs)
    this.#meter.away(now)
    this.#state = { kind: 'open', untilMs }
    this.#epoch += 1
    this.#failures = 0
    this.#openMs = Math.min(mostOpenMs, this.#openMs * 2)
    // The line that there is stays: whoever is not let through when it comes has its next place behind it.
    this.#lineEndMs = Math.max(this.#lineEndMs, untilMs)
  }

  #close(now: number): void {
    this.#state = { kind: 'closed' }
    this.#openMs = leastOpenMs
    this.#meter.back(now)
  }
}
