/** What the server's clock is ahead of this machine's: the clock of a laptop may be an hour or a day off. */
let aheadMs = 0

/** A response's `Date` has whole seconds and travels for a while, so a small difference means nothing. */
const leastMs = 3_000

/** Takes the time of a response that has just arrived. */
export function noteServerTime(date: string | null, receivedAt = Date.now()): void {
  const at = Date.parse(date ?? '')
  if (Number.isNaN(at)) return
  const found = at + 500 - receivedAt
  aheadMs = Math.abs(found) < leastMs ? 0 : found
}

/** The server's time in milliseconds. */
export function serverNow(): number {
  return Date.now() + aheadMs
}
