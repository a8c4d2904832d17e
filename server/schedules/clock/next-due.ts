import { Cron } from 'croner'
import { momentOf, spanAt } from './zone.ts'

/**
 * When a schedule is due. Croner finds the next reading of a clock that fits a pattern; what that means where clocks are
 * changed is decided here. An hour that is named (`30 2 * * *`, `0 9-17 * * *`) is due once a local day: at the first of two
 * passes, and at the end of the gap where it is left out. An hour that begins with `*` is due whenever a clock
 * shows it. Intervals count from a fixed moment, so nothing depends on when a process looked.
 */
export type Timing =
  | { kind: 'cron'; cron: string; timeZone: string }
  | { kind: 'every'; seconds: number; from: Date }
  | { kind: 'at'; at: Date }

/** The first moment behind `after` at which the schedule is due; undefined where there is none. */
export function nextDue(timing: Timing, after: Date): Date | undefined {
  switch (timing.kind) {
    case 'at':
      return timing.at > after ? timing.at : undefined
    case 'every':
      return nextOfInterval(timing, after)
    case 'cron': {
      const { cron, timeZone } = timing
      const ms = cron.split(' ')[1]?.startsWith('*')
        ? nextShown(cron, timeZone, after.getTime())
        : nextOfDay(cron, timeZone, after.getTime())
      return ms === undefined ? undefined : new Date(ms)
    }
  }
}

function nextOfInterval({ seconds, from }: Extract<Timing, { kind: 'every' }>, after: Date): Date {
  const passed = Math.floor((after.getTime() - from.getTime()) / (seconds * 1_000))
  return new Date(from.getTime() + Math.max(passed + 1, 1) * seconds * 1_000)
}

/** Bound of every search: the minutes of a day that comes twice. */
const maxSteps = 1_500

function nextOfDay(cron: string, zone: string, afterMs: number): number | undefined {
  let localMs: number | undefined = afterMs + spanAt(zone, afterMs).offsetMs
  for (let step = 0; step < maxSteps; step++) {
    localMs = nextLocal(cron, localMs)
    if (localMs === undefined) return undefined
    const ms = momentOf(zone, localMs)
    if (ms > afterMs) return ms
  }
  return undefined
}

function nextShown(cron: string, zone: string, afterMs: number): number | undefined {
  let span = spanAt(zone, afterMs)
  let localMs = afterMs + span.offsetMs
  for (let step = 0; step < maxSteps; step++) {
    const next = nextLocal(cron, localMs)
    if (next === undefined) return undefined
    if (next - span.offsetMs < span.endMs) return next - span.offsetMs
    const { endMs } = span
    span = spanAt(zone, endMs)
    // The first minute behind the change counts.
    localMs = endMs + span.offsetMs - 1
  }
  return undefined
}

const patterns = new Map<string, Cron>()
const maxPatterns = 1_000

function nextLocal(pattern: string, localMs: number): number | undefined {
  // Croner drops parts of a second before it adds one.
  return patternOf(pattern)
    .nextRun(new Date(Math.floor(localMs / 1_000) * 1_000))
    ?.getTime()
}

/** Throws where it is no pattern, in words. */
export function patternOf(pattern: string): Cron {
  const known = patterns.get(pattern)
  if (known !== undefined) return known
  const made = new Cron(pattern, { timezone: 'UTC', mode: '5-part', paused: true })
  if (patterns.size >= maxPatterns) patterns.clear()
  patterns.set(pattern, made)
  return made
}
