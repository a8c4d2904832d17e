/** Numbers, money and spans of time as text. */
const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatSpan(ms: number): string {
  if (ms < 0) return '0 s'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < minuteMs) return `${Math.floor(ms / 1_000)} s`
  if (ms < hourMs) return pair(ms, minuteMs, 'min', 1_000, 's')
  if (ms < dayMs) return pair(ms, hourMs, 'h', minuteMs, 'min')
  return pair(ms, dayMs, 'd', hourMs, 'h')
}

function pair(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % big) / small)
  return `${Math.floor(ms / big)} ${bigName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`
}

/** `just now`, `4 min ago`, `in 2 h`. */
export function formatAgo(at: number, now: number): string {
  const ms = now - at
  const size = Math.abs(ms)
  if (size < 5_000) return 'just now'
  const span =
    size < minuteMs
      ? `${Math.floor(size / 1_000)} s`
      : size < hourMs
        ? `${Math.floor(size / minuteMs)} min`
        : size < dayMs
          ? `${Math.floor(size / hourMs)} h`
          : `${Math.floor(size / dayMs)} d`
  return ms > 0 ? `${span} ago` : `in ${span}`
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** Date, time and zone of the viewer. */
export function formatExact(at: string): string {
  return withoutMarks(exact.format(new Date(at)))
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

export function formatClock(at: Date): string {
  return withoutMarks(clock.format(at))
}

/** Arabic and other formats have marks of direction in them, which would be shown as invisible characters. */
function withoutMarks(text: string): string {
  return text.replaceAll(/[\u061c\u200e\u200f]/g, '')
}

/** US dollars with up to four decimals; `$0` is exactly zero. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0'
  if (usd < 0.0001) return '< $0.0001'
  return `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}`
}

interface Cost {
  cost_usd: number
  calls_without_price: number
}

/** A cost, of which calls with a model of unknown price are no part. */
export function formatCost({ cost_usd: usd, calls_without_price: unpriced }: Cost): string {
  if (unpriced === 0) return formatUsd(usd)
  return usd === 0 ? 'price unknown' : `${formatUsd(usd)} + unknown`
}

/** What a cost leaves out; empty for nothing. */
export function leftOut({
  calls_without_price: unpriced,
}: Pick<Cost, 'calls_without_price'>): string {
  if (unpriced === 0) return ''
  return `${plural(unpriced, 'call')} without a price ${unpriced === 1 ? 'is' : 'are'} not counted`
}

/** `512 bytes`, `3.4 KB`, `32 MB`, by 1,024. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return plural(bytes, 'byte')
  const [size, unit] = bytes < 1_024 ** 2 ? [bytes / 1_024, 'KB'] : [bytes / 1_024 ** 2, 'MB']
  return `${size < 10 ? Number(size.toFixed(1)) : Math.round(size)} ${unit}`
}

const whole = new Intl.NumberFormat('en-US')

export function formatCount(count: number): string {
  return whole.format(count)
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
