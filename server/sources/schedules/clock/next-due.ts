import { Cron } from 'croner'
import { LRUCache } from 'lru-cache'
import { expandPattern, fieldsOf } from './pattern.ts'
import { momentOf, spanAt } from './zone.ts'

/**
 * When a schedule is due. Croner finds the next local time that matches a pattern; the meaning at
 * clock changes is decided here. A pattern that names hours (`30 2 * * *`, `0 9-17 * * *`) is due
 * once per local day: at the first of two occurrences, and at the end of the gap if the hour is
 * skipped. A pattern whose hour starts with `*` is due whenever a clock shows it. Intervals count
 * from a fixed time, so nothing depends on when a process checked.
 */
export type Timing =
  | { kind: 'cron'; cron: string; timeZone: string }
  | { kind: 'every'; seconds: number; from: Date }
  | { kind: 'at'; at: Date }

/** The first due time after `after`; undefined if there is none. */
export function nextDue(timing: Timing, after: Date): Date | undefined {
  switch (timing.kind) {
    case 'at':
      return timing.at > after ? timing.at : undefined
    case 'every':
      return nextOfInterval(timing, after)
    case 'cron': {
      const { timeZone } = timing
      const cron = expandPattern(timing.cron)
      const ms = fieldsOf(cron).hours.startsWith('*')
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

/** Limit of every search: the minutes of a day with a repeated hour. */
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
    // The first minute after the change counts.
    localMs = endMs + span.offsetMs - 1
  }
  return undefined
}

const patterns = new LRUCache<string, Cron>({ max: 1_000 })

function nextLocal(pattern: string, localMs: number): number | undefined {
  // Croner drops fractions of a second before it adds one.
  return patternOf(pattern)
    .nextRun(new Date(Math.floor(localMs / 1_000) * 1_000))
    ?.getTime()
}

/** Throws a readable error for an invalid pattern; `expandPattern` has written it out. */
export function patternOf(pattern: string): Cron {
  const known = patterns.get(pattern)
  if (known !== undefined) return known
  const made = new Cron(pattern, { timezone: 'UTC', mode: '5-part', paused: true })
  patterns.set(pattern, made)
  return made
}
