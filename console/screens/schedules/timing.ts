import type { PreviewSchedule, Schedule } from '../../../sdk/generated.ts'
import { serverNow } from '../../ui/text/server-time.ts'

/** The timing of a schedule in form fields; other timings are entered as cron patterns. */
export interface Timing {
  repeats: Repeats
  /** `HH:MM`. */
  time: string
  /** Day of the week, 0 for Sunday. */
  weekday: string
  /** Day of the month. */
  day: string
  minutes: string
  /** `YYYY-MM-DDTHH:MM`, in the viewer's time zone. */
  at: string
  cron: string
  timeZone: string
}

export const repeats = {
  daily: 'Every day',
  workdays: 'Monday to Friday',
  weekly: 'Every week',
  monthly: 'Every month',
  hourly: 'Every hour',
  interval: 'At an interval',
  once: 'Once',
  cron: 'Cron pattern',
} as const
export type Repeats = keyof typeof repeats

export const weekdays = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const

export function firstTiming(): Timing {
  return {
    repeats: 'weekly',
    time: '09:00',
    weekday: '1',
    day: '1',
    minutes: '60',
    at: localText(new Date(serverNow() + 3_600_000)),
    cron: '0 9 * * 1',
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
}

/** Form fields for a schedule. */
export function toTiming({ cron, every_seconds, at, time_zone }: Schedule): Timing {
  const timing = { ...firstTiming(), timeZone: time_zone }
  if (at !== null) return { ...timing, repeats: 'once', at: localText(new Date(at)) }
  if (every_seconds !== null) {
    return { ...timing, repeats: 'interval', minutes: String(every_seconds / 60) }
  }
  return { ...timing, cron: cron ?? '', ...readCron(cron ?? '') }
}

function readCron(cron: string): Partial<Timing> & Pick<Timing, 'repeats'> {
  const [, minute, hour, day, weekday] = /^(\d+) (\d+|\*) (\d+|\*) \* (\d|1-5|\*)$/.exec(cron) ?? []
  if (minute === undefined) return { repeats: 'cron' }
  if (hour === '*') {
    const isHourly = minute === '0' && day === '*' && weekday === '*'
    return { repeats: isHourly ? 'hourly' : 'cron' }
  }
  const time = `${hour?.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (day !== '*')
    return weekday === '*' ? { repeats: 'monthly', time, day: day ?? '1' } : { repeats: 'cron' }
  if (weekday === '*') return { repeats: 'daily', time }
  if (weekday === '1-5') return { repeats: 'workdays', time }
  return { repeats: 'weekly', time, weekday: String(Number(weekday) % 7) }
}

/** The API's fields; undefined while a field is empty. */
export function fromTiming(timing: Timing): PreviewSchedule | undefined {
  const { repeats, minutes, at, cron, timeZone: time_zone } = timing
  switch (repeats) {
    case 'interval':
      return minutes === ''
        ? undefined
        : { every_seconds: Math.round(Number(minutes) * 60), time_zone }
    case 'once':
      return at === '' ? undefined : { at: new Date(at).toISOString(), time_zone }
    case 'cron':
      return cron.trim() === '' ? undefined : { cron, time_zone }
    case 'hourly':
      return { cron: '0 * * * *', time_zone }
    default: {
      const [hour, minute] = timing.time.split(':').map(Number)
      if (hour === undefined || minute === undefined) return undefined
      const days = {
        daily: '* * *',
        workdays: '* * 1-5',
        weekly: `* * ${timing.weekday}`,
        monthly: `${timing.day} * *`,
      }[repeats]
      return { cron: `${minute} ${hour} ${days}`, time_zone }
    }
  }
}

/** The format of date-time fields. */
function localText(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
