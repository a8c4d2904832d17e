import { hash } from 'node:crypto'
import { nextDue, type Timing } from './clock/next-due.ts'

/**
 * What becomes of the moments at which a schedule was due, decided when a process looks at it: those that are on time
 * start, those that come late start or are missed by the schedule's catch-up rule. Pure, so that a year can be
 * tried in a second.
 */
export interface Plan {
  starts: Date[]
  missed: Missed[]
  /** What comes next; undefined where nothing does. */
  next: Due | undefined
}

export interface Due {
  dueAt: Date
  /** Behind it by the jitter: the schedule starts a run then. */
  startsAt: Date
}

interface Missed {
  dueAt: Date
  /** All moments up to this one were missed as well: set where they are too many to list. */
  until: Date | null
  why: string
}

export interface Rules {
  id: string
  timing: Timing
  endsAt: Date | null
  jitterSeconds: number
  catchUp: 'none' | 'last' | 'all'
  catchUpSeconds: number
}

/** Why a moment before a restore starts nothing. */
export const doubtful =
  'The database was restored or promoted since, and the run may have started before'

/** A firing that starts within this time is on time. Longer than a minute in which 10,000 are due takes to start. */
export const graceMs = 120_000

/** Missed moments that are listed one by one, the oldest of an outage. */
export const maxMissed = 1_000

/**
 * Plans a schedule from its first due moment on. What was due up to `doubtAt` never starts: the database was
 * restored then, and the runs may have been there.
 */
export function plan(rules: Rules, first: Date, now: Date, doubtAt: Date | null): Plan {
  const moments: Due[] = []
  const missed: Missed[] = []
  let next = dueAt(rules, first)
  const windowMs = Math.max(graceMs, rules.catchUp === 'none' ? 0 : rules.catchUpSeconds * 1_000)
  const windowFrom = new Date(now.getTime() - windowMs - rules.jitterSeconds * 1_000)
  while (next !== undefined && next.startsAt <= now) {
    if (moments.length === maxMissed && next.dueAt < windowFrom) {
      const last = { dueAt: next.dueAt, until: windowFrom, why: 'No worker ran for a long time' }
      missed.push(last)
      next = nextOf(rules, windowFrom)
      continue
    }
    moments.push(next)
    next = nextOf(rules, next.dueAt)
  }
  const isDoubtful = (one: Due): boolean => doubtAt !== null && one.dueAt <= doubtAt
  const isLate = (one: Due): boolean => now.getTime() - one.startsAt.getTime() > graceMs
  const isWithin = (one: Due): boolean => now.getTime() - one.startsAt.getTime() <= windowMs
  const starts = moments.filter((one, place) => {
    if (isDoubtful(one)) return false
    if (!isLate(one)) return true
    if (!isWithin(one)) return false
    return rules.catchUp === 'all' || (rules.catchUp === 'last' && place === moments.length - 1)
  })
  const started = new Set(starts)
  for (const one of moments) {
    if (started.has(one)) continue
    const why = isDoubtful(one)
      ? doubtful
      : `No worker ran in time (catch_up: ${rules.catchUp}, up to ${rules.catchUpSeconds} s late)`
    missed.push({ dueAt: one.dueAt, until: null, why })
  }
  missed.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
  return { starts: starts.map(({ dueAt }) => dueAt), missed, next }
}

/** The first moment behind a time, unless the schedule has ended by then. */
export function nextOf(
  rules: Omit<Rules, 'catchUp' | 'catchUpSeconds'>,
  after: Date,
): Due | undefined {
  const due = nextDue(rules.timing, after)
  return due && dueAt(rules, due)
}

function dueAt(
  { id, endsAt, jitterSeconds }: Pick<Rules, 'id' | 'endsAt' | 'jitterSeconds'>,
  moment: Date,
): Due | undefined {
  if (endsAt !== null && moment > endsAt) return undefined
  const share = jitterSeconds === 0 ? 0 : shareOf(`${id} ${moment.getTime()}`)
  return {
    dueAt: moment,
    startsAt: new Date(moment.getTime() + Math.floor(share * jitterSeconds * 1_000)),
  }
}

/** The same part of the jitter for the same moment, whichever process asks: from 0 up to 1. */
function shareOf(text: string): number {
  return hash('sha256', text, 'buffer').readUInt32BE(0) / 2 ** 32
}
