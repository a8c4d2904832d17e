import cronstrue from 'cronstrue'
import type { Timing } from './next-due.ts'

/** When a schedule fires, in English. */
export function inWords(timing: Timing): string {
  switch (timing.kind) {
    case 'at':
      return `Once, at ${timing.at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
    case 'every':
      return `Every ${interval(timing.seconds)}`
    case 'cron':
      return `${cronInWords(timing.cron)} (${timing.timeZone})`
  }
}

/** Days come first, as in "Every Monday at 09:00"; the library puts the time first. */
function cronInWords(cron: string): string {
  const words = cronstrue.toString(cron, { use24HourTimeFormat: true })
  const [, time, day] = /^At ([\d:]+)(?:, only on (\w+))?$/.exec(words) ?? []
  return time === undefined ? words : `Every ${day ?? 'day'} at ${time}`
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
