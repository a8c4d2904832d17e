/** The five fields of a cron pattern, in the one form that the rest of this folder reads. */
export interface Fields {
  minutes: string
  hours: string
  dates: string
  months: string
  weekdays: string
}

const nicknames: Record<string, string> = {
  '@YEARLY': '0 0 1 1 *',
  '@ANNUALLY': '0 0 1 1 *',
  '@MONTHLY': '0 0 1 * *',
  '@WEEKLY': '0 0 * * 0',
  '@DAILY': '0 0 * * *',
  '@MIDNIGHT': '0 0 * * *',
  '@HOURLY': '0 * * * *',
}

/** First and last value of each field. */
const ranges = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const

/**
 * Writes out what other systems abbreviate: nicknames such as `@daily`, `?` for any day, and `5/15` for every 15 from
 * 5. Fields that are none stay, so that their error names them.
 */
export function expandPattern(cron: string): string {
  const upper = cron.toUpperCase()
  const fields = (nicknames[upper] ?? upper).split(' ')
  if (fields.length !== ranges.length) return upper
  return fields
    .map((field, place) => {
      const [least, most] = ranges[place] ?? [0, 0]
      const isDay = place === 2 || place === 4
      return field
        .split(',')
        .map((part) => {
          if (part === '?' && isDay) return '*'
          const [, from, step] = /^(\d+)\/(\d+)$/.exec(part) ?? []
          if (from === undefined || step === undefined) return part
          return Number(from) === least ? `*/${step}` : `${from}-${most}/${step}`
        })
        .join(',')
    })
    .join(' ')
}

const names = ['minute', 'hour', 'day', 'month', 'weekday']

/** Why a value of a pattern of five fields is out of its range; the parser counts days and months from 0. */
export function findOutOfRange(pattern: string): string | undefined {
  for (const [place, field] of pattern.split(' ').entries()) {
    const [least, most] = place === 4 ? [0, 7] : (ranges[place] ?? [0, 0])
    // Not the step of `*/5`, nor the week of `MON#5`.
    for (const [value] of field.matchAll(/(?<![\d/#])\d+/g)) {
      if (Number(value) >= least && Number(value) <= most) continue
      return `Invalid value for ${names[place]}: ${value}, expected ${least} to ${most}`
    }
  }
  return undefined
}

/** Of a pattern that `expandPattern` made. */
export function fieldsOf(pattern: string): Fields {
  const [minutes = '*', hours = '*', dates = '*', months = '*', weekdays = '*'] = pattern.split(' ')
  return { minutes, hours, dates, months, weekdays }
}
