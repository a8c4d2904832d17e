/**
 * A token bucket for each API key, in memory: a full minute's worth may come at once, then tokens
 * return evenly. Each process counts for itself.
 */
export interface RateLimitState {
  allowed: boolean
  remaining: number
  /** Seconds until a refused request would pass, or the bucket is full again. */
  resetSeconds: number
}

export class RateLimiter {
  readonly perMinute: number
  readonly #buckets = new Map<string, Bucket>()
  #sweptAt = 0

  constructor(perMinute: number) {
    this.perMinute = perMinute
  }

  take(keyId: string, nowMs: number): RateLimitState {
    this.#sweep(nowMs)
    const perMs = this.perMinute / 60_000
    const bucket = this.#buckets.get(keyId) ?? { tokens: this.perMinute, atMs: nowMs }
    const tokens = Math.min(this.perMinute, bucket.tokens + (nowMs - bucket.atMs) * perMs)
    const allowed = tokens >= 1
    const left = allowed ? tokens - 1 : tokens
    this.#buckets.set(keyId, { tokens: left, atMs: nowMs })
    const wanted = allowed ? this.perMinute - left : 1 - left
    return {
      allowed,
      remaining: Math.floor(left),
      resetSeconds: Math.ceil(wanted / perMs / 1000),
    }
  }

  /** Forgets buckets that are full again, so that keys of the past take no memory. */
  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptAt < 60_000) return
    this.#sweptAt = nowMs
    for (const [keyId, bucket] of this.#buckets) {
      if (nowMs - bucket.atMs > 60_000) this.#buckets.delete(keyId)
    }
  }
}

interface Bucket {
  tokens: number
  atMs: number
}
