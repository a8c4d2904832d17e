import type { Context } from '../../context.ts'
import { cannot } from '../../errors.ts'
import { refuseFields } from '../../templates/templates.ts'
import { patternOf } from './clock/next-due.ts'
import { expandPattern, findOutOfRange } from './clock/pattern.ts'
import { toTimeZone } from '../../time-zone.ts'
import type { PreviewSchedule } from './schema.ts'
import type { ScheduleRow } from './store.ts'

const maxDataBytes = 64 * 1024

/** Throws for templates that do not parse, and for more data than a run may have. */
export async function checkTemplates(
  ctx: Context,
  { input, data }: { input?: unknown; data?: unknown },
): Promise<void> {
  const bytes = Buffer.byteLength(JSON.stringify(data ?? null))
  if (bytes > maxDataBytes) {
    const why = `data has ${bytes} bytes of JSON, at most ${maxDataBytes}`
    throw cannot(ctx, 'invalid_data', why, { param: 'data' })
  }
  const found = await refuseFields(ctx, [
    { name: 'input', template: input, isText: true },
    { name: 'data', template: data, isText: false },
  ])
  if (found === undefined) return
  const why = `${found.path} is no Liquid template: ${found.why}`
  throw cannot(ctx, 'invalid_template', why, { param: found.path })
}

/** The timing of a schedule, as it is stored. */
export type TimingFields = Pick<
  ScheduleRow,
  'cron' | 'time_zone' | 'every_seconds' | 'at' | 'ends_at' | 'jitter_seconds'
>

/** The timing of a new schedule, before its input. */
const unset: TimingFields = {
  cron: null,
  time_zone: 'UTC',
  every_seconds: null,
  at: null,
  ends_at: null,
  jitter_seconds: 0,
}

/** Applies a change: one of `cron`, `every_seconds` and `at` replaces the other two. */
export function changeTiming(
  ctx: Context,
  before: TimingFields | undefined,
  { cron, time_zone, every_seconds, at, ends_at, jitter_seconds }: PreviewSchedule,
): TimingFields {
  const given = Object.entries({ cron, every_seconds, at }).filter(([, value]) => value != null)
  if (given.length > 1) {
    const why = `${given.map(([name]) => name).join(' and ')} are given, expected one of them`
    throw cannot(ctx, 'invalid_value', why, { param: given[1]?.[0] ?? '' })
  }
  const taken = {
    ...(cron === undefined ? {} : { cron: cron?.trim().replaceAll(/\s+/g, ' ') ?? null }),
    ...(every_seconds === undefined ? {} : { every_seconds }),
    ...(at === undefined ? {} : { at: at === null ? null : new Date(at) }),
  }
  const result: TimingFields = {
    ...pickTiming(before ?? unset),
    ...(given.length === 0 ? {} : { cron: null, every_seconds: null, at: null }),
    ...taken,
    ...(time_zone === undefined ? {} : { time_zone }),
    ...(ends_at === undefined ? {} : { ends_at: ends_at === null ? null : new Date(ends_at) }),
    ...(jitter_seconds === undefined ? {} : { jitter_seconds }),
  }
  if (result.cron === null && result.every_seconds === null && result.at === null) {
    const why = 'one of cron, every_seconds and at is required'
    throw cannot(ctx, 'required', why, { param: 'cron' })
  }
  if (result.cron !== null && result.cron !== before?.cron) checkCron(ctx, result.cron)
  const zone = toTimeZone(result.time_zone)
  if (zone === undefined) {
    const why = `time_zone is ${result.time_zone}, expected an IANA name such as Europe/Berlin`
    throw cannot(ctx, 'unknown_time_zone', why, { param: 'time_zone' })
  }
  return { ...result, time_zone: zone }
}

export function pickTiming({
  cron,
  time_zone,
  every_seconds,
  at,
  ends_at,
  jitter_seconds,
}: TimingFields): TimingFields {
  return { cron, time_zone, every_seconds, at, ends_at, jitter_seconds }
}

function checkCron(ctx: Context, cron: string): void {
  const why = whyNoCron(cron)
  if (why === undefined) return
  const message = `cron is "${cron}": ${why}, expected five fields such as "0 9 * * 1", or a word such as @daily`
  throw cannot(ctx, 'invalid_cron', message, { param: 'cron' })
}

function whyNoCron(cron: string): string | undefined {
  const pattern = expandPattern(cron)
  const wrong = /[^\dA-Z*,/# -]/.exec(pattern)?.[0]
  if (wrong !== undefined) return `"${wrong}" has no meaning here`
  const fields = pattern.split(' ').length
  if (fields !== 5) return `it has ${fields} field${fields === 1 ? '' : 's'}`
  const outside = findOutOfRange(pattern)
  if (outside !== undefined) return outside
  try {
    return patternOf(pattern).nextRun() === null ? 'no date fits it' : undefined
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)
  }
}
