/**
 * A token bucket for each key, account or address, in memory: a full bucket may be used at once,
 * then tokens return evenly. Each process counts separately.
 */
export interface RateLimitState {
  allowed: boolean
  remaining: number
  /** Seconds until a refused request would be allowed, or until the bucket is full again. */
  resetSeconds: number
}

export class RateLimiter {
  readonly perMinute: number
  readonly #burst: number
  readonly #buckets = new Map<string, Bucket>()
  #sweptAt = 0

  /** `perMinute`: 0 for no limit. `burst`: size of the bucket, a minute's worth by default. */
  constructor(perMinute: number, burst = perMinute) {
    this.perMinute = perMinute
    this.#burst = Math.min(burst, perMinute)
  }

  /** Takes a token; with a cost of 0, only checks for one. */
  take(id: string, nowMs: number, cost = 1): RateLimitState {
    if (this.perMinute === 0) return { allowed: true, remaining: Infinity, resetSeconds: 0 }
    const perMs = this.perMinute / 60_000
    const tokens = this.#tokens(id, nowMs)
    const allowed = tokens >= 1
    const left = allowed ? tokens - cost : tokens
    this.#buckets.set(id, { tokens: left, atMs: nowMs })
    const wanted = allowed ? this.#burst - left : 1 - left
    return {
      allowed,
      remaining: Math.floor(left),
      resetSeconds: Math.ceil(wanted / perMs / 1000),
    }
  }

  /**
   * Charges a cost that is known only afterwards; the bucket can go into debt by up to a minute's
   * worth.
   */
  charge(id: string, nowMs: number, cost: number): void {
    if (this.perMinute === 0) return
    const tokens = Math.max(-this.perMinute, this.#tokens(id, nowMs) - cost)
    this.#buckets.set(id, { tokens, atMs: nowMs })
  }

  #tokens(id: string, nowMs: number): number {
    this.#sweep(nowMs)
    const { tokens, atMs } = this.#buckets.get(id) ?? { tokens: this.#burst, atMs: nowMs }
    return Math.min(this.#burst, tokens + ((nowMs - atMs) * this.perMinute) / 60_000)
  }

  /** Deletes full buckets, so that unused keys take no memory. */
  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptAt < 60_000) return
    this.#sweptAt = nowMs
    for (const [id, bucket] of this.#buckets) {
      if (nowMs - bucket.atMs > 120_000) this.#buckets.delete(id)
    }
  }
}

interface Bucket {
  tokens: number
  atMs: number
}
