/**
 * Local times of IANA zones, as numbers. A local time is represented by the milliseconds that the
 * same clock reading would have in UTC. A span is a period with a constant offset; spans are
 * cached, because finding the next change of an offset takes as long as hundreds of additions.
 */
export interface Span {
  /** The previous change, or any later time from which the span was computed. */
  startMs: number
  /** The next change; `Infinity` if none is known. */
  endMs: number
  offsetMs: number
}

const spansOf = new Map<string, Span[]>()
/** For one zone: about ten years. */
const maxSpans = 20

/** The span that contains a time. */
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
 * The time at which a clock shows a local time: the first one if there are two, and the end of the
 * gap if it is skipped.
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
