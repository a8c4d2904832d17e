import type { AuditListQuery } from '../../sdk/generated.ts'

export const kinds = { changes: 'Changes', activity: 'Activity', all: 'All' } as const
export type Kind = keyof typeof kinds

export const isKind = (value: unknown): value is Kind =>
  typeof value === 'string' && Object.hasOwn(kinds, value)

export function kindOf({ kind, action, object_id }: Filters): Kind {
  return kind ?? (action === undefined && object_id === undefined ? 'changes' : 'all')
}

/** Filters of the list, kept in the URL. */
export interface Filters {
  actor_id?: string
  action?: string
  object_id?: string
  /** By default changes only, or everything if an action or an object is chosen. */
  kind?: Kind
  /** Days in the viewer's time zone, both included. */
  from?: string
  to?: string
}

/** A day from a date field. While its year is being typed it is far in the past. */
export function isDay(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    /^2\d{3}-\d\d-\d\d$/.test(value) &&
    !Number.isNaN(startOf(value).getTime())
  )
}

/** The filters as parameters of the API, whose bounds are exclusive. */
export function queryOf(filters: Filters): AuditListQuery {
  const { from, to, kind: _, ...others } = filters
  const kind = kindOf(filters)
  const [first, last] = [from && startOf(from), to && startOf(to)]
  if (first) first.setMilliseconds(-1)
  if (last) last.setDate(last.getDate() + 1)
  return {
    ...others,
    ...(kind !== 'all' && { kind }),
    ...(first && { created_after: first.toISOString() }),
    ...(last && { created_before: last.toISOString() }),
  }
}

/** In the viewer's zone. */
function startOf(day: string): Date {
  return new Date(`${day}T00:00:00`)
}
