import type { AuditListQuery } from '../../sdk/generated.ts'

export const kinds = { changes: 'Changes', activity: 'Activity', all: 'All' } as const
export type Kind = keyof typeof kinds

export const isKind = (value: unknown): value is Kind =>
  typeof value === 'string' && Object.hasOwn(kinds, value)

export function kindOf({ kind, action, object_id }: Filters): Kind {
  return kind ?? (action === undefined && object_id === undefined ? 'changes' : 'all')
}

/** What the list shows, as it stands in the address. */
export interface Filters {
  actor_id?: string
  action?: string
  object_id?: string
  /** Left out: changes; all where an action or an object is chosen. */
  kind?: Kind
  /** Days of the viewer's zone, both included. */
  from?: string
  to?: string
}

/** A day as fields of dates have it; while its year is typed, it is one of long ago. */
export function isDay(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    /^2\d{3}-\d\d-\d\d$/.test(value) &&
    !Number.isNaN(startOf(value).getTime())
  )
}

/** The filters in the words of the API: its times leave themselves out. */
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
