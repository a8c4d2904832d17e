import { LRUCache } from 'lru-cache'

/**
 * The circuit breakers of one provider and key, one for each model. A breaker holds calls back while its model gives no
 * answers, and lets them out again without a stampede.
 *
 *     closed ──failures──→ open ──a probe is answered──→ slow start ──calm, or at its limit──→ closed
 *                           ↑                                │ failures
 *                           └────────────────────────────────┘
 *
 * Open: single calls go out as probes, at intervals that double up to a bound, whether or not the previous probe has
 * ended. Slow start: the window bounds the calls in flight. Each answer widens it by one, so it doubles with each round of
 * answers, or with each second without a failure; a failure halves it. A connection that cannot be made counts against
 * all models of the address. A model that fails while other models of its provider answer is broken by itself: its calls
 * are not held, so its runs use up their tries and fail.
 *
 * Breakers keep no history of normal rates, and processes share nothing. Pure but for the clock.
 */
export interface BreakerClock {
  nowMs: () => number
  random: () => number
}

/** `failed`: no answer. `unreachable`: no connection to the address. `unknown`: the call says nothing about the provider. */
export type CallResult = 'answered' | 'failed' | 'unreachable' | 'unknown'

export interface CallEnd {
  result: CallResult
  /** The provider's words, or why there are none. */
  words?: string
  /** The wait that the provider asked for, where it is long enough to count as away. */
  askedMs?: number
}

/** A call that is held back. */
export interface Wait {
  waitMs: number
  /** The provider's last words. */
  words: string
  /** The provider answers again, and this call waits for its turn. */
  isBack: boolean
}

export type Admission =
  /** The caller must report the end of the call to `done`, which returns a wait if the failure is an outage. */
  { kind: 'go'; done: (end: CallEnd) => Wait | undefined } | ({ kind: 'wait' } & Wait)

const failuresToOpen = 5
const firstProbeMs = 500
const maxProbeMs = 3_000
/** The window also doubles after this time without a failure, for models that are slow or seldom called. */
const calmMs = 1_000
/** Held calls come back one by one, this far apart. */
const gapMs = 10
/** Held calls come back after a quarter of the time that the outage has lasted, at most this. */
const maxComeBackMs = 10_000
/** How long an answer counts as evidence that the provider works. */
const evidenceMs = 60_000

export class Breakers {
  readonly #clock: BreakerClock
  /** Bounded, because ids of fine-tuned models come from users. */
  readonly #byModel: LRUCache<string, Breaker>

  /** `maxInFlight`: calls that the provider takes at once; slow start ends there. */
  constructor(
    maxInFlight: number,
    clock: BreakerClock = { nowMs: () => performance.now(), random: Math.random },
  ) {
    this.#clock = clock
    this.#byModel = new LRUCache({
      max: 200,
      memoMethod: () => new Breaker(clock, maxInFlight),
    })
  }

  /** Whether a call may go out now. A call with a fallback gets no place in line, since it may never come back. */
  admit(model: string, hasFallback = false): Admission {
    const breaker = this.#byModel.memo(model)
    const nowMs = this.#clock.nowMs()
    const isBroken = !hasFallback && breaker.isOpen && this.#isBrokenAlone(breaker, nowMs)
    if (!breaker.admits(nowMs, isBroken))
      return { kind: 'wait', ...breaker.waitInLine(nowMs, !hasFallback) }
    const begun = breaker.begin(nowMs)
    return { kind: 'go', done: (end) => this.#end(breaker, begun, end, hasFallback) }
  }

  #end(breaker: Breaker, begun: Begun, end: CallEnd, hasFallback: boolean): Wait | undefined {
    const nowMs = this.#clock.nowMs()
    breaker.end(nowMs, begun, end)
    const { result } = end
    if (result === 'unreachable') {
      for (const other of this.#byModel.values()) {
        if (other !== breaker) other.fail(nowMs, nowMs, end)
      }
    }
    if (result === 'answered' || result === 'unknown' || breaker.state === 'closed')
      return undefined
    const isOutage = breaker.isAsked(nowMs) || !this.#isBrokenAlone(breaker, nowMs)
    return isOutage ? breaker.waitInLine(nowMs, !hasFallback) : undefined
  }

  /** Whether other models have answered calls that began after this model's failures did. */
  #isBrokenAlone(breaker: Breaker, nowMs: number): boolean {
    for (const other of this.#byModel.values()) {
      if (other !== breaker && other.hasAnsweredSince(breaker.failingSinceMs, nowMs)) return true
    }
    return false
  }
}

interface Begun {
  atMs: number
  epoch: number
}

class Breaker {
  readonly #clock: BreakerClock
  readonly #maxInFlight: number
  state: 'closed' | 'open' | 'slow-start' = 'closed'
  /** Time of the first of the current failures in a row; Infinity without any. */
  failingSinceMs = Infinity
  #failures = 0
  #words = ''
  /** Raised with each opening, so that earlier calls are ignored and not counted as in flight. */
  #epoch = 0
  #inFlight = 0
  /** Begin and end of the last call that was answered. */
  #answeredCallMs = -Infinity
  #answeredMs = -Infinity
  #lineEndMs = -Infinity
  // While open.
  #openedMs = 0
  #probeMs = 0
  #intervalMs = 0
  /** Until when the provider has asked for no calls. */
  #askedUntilMs = -Infinity
  // During slow start.
  #window = 0
  /** Last halving of the window, or the beginning of slow start. */
  #halvedMs = 0
  /** Start of the interval for the next doubling by time. */
  #calmSinceMs = 0

  constructor(clock: BreakerClock, maxInFlight: number) {
    this.#clock = clock
    this.#maxInFlight = maxInFlight
  }

  get isOpen(): boolean {
    return this.state === 'open'
  }

  isAsked(nowMs: number): boolean {
    return nowMs < this.#askedUntilMs
  }

  hasAnsweredSince(sinceMs: number, nowMs: number): boolean {
    return (
      this.#failures === 0 &&
      this.#answeredCallMs >= sinceMs &&
      nowMs - this.#answeredMs <= evidenceMs
    )
  }

  /** `isBroken`: only this model fails, so its calls are not held for a probe. */
  admits(nowMs: number, isBroken: boolean): boolean {
    if (this.state === 'open') {
      if (nowMs < this.#probeMs) return isBroken && !this.isAsked(nowMs)
      this.#intervalMs = Math.min(maxProbeMs, this.#intervalMs * 2)
      this.#probeMs = nowMs + this.#jittered(this.#intervalMs)
      return true
    }
    if (this.state === 'slow-start') {
      const calmSteps = Math.floor((nowMs - this.#calmSinceMs) / calmMs)
      this.#window *= 2 ** calmSteps
      this.#calmSinceMs += calmSteps * calmMs
      if (this.#window < this.#maxInFlight) return this.#inFlight < this.#window
      this.state = 'closed'
    }
    return true
  }

  begin(nowMs: number): Begun {
    this.#inFlight += 1
    return { atMs: nowMs, epoch: this.#epoch }
  }

  end(nowMs: number, { atMs, epoch }: Begun, end: CallEnd): void {
    if (epoch !== this.#epoch) return
    this.#inFlight -= 1
    if (end.result === 'answered') this.#answer(nowMs, atMs)
    else if (end.result !== 'unknown') this.fail(nowMs, atMs, end)
    // A probe without a result: the next call may probe at once.
    else if (this.state === 'open' && !this.isAsked(nowMs)) this.#probeMs = nowMs
  }

  #answer(nowMs: number, beganMs: number): void {
    this.#failures = 0
    this.failingSinceMs = Infinity
    this.#answeredCallMs = beganMs
    this.#answeredMs = nowMs
    if (this.state === 'slow-start') this.#window += 1
    if (this.state !== 'open') return
    this.state = 'slow-start'
    this.#askedUntilMs = -Infinity
    this.#halvedMs = nowMs
    this.#calmSinceMs = nowMs
    // Other probes may hang on dead connections; they must not fill the window.
    this.#window = this.#inFlight + 2
  }

  fail(nowMs: number, beganMs: number, { words = '', askedMs = 0 }: CallEnd): void {
    // Ignores calls that began before the last answer: they say nothing about the present.
    if (beganMs < this.#answeredMs && askedMs === 0) return
    this.#failures += 1
    this.failingSinceMs = Math.min(this.failingSinceMs, nowMs)
    this.#words = words
    if (askedMs > 0) this.#askedUntilMs = nowMs + askedMs
    if (this.state === 'open') {
      this.#probeMs = Math.max(this.#probeMs, this.#askedUntilMs)
      return
    }
    if (this.state === 'slow-start') {
      this.#calmSinceMs = nowMs
      // Once a round: calls from before the last halving do not halve the window again.
      if (beganMs >= this.#halvedMs) {
        this.#window = Math.floor(this.#window / 2)
        this.#halvedMs = nowMs
      }
    }
    const isAway = this.state === 'closed' ? this.#failures >= failuresToOpen : this.#window < 1
    if (isAway || askedMs > 0) this.#open(nowMs)
  }

  #open(nowMs: number): void {
    this.state = 'open'
    this.#epoch += 1
    this.#inFlight = 0
    this.#openedMs = nowMs
    this.#intervalMs = firstProbeMs
    this.#probeMs = Math.max(nowMs + this.#jittered(firstProbeMs), this.#askedUntilMs)
  }

  /** When a held call may come back; `joins` reserves that place for it. */
  waitInLine(nowMs: number, joins: boolean): Wait {
    let fromMs = nowMs
    if (this.state === 'open') {
      const comeBackMs = Math.min(maxComeBackMs, (nowMs - this.#openedMs) / 4)
      fromMs = Math.max(this.#probeMs, nowMs + comeBackMs)
    }
    const endMs = Math.max(this.#lineEndMs, fromMs) + gapMs
    if (joins) this.#lineEndMs = endMs
    const atMs = joins ? endMs : endMs - this.#clock.random() * (endMs - fromMs)
    return { waitMs: atMs - nowMs, words: this.#words, isBack: this.state !== 'open' }
  }

  #jittered(ms: number): number {
    return ms * (0.75 + this.#clock.random() / 2)
  }
}
