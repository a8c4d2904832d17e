import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { TextPage, TextPageRequest } from '../http/pagination.ts'
import type { Grouping } from './counts.ts'
import { sumUsage, type UsageSum } from './usage-store.ts'
import type { Usage, UsageQuery } from './schema.ts'

const defaultLimit = 50
const defaultDays = 30
const maxDays = 400
const dayMs = 86_400_000

/** Usage of the runs and steps that ended in a range of days, in the order of the groups. */
export async function listUsage(
  { reads, accountId }: Pick<Context, 'reads' | 'accountId'>,
  { limit = defaultLimit, after }: TextPageRequest,
  query: UsageQuery,
): Promise<TextPage<Usage>> {
  const grouping = groupingOf(query.group_by)
  const { workflow_id: workflowId } = query
  if (workflowId !== undefined && grouping !== 'day') {
    throw refused('invalid_value', 'group_by', grouping, 'day, as workflow_id is given')
  }
  const rows = await sumUsage(reads, accountId, {
    ...rangeOf(query),
    grouping,
    workflowId,
    limit: limit + 1,
    after,
  })
  const items = rows.slice(0, limit)
  return {
    items: items.map((row) => toUsage(row, grouping)),
    next: rows.length > limit ? items.at(-1)?.value : undefined,
  }
}

function groupingOf(text = 'day'): Grouping {
  if (/^(day|workflow|agent|model|thread|tag:[a-z0-9_.-]{1,40})$/.test(text))
    return text as Grouping
  throw refused(
    'invalid_value',
    'group_by',
    text,
    'day, workflow, agent, model, thread, or tag: and the key of a tag, such as tag:customer',
  )
}

function rangeOf({ from, to }: UsageQuery): { from: string; to: string } {
  const end = to === undefined ? startOfDay(Date.now()) + dayMs : parseDay('to', to)
  const start = from === undefined ? end - defaultDays * dayMs : parseDay('from', from)
  if (start >= end || end - start > maxDays * dayMs) {
    const { param, text } =
      to === undefined ? { param: 'from', text: from } : { param: 'to', text: to }
    const relation = param === 'to' ? `after ${toDay(start)}` : `before ${toDay(end)}`
    throw refused('invalid_value', param, text, `a day up to ${maxDays} days ${relation}`)
  }
  return { from: toDay(start), to: toDay(end) }
}

/** Parses a day, or the time of its start in UTC. */
function parseDay(param: string, text: string): number {
  const [, day] = /^([12]\d{3}-\d\d-\d\d)(T00:00(:00(\.0{1,9})?)?Z)?$/.exec(text) ?? []
  const ms = Date.parse(`${day}T00:00:00Z`)
  if (day !== undefined && !Number.isNaN(ms) && toDay(ms) === day) return ms
  throw refused('invalid_format', param, text, 'a day in UTC such as 2026-11-01')
}

function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function startOfDay(ms: number): number {
  return ms - (ms % dayMs)
}

function refused(
  code: 'invalid_value' | 'invalid_format',
  param: string,
  text: string | undefined,
  expected: string,
): DomainError {
  const message = `Cannot list usage: ${param} is ${JSON.stringify(text)}, expected ${expected}`
  return new DomainError(code, message, { param })
}

function toUsage({ value, name, ...sums }: UsageSum, grouping: Grouping): Usage {
  const { completed, failed, cancelled, calls_without_price, ...ofSteps } = sums
  const isOfRuns = grouping !== 'agent' && grouping !== 'model'
  return {
    ...groupOf(grouping, value, name),
    runs: isOfRuns ? completed + failed + cancelled : null,
    completed: isOfRuns ? completed : null,
    failed: isOfRuns ? failed : null,
    cancelled: isOfRuns ? cancelled : null,
    ...ofSteps,
    calls_without_price,
  }
}

function groupOf(grouping: Grouping, value: string, name: string | null): Partial<Usage> {
  switch (grouping) {
    case 'day':
      return { day: value }
    case 'workflow':
      return { workflow: value, name }
    case 'agent':
      return { agent: value === '' ? null : value, name }
    case 'model':
      return { model: value }
    case 'thread':
      return { thread: value, name }
    default:
      return { tag: value }
  }
}
