/**
 * How fast a provider normally answers all processes together, and which part of that is this one's. Each
 * process measures what it sees and says so in a note (`Queue.announce`); a part follows from how often
 * a process asks: who takes most of the runs that wait may send most of the calls. So those that wait are not
 * held up by a process that happened to be idle before, and one that has just started meets no herd of its own.
 */
export interface Pace {
  /** Answers while the provider was there, each weighed by its age. */
  answers: number
  /** What one answer a millisecond would have counted to by then. */
  measuredMs: number
  /** Calls that were asked for, each weighed by its age. */
  asks: number
  /** How long the provider has been away; null while it is there. */
  awayMs: number | null
}

/** By provider. */
export type Paces = Record<string, Pace>

/** A process beside this one. */
export interface PeerPaces {
  paces: Paces
  isAlive: boolean
  silentMs: number
}

/** What is known of all processes. */
export interface Share {
  answers: number
  answersPerMs: number
  /** Which part of the calls is this process's: above 0, and 1 for one that is alone. */
  part: number
  processes: number
}

/** For how long what was normal is remembered, while the provider is there. */
const memoryMs = 30_000
/** A shorter time is none to tell a rate by. */
const leastMeasuredMs = 5_000
/** A process that went so shortly before the provider did, or later, did its share of what was normal. */
const restartMs = 300_000

/** A count in which each is weighed by its age. */
class Fading {
  #count = 0
  #fadedMs: number
  /** What one a millisecond would have counted to. */
  #spanMs = 0

  constructor(nowMs: number) {
    this.#fadedMs = nowMs
  }

  add(nowMs: number): void {
    this.fade(nowMs)
    this.#count += 1
  }

  fade(nowMs: number): void {
    const kept = Math.exp(-(nowMs - this.#fadedMs) / memoryMs)
    this.#count *= kept
    this.#spanMs = this.#spanMs * kept + memoryMs * (1 - kept)
    this.#fadedMs = nowMs
  }

  /** The time until now does not count. */
  skip(nowMs: number): void {
    this.#fadedMs = nowMs
  }

  get count(): number {
    return this.#count
  }

  get spanMs(): number {
    return this.#spanMs
  }
}

/** What this process has seen of a provider. */
export class PaceMeter {
  readonly #answers: Fading
  readonly #asks: Fading
  #awaySinceMs: number | undefined
  #isPaused = false

  constructor(nowMs: number) {
    this.#answers = new Fading(nowMs)
    this.#asks = new Fading(nowMs)
  }

  asked(nowMs: number): void {
    this.#asks.add(nowMs)
  }

  answered(nowMs: number): void {
    if (!this.#isPaused) this.#answers.add(nowMs)
  }

  away(nowMs: number): void {
    this.#awaySinceMs ??= nowMs
    this.pause(nowMs, true)
  }

  back(nowMs: number): void {
    this.#awaySinceMs = undefined
    this.pause(nowMs, false)
  }

  /** What is normal is neither forgotten nor measured while the provider is away, be it only for others. */
  pause(nowMs: number, isPaused: boolean): void {
    if (this.#isPaused === isPaused) return
    if (isPaused) this.#answers.fade(nowMs)
    else this.#answers.skip(nowMs)
    this.#isPaused = isPaused
  }

  read(nowMs: number): Pace {
    const since = this.#awaySinceMs
    if (!this.#isPaused) this.#answers.fade(nowMs)
    this.#asks.fade(nowMs)
    return {
      answers: this.#answers.count,
      measuredMs: this.#answers.spanMs,
      asks: this.#asks.count,
      awayMs: since === undefined ? null : nowMs - since,
    }
  }
}

export function isAwayFor(provider: string, peers: readonly PeerPaces[]): boolean {
  return peers.some(({ paces, isAlive }) => isAlive && (paces[provider]?.awayMs ?? null) !== null)
}

/** This process's share of a provider; `peers` are all others. */
export function shareOf(own: Pace, provider: string, peers: readonly PeerPaces[] = []): Share {
  const share = { answers: own.answers, answersPerMs: answersPerMs(own) }
  let [asks, processes] = [own.asks, 1]
  for (const { paces, isAlive, silentMs } of peers) {
    const pace = paces[provider]
    if (isAlive) processes += 1
    if (pace === undefined) continue
    if (isAlive) asks += pace.asks
    if (!isAlive && !wasThere(own, pace, silentMs)) continue
    share.answers += pace.answers
    share.answersPerMs += answersPerMs(pace)
  }
  return { ...share, part: (own.asks + 1) / (asks + processes), processes }
}

/** Whether a process that is gone was there when the provider went away, so that no other does its work yet. */
function wasThere(own: Pace, { awayMs }: Pace, silentMs: number): boolean {
  return awayMs !== null && own.awayMs !== null && silentMs - own.awayMs < restartMs
}

function answersPerMs({ answers, measuredMs }: Pace): number {
  return answers / Math.max(measuredMs, leastMeasuredMs)
}
