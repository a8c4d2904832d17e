import { hash } from 'node:crypto'
import { nextDue, type Timing } from './clock/next-due.ts'

/**
 * Decides which times of a schedule start a run, when a process plans it. A time that is not late
 * starts; a late one starts or is missed, by the schedule's catch-up rule. Pure, so that a test
 * plans a year in a second.
 */
export interface Plan {
  starts: Date[]
  missed: Missed[]
  /** The next time; undefined if the schedule has ended. */
  next: Due | undefined
}

export interface Due {
  dueAt: Date
  /** `dueAt` plus the jitter. */
  startsAt: Date
}

interface Missed {
  dueAt: Date
  /** Set if there are too many missed times to list: all up to this one were missed. */
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

/** Reason for a time that was due before a restore. */
export const doubtful =
  'The database was restored or promoted since, and the run may have started before'

/**
 * A firing that starts within this time is not late. Longer than the start of 10,000 firings that
 * are due in the same minute takes.
 */
export const graceMs = 120_000

/** Limit of missed times of an outage that are listed, oldest first. */
export const maxMissed = 1_000

/**
 * Plans a schedule from its first due time on. Times up to `doubtAt` never start: the database was
 * restored then, and their runs may have existed.
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

/** The first time after a given one; undefined if the schedule has ended by then. */
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

/** A fraction of the jitter, from 0 up to 1, that is the same in all processes. */
function shareOf(text: string): number {
  return hash('sha256', text, 'buffer').readUInt32BE(0) / 2 ** 32
}
