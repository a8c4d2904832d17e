/**
 * The circuit breakers of one provider and key, one for each model. A breaker holds calls back while its model
 * does not answer, and lets them out again without a herd.
 *
 *     closed ──failures──→ open ──a probe is answered──→ slow start ──calm, or at its limit──→ closed
 *                           ↑                                │ failures
 *                           └────────────────────────────────┘
 *
 * Open: one call goes out now and then as a probe, at intervals that double up to a bound, whether or not the
 * probe before has come back. Slow start: as many calls in flight as its window allows; each answer adds one, so
 * the window doubles with each round of answers, or with each second without a failure, and a failure halves it. A
 * connection that cannot be made counts
 * for all models of the address. While other models of the provider answer, a model that fails is broken by
 * itself: its calls are not held, so that the tries of its runs count.
 *
 * Nothing is remembered of what was normal and nothing is shared between processes. Pure but for the clock.
 */
export interface BreakerClock {
  nowMs: () => number
  random: () => number
}

/** `failed`: no answer. `unreachable`: no connection to the address. `unknown`: nothing is known of the provider. */
export type CallResult = 'answered' | 'failed' | 'unreachable' | 'unknown'

export interface CallEnd {
  result: CallResult
  /** What the provider said, or why it could not. */
  words?: string
  /** The model does not answer for this long, by its provider's own words. */
  askedMs?: number
}

/** A call that is held back. */
export interface Wait {
  waitMs: number
  /** The provider's last words. */
  words: string
  /** The provider answers again; this call waits for its turn. */
  isBack: boolean
}

export type Admission =
  /** `done` has to be called with the end of the call; it returns a wait for a failure that is an outage. */
  { kind: 'go'; done: (end: CallEnd) => Wait | undefined } | ({ kind: 'wait' } & Wait)

const failuresToOpen = 5
const firstProbeMs = 500
const maxProbeMs = 3_000
/** The window doubles after this time without a failure too, for models that answer slowly or are called seldom. */
const calmMs = 1_000
/** Calls that are held come back one after the other, this far apart. */
const gapMs = 10
/** The longer an outage lasts, the less often its held calls come back: after a quarter of it, up to this. */
const maxComeBackMs = 10_000
/** How long an answer shows that the provider is there. */
const evidenceMs = 60_000
/** Ids of fine-tuned models come from users, so there is no end to them. */
const maxBreakers = 1_000

export class Breakers {
  readonly #clock: BreakerClock
  readonly #maxInFlight: number
  readonly #byModel = new Map<string, Breaker>()

  /** `maxInFlight`: calls that the provider takes at once; slow start goes no further. */
  constructor(
    maxInFlight: number,
    clock: BreakerClock = { nowMs: () => performance.now(), random: Math.random },
  ) {
    this.#maxInFlight = maxInFlight
    this.#clock = clock
  }

  /** Whether a call may go out now. One that has a fallback keeps no place in line: it may never come back. */
  admit(model: string, hasFallback = false): Admission {
    const breaker = this.#byModel.get(model) ?? this.#create(model)
    const nowMs = this.#clock.nowMs()
    const isBroken = !hasFallback && breaker.isOpen && this.#isAloneIn(breaker, nowMs)
    if (!breaker.lets(nowMs, isBroken))
      return { kind: 'wait', ...breaker.waitInLine(nowMs, !hasFallback) }
    const begun = breaker.begin(nowMs)
    return { kind: 'go', done: (end) => this.#end(breaker, begun, end, hasFallback) }
  }

  #create(model: string): Breaker {
    const breaker = new Breaker(this.#clock, this.#maxInFlight)
    this.#byModel.set(model, breaker)
    if (this.#byModel.size > maxBreakers) {
      this.#byModel.delete(this.#byModel.keys().next().value as string)
    }
    return breaker
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
    const isOutage = breaker.isAsked(nowMs) || !this.#isAloneIn(breaker, nowMs)
    return isOutage ? breaker.waitInLine(nowMs, !hasFallback) : undefined
  }

  /** Whether other models have answered calls that were made since this one began to fail. */
  #isAloneIn(breaker: Breaker, nowMs: number): boolean {
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
  /** When the first of the failures in a row came; Infinity while there is none. */
  failingSinceMs = Infinity
  #failures = 0
  #words = ''
  /** Raised when it opens: calls that began before say nothing new, and are not counted as in flight. */
  #epoch = 0
  #inFlight = 0
  /** Of the last answer: when its call began, and when it came. */
  #answeredCallMs = -Infinity
  #answeredMs = -Infinity
  #lineEndMs = -Infinity
  // Open.
  #openedMs = 0
  #probeMs = 0
  #intervalMs = 0
  /** Until when the provider has asked for no calls. */
  #askedUntilMs = -Infinity
  // In slow start.
  #window = 0
  /** When a failure halved the window last, or slow start began. */
  #halvedMs = 0
  /** From when the next doubling by time is counted. */
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
  lets(nowMs: number, isBroken: boolean): boolean {
    if (this.state === 'open') {
      if (nowMs < this.#probeMs) return isBroken && !this.isAsked(nowMs)
      this.#intervalMs = Math.min(maxProbeMs, this.#intervalMs * 2)
      this.#probeMs = nowMs + this.#scattered(this.#intervalMs)
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
    // An unfinished probe says nothing, so another call may find out at once.
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
    // Other probes may hang on connections that are dead; they take nothing from the window.
    this.#window = this.#inFlight + 2
  }

  fail(nowMs: number, beganMs: number, { words = '', askedMs = 0 }: CallEnd): void {
    // Calls that time out together, long after others were answered, are no outage of now.
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
      // Once a round: calls that began before the last halving do not halve the window again.
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
    this.#probeMs = Math.max(nowMs + this.#scattered(firstProbeMs), this.#askedUntilMs)
  }

  /** When a call that is held may come back; `joins` keeps that place for it. */
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

  #scattered(ms: number): number {
    return ms * (0.75 + this.#clock.random() / 2)
  }
}
