/**
 * Maps times to positions from 0 to 1. A long wait for a person is folded to a narrow strip, so
 * that the work around it stays visible.
 */
export interface Pause {
  from: number
  to: number
}

export interface Scale {
  /** Position of a time, 0 to 1. */
  at: (time: number) => number
  /** The folded waits, with their positions. */
  folds: { from: number; to: number; left: number; width: number }[]
  /** Round times since the start, with their positions, for an axis. */
  ticks: { ms: number; left: number }[]
}

const shortestFoldMs = 5_000
const foldShare = 0.08

export function makeScale(start: number, end: number, pauses: readonly Pause[]): Scale {
  const whole = Math.max(1, end - start)
  const merged = merge(pauses.map((pause) => clamp(pause, start, end)))
  const paused = merged.reduce((sum, { from, to }) => sum + to - from, 0)
  const worked = Math.max(1, whole - paused)
  // A wait is folded if it would be wider than its strip.
  const width = Math.max(1, (worked * foldShare) / (1 - Math.min(0.6, foldShare * merged.length)))
  const folded = merged.filter(({ from, to }) => to - from > Math.max(shortestFoldMs, width * 1.5))
  const saved = folded.reduce((sum, { from, to }) => sum + (to - from - width), 0)
  const shown = whole - saved

  const at = (time: number) => {
    let place = Math.min(Math.max(time, start), end) - start
    for (const { from, to } of folded) {
      if (time >= to) place -= to - from - width
      else if (time > from) place -= (time - from) * (1 - width / (to - from))
    }
    return place / shown
  }
  return {
    at,
    folds: folded.map(({ from, to }) => ({ from, to, left: at(from), width: width / shown })),
    ticks: ticksOf(whole, shown, (ms) => at(start + ms)).filter(
      ({ ms }) => !folded.some(({ from, to }) => start + ms > from && start + ms < to),
    ),
  }
}

const mostTicks = 5
/** Labels nearer to each other, or to the end, would overlap. */
const leastGap = 0.12

/** Spans that people count in, in milliseconds. */
const roundMs = [1, 2, 5, 10, 20, 50, 100, 200, 500]
  .concat([1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000))
  .concat([1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000))
  .concat([1, 2, 6, 12, 24, 72, 168].map((hours) => hours * 3_600_000))

function ticksOf(whole: number, shown: number, at: (ms: number) => number): Scale['ticks'] {
  const step = roundMs.find((ms) => shown / ms <= mostTicks) ?? shown
  const ticks: Scale['ticks'] = []
  // Folds hide most of a long wait, so there may be many more steps than ticks.
  const count = Math.min(1_000, Math.floor(whole / step))
  for (let number = 0; number <= count; number++) {
    const ms = number * step
    const left = at(ms)
    const last = ticks.at(-1)
    if (left <= 1 - leastGap && (last === undefined || left - last.left >= leastGap))
      ticks.push({ ms, left })
  }
  return ticks
}

function clamp({ from, to }: Pause, start: number, end: number): Pause {
  return { from: Math.max(from, start), to: Math.min(to, end) }
}

function merge(pauses: readonly Pause[]): Pause[] {
  const merged: Pause[] = []
  for (const pause of pauses.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (pause.to <= pause.from) continue
    if (last !== undefined && pause.from <= last.to) last.to = Math.max(last.to, pause.to)
    else merged.push({ ...pause })
  }
  return merged
}
