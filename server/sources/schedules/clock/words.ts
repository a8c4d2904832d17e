import type { Timing } from './next-due.ts'
import { expandPattern, fieldsOf, type Fields } from './pattern.ts'

/** When a schedule fires, in English. */
export function inWords(timing: Timing): string {
  switch (timing.kind) {
    case 'at':
      return `Once, at ${timing.at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
    case 'every':
      return `Every ${interval(timing.seconds)}`
    case 'cron':
      return `${cronInWords(fieldsOf(expandPattern(timing.cron)))} (${timing.timeZone})`
  }
}

/** Days come first where they are plain, as in "Every Monday at 09:00". */
function cronInWords(fields: Fields): string {
  const times = clockTimes(fields)
  const days = daysOf(fields)
  const months = fields.months === '*' ? '' : ` in ${list(fields.months, monthName, 'month')}`
  if (times === undefined) {
    const when = days.kind === 'any' ? '' : ` on ${days.words}`
    return `${frequency(fields)}${when}${months}`
  }
  if (days.kind === 'any') return `Every day at ${times}${months}`
  if (days.kind === 'weekdays') return `Every ${days.words} at ${times}${months}`
  return `At ${times} on ${days.words}${months}`
}

const mostTimes = 6
const numbers = /^\d+(?:,\d+)*$/

/** Such as "09:00 and 17:00"; undefined if the pattern names no few times of a day. */
function clockTimes({ minutes, hours }: Fields): string | undefined {
  if (!numbers.test(minutes) || !numbers.test(hours)) return undefined
  const sorted = (field: string): number[] =>
    [...new Set(field.split(',').map(Number))].toSorted((a, b) => a - b)
  const times = sorted(hours).flatMap((hour) =>
    sorted(minutes).map((minute) => `${twoDigits(hour)}:${twoDigits(minute)}`),
  )
  return times.length > mostTimes ? undefined : joined(times)
}

/** How often within a day. */
function frequency({ minutes, hours }: Fields): string {
  const minuteStep = stepOf(minutes)
  const hourStep = stepOf(hours)
  const isOnHour = /^\d+$/.test(minutes)
  if (isOnHour && hourStep !== undefined) {
    const often = hourStep === 1 ? 'Every hour' : `Every ${hourStep} hours`
    return minutes === '0' ? often : `${often} at minute ${minutes}`
  }
  const often =
    minuteStep === undefined
      ? `At ${list(minutes, String, 'minute')}`
      : minuteStep === 1
        ? 'Every minute'
        : `Every ${minuteStep} minutes`
  if (hours === '*') return minuteStep === undefined ? `${often} of every hour` : often
  return `${often} of ${list(hours, String, 'hour')}`
}

/** 1 for `*`, n for `*\/n`. */
function stepOf(field: string): number | undefined {
  if (field === '*') return 1
  const [, step] = /^\*\/(\d+)$/.exec(field) ?? []
  return step === undefined ? undefined : Number(step)
}

type Days = { kind: 'any' } | { kind: 'weekdays' | 'other'; words: string }

function daysOf({ dates, weekdays }: Fields): Days {
  const isPlain = weekdays.split(',').every((part) => /^\w+(?:-\w+)?$/.test(part) && !isLast(part))
  if (dates === '*' && weekdays === '*') return { kind: 'any' }
  if (dates === '*' && isPlain) {
    return { kind: 'weekdays', words: list(weekdays, weekdayName, '') }
  }
  const words = [
    ...(dates === '*' ? [] : [`${joined(dates.split(',').map(dateInWords))} of the month`]),
    ...(weekdays === '*' ? [] : [weekdaysInWords(weekdays)]),
  ]
  return { kind: 'other', words: words.join(' or on ') }
}

function dateInWords(part: string): string {
  if (part === 'L') return 'the last day'
  if (part === 'LW') return 'the last weekday'
  const [, near] = /^(\d+)W$/.exec(part) ?? []
  if (near !== undefined) return `the weekday nearest day ${near}`
  return list(part, String, 'day')
}

const isLast = (part: string): boolean => /^\w+L$/.test(part) && !/^JUL$/.test(part)

function weekdaysInWords(field: string): string {
  const parts = field.split(',').map((part) => {
    const [, day = '', nth] = /^(\w+)#(\d|L)$/.exec(part) ?? (isLast(part) ? lastOf(part) : [])
    if (nth === undefined) return { words: list(part, weekdayName, ''), isOfMonth: false }
    const which = nth === 'L' ? 'last' : (ordinals[Number(nth)] ?? nth)
    return { words: `the ${which} ${weekdayName(day)}`, isOfMonth: true }
  })
  const [ofMonth, others] = [true, false].map((kind) =>
    parts.filter(({ isOfMonth }) => isOfMonth === kind).map(({ words }) => words),
  )
  return [
    ...(ofMonth?.length ? [`${joined(ofMonth)} of the month`] : []),
    ...(others?.length ? [joined(others)] : []),
  ].join(' or on ')
}

function lastOf(part: string): string[] {
  return [part, part.slice(0, -1), 'L']
}

const ordinals = ['', 'first', 'second', 'third', 'fourth', 'fifth']

/** The parts of a field: values, ranges and steps. `noun` is that of a value that is only a number. */
function list(field: string, name: (value: string) => string, noun: string): string {
  const parts = field.split(',')
  const isNumbers = name === String
  const words = parts.map((part) => {
    const [range = '', step] = part.split('/')
    const [from = '', to] = range.split('-')
    const span = to === undefined ? name(from) : `${name(from)} to ${name(to)}`
    if (step === undefined || step === '1') return range === '*' ? `every ${noun}` : span
    const every = `every ${ordinal(Number(step))} ${noun || 'day'}`
    return range === '*' ? every : `${every} from ${span}`
  })
  const isPlural = parts.length > 1 || /[-/]/.test(field)
  const startsPlain = isNumbers && /^\d/.test(words[0] ?? '')
  return `${startsPlain ? `${noun}${isPlural ? 's' : ''} ` : ''}${joined(words)}`
}

function ordinal(value: number): string {
  const ending = /1\d$/.test(String(value))
    ? 'th'
    : ({ 1: 'st', 2: 'nd', 3: 'rd' }[value % 10] ?? 'th')
  return `${value}${ending}`
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months =
  'January February March April May June July August September October November December'.split(' ')

function weekdayName(value: string): string {
  return nameIn(weekdays, /^\d+$/.test(value) ? weekdays[Number(value) % 7] : undefined, value)
}

function monthName(value: string): string {
  return nameIn(months, /^\d+$/.test(value) ? months[Number(value) - 1] : undefined, value)
}

function nameIn(names: string[], known: string | undefined, value: string): string {
  return known ?? names.find((name) => name.slice(0, 3).toUpperCase() === value) ?? value
}

function joined(words: string[]): string {
  return words.length < 2
    ? (words[0] ?? '')
    : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** Such as "90 minutes": in the largest unit that divides it. */
function interval(seconds: number): string {
  const [size, name] = units.find(([one]) => seconds % one === 0) ?? units[3]
  const count = seconds / size
  return count === 1 ? name : `${count} ${name}s`
}
