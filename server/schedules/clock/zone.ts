/**
 * Local time of IANA zones, as numbers. A local time is the milliseconds that the same reading of a clock in UTC would have.
 * A span is a stretch of real time with one offset; spans are cached, since asking for the next change of an offset
 * takes as long as hundreds of additions.
 */
export interface Span {
  /** The change before it, or any later time at which it was asked for. */
  startMs: number
  /** The next change; `Infinity` where none is known. */
  endMs: number
  offsetMs: number
}

const spansOf = new Map<string, Span[]>()
/** Of one zone: about ten years. */
const maxSpans = 20

/** The span in which a moment is. */
export function spanAt(zone: string, ms: number): Span {
  const spans = spansOf.getOrInsertComputed(zone, () => [])
  const known = spans.find(({ startMs, endMs }) => startMs <= ms && ms < endMs)
  if (known !== undefined) return known
  const there = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
  const change = there.getTimeZoneTransition('next')
  const span = {
    startMs: ms,
    endMs: change?.epochMilliseconds ?? Infinity,
    offsetMs: there.offsetNanoseconds / 1e6,
  }
  if (spans.length >= maxSpans) spans.length = 0
  spans.push(span)
  return span
}

/** Offsets are between -12 and +14 hours. */
const mostHoursAhead = 15

/**
 * The moment at which a clock shows a local time: the first one if there are two, and the end of the gap if clocks
 * leave it out.
 */
export function momentOf(zone: string, localMs: number): number {
  let span = spanAt(zone, localMs - mostHoursAhead * 3_600_000)
  for (;;) {
    const ms = localMs - span.offsetMs
    if (ms < span.startMs) return span.startMs
    if (ms < span.endMs) return ms
    span = spanAt(zone, span.endMs)
  }
}
