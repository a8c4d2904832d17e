/** Numbers and times for people. */

/** `2026-11-21 09:00`, in UTC. */
export function shortTime(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}

/** `12ms`, `0.4s`, `12s`, `3m 05s`. */
export function duration(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))}ms`
  const seconds = ms / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`
  if (seconds < 59.5) return `${Math.round(seconds)}s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, '0')}s`
}

/** `261→156 tokens`. */
export function tokens(tokensIn: number, tokensOut: number): string {
  return `${tokensIn}→${tokensOut} tokens`
}

/** `$0`, `$0.0004`, `$1.25`: two significant digits below a cent, else two decimals. */
export function dollars(amount: number): string {
  if (amount === 0) return '$0'
  return amount < 0.01
    ? `$${Number(amount.toPrecision(2)).toFixed(8).replace(/0+$/, '')}`
    : `$${amount.toFixed(2)}`
}

/** A cost, of which calls with a model of unknown price are no part. */
export function cost(one: { cost_usd: number; calls_without_price: number }): string {
  if (one.calls_without_price === 0) return dollars(one.cost_usd)
  return one.cost_usd === 0 ? 'price unknown' : `${dollars(one.cost_usd)} + unknown`
}

/** Time between two timestamps; until now if the second is missing. */
export function elapsed(startedAt: string | null, finishedAt: string | null): string {
  if (startedAt === null) return '–'
  return duration(
    (finishedAt === null ? Date.now() : Date.parse(finishedAt)) - Date.parse(startedAt),
  )
}

/** Counted in code points, like the service does. */
export function countCharacters(text: string): number {
  return Array.from(text).length
}

/** Such as `12 B`, `3.4 KB`, `32 MB`, in units of 1,024, like limits. */
export function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB']
  const power = bytes < 1 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10))
  const number = bytes / 1024 ** power
  return `${power === 0 || number >= 10 ? Math.round(number) : number.toFixed(1)} ${units[power]}`
}
