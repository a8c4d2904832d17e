/**
 * Evaluates cron patterns without sharing code with the service: it walks through every minute of
 * real time, asks Intl for the local time, and applies the documented rules of clock changes.
 */
interface Minute {
  ms: number
  /** The local time, written as if it were UTC. */
  localMs: number
}

const minute = 60_000
const hour = 3_600_000

/**
 * All minutes of a zone. The offset is asked for once an hour, and for each minute around a change.
 */
export function minutesOf(zone: string, from: Date, to: Date): Minute[] {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const offsetAt = (ms: number): number => {
    const parts = Object.fromEntries(
      format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
    ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute', number>
    return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute) - ms
  }
  const minutes: Minute[] = []
  let before = offsetAt(from.getTime())
  for (let start = from.getTime(); start < to.getTime(); start += hour) {
    const after = offsetAt(start + hour)
    for (let ms = start; ms < start + hour && ms < to.getTime(); ms += minute) {
      minutes.push({ ms, localMs: ms + (before === after ? before : offsetAt(ms)) })
    }
    before = after
  }
  return minutes
}

/** The due times of a pattern; `minutes` must extend a day beyond both ends of the wanted time. */
export function evaluate(pattern: string, minutes: Minute[]): number[] {
  const fits = matcherOf(pattern)
  const isEveryHour = pattern.split(' ')[1]?.startsWith('*') === true
  const due = new Set<number>()
  let lastShown = -Infinity
  for (const [place, { ms, localMs }] of minutes.entries()) {
    const shownBefore = minutes[place - 1]?.localMs ?? localMs - minute
    if (isEveryHour) {
      if (fits(localMs)) due.add(ms)
      continue
    }
    // Local times that the clock skips are due at the end of the gap.
    for (let left = shownBefore + minute; left < localMs; left += minute) {
      if (left > lastShown && fits(left)) due.add(ms)
    }
    // A local time that occurred already, or was skipped, is not due again on the second pass.
    if (localMs > lastShown && fits(localMs)) due.add(ms)
    lastShown = Math.max(lastShown, localMs)
  }
  return [...due]
}

const names = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
const days = 'SUN MON TUE WED THU FRI SAT'.split(' ')

/** Fields with `*`, lists, ranges, steps and names. */
function matcherOf(pattern: string): (localMs: number) => boolean {
  const [minutes = '', hours = '', dates = '', months = '', weekdays = ''] = pattern.split(' ')
  const minuteSet = setOf(minutes, 0, 59)
  const hourSet = setOf(hours, 0, 23)
  const dateSet = setOf(dates, 1, 31)
  const monthSet = setOf(months, 1, 12, names, 1)
  const weekdaySet = setOf(weekdays, 0, 7, days, 0)
  if (weekdaySet.has(7)) weekdaySet.add(0)
  const isEither = dates !== '*' && weekdays !== '*'
  return (localMs) => {
    if (!minuteSet.has(Math.floor(localMs / minute) % 60)) return false
    if (!hourSet.has(Math.floor(localMs / hour) % 24)) return false
    const date = new Date(localMs)
    if (!monthSet.has(date.getUTCMonth() + 1)) return false
    const [isDate, isDay] = [dateSet.has(date.getUTCDate()), weekdaySet.has(date.getUTCDay())]
    return isEither ? isDate || isDay : isDate && isDay
  }
}

function setOf(
  field: string,
  least: number,
  most: number,
  words: string[] = [],
  first = 0,
): Set<number> {
  const numberOf = (text: string): number => {
    const place = words.indexOf(text)
    return place === -1 ? Number(text) : place + first
  }
  const found = new Set<number>()
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/')
    const [from = '', to = from] = range === '*' ? [String(least), String(most)] : range.split('-')
    for (let one = numberOf(from); one <= numberOf(to); one += Number(step)) found.add(one)
  }
  return found
}

/** Patterns of many kinds; the same number always gives the same pattern. */
export function patternNumber(number: number): string {
  const next = randomOf(number)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T
  const upTo = (most: number): number => Math.floor(next() * (most + 1))
  const minutes = pick([`${upTo(59)}`, `${upTo(59)}`, '0', '*/15', '*/7', '10-40/10', '5,35'])
  const hours = pick([
    `${upTo(3)}`,
    `${upTo(3)}`,
    `${upTo(23)}`,
    '*',
    '*/2',
    '0-3',
    '1,2,3',
    '9-17',
    '0,23',
  ])
  const dates = pick(['*', '*', '*', `${1 + upTo(30)}`, '1,15', '*/5'])
  const months = pick(['*', '*', '*', '3,10', 'MAR-MAY', `${1 + upTo(11)}`])
  const weekdays = pick(['*', '*', '*', '1-5', 'SUN', '0', '7', 'MON,FRI'])
  return [minutes, hours, dates, months, weekdays].join(' ')
}

/** Pseudorandom numbers from 0 up to 1 for a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
