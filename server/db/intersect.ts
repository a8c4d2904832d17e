import { sql, type RawBuilder } from 'kysely'
import type { Database } from './client.ts'
import type { Tables } from './generated-tables.ts'
import type { Cursor } from './keyset.ts'
import { replanned } from './preparing-client.ts'

/**
 * The page of a list with several filters, each of which has an index in the order of the list. The
 * planner cannot say which filter finds least: its statistics know neither the account nor what
 * came since. So a probe reads the start of each index; the filter that reaches back furthest in as
 * many entries leads. Few of its entries are looked up by key in the other tables, and if too few
 * match, longer windows of the indexes are intersected, which reads a hundred entries a block.
 *
 * Two filters that each find much, but hardly anything together, read the shorter one to its end.
 */
export interface OrderedFilter {
  table: keyof Tables
  /** The columns of the list's order, a time and an id, which is the table's key in the account. */
  at: string
  id: string
  /** Conditions that the index begins with. */
  where: RawBuilder<unknown>
  /** Values that are neighbors in the index: all of these match. */
  each?: readonly RawBuilder<unknown>[]
  /** The index is on an expression, so each of its entries is read in the table. */
  isExpression?: boolean
}

export interface Intersection {
  filters: readonly [OrderedFilter, ...OrderedFilter[]]
  /** Further conditions for a key, `lead.id`, that have no index of this order. */
  checks?: readonly RawBuilder<unknown>[]
  /** `oldest` first if true. */
  isAscending?: boolean
  after?: Cursor | undefined
  later?: Date | undefined
  earlier?: Date | undefined
  limit: number
  /** Stops after this many entries of the leading filter; undefined for no limit. */
  most?: number
}

interface Found {
  keys: Cursor[]
  /** If `most` was reached: the time from the first to the last of its entries. */
  cutSpanMs?: number
}

/** Entries that a probe reads of each index. */
const depth = 16
const growth = 4
/** A filter with this many times the entries of the leading one is looked up rather than read. */
const denser = 200

export async function intersect(database: Database, asked: Intersection): Promise<Found> {
  const { limit, most = Infinity } = asked
  const keys: Cursor[] = []
  let rest = { ...asked }
  let read = 0
  let start: Date | undefined
  for (let size = Math.min(most, Math.max(depth, limit)); ; size *= growth) {
    size = Math.min(size, most - read)
    // Anew for each window: another filter may be the sparser one further back.
    const [lead, ...others] = await sortBySpan(database, rest)
    if (lead === undefined || lead.count === 0) return { keys }
    // The first window is short, and often enough. It stops at the last row of the page.
    const isLookedUp = (other: Probed) =>
      read === 0 ||
      lead.count < depth ||
      lead.span > denser * other.span ||
      other.filter.isExpression === true
    const [looked, intersected] = [
      others.filter(isLookedUp),
      others.filter((one) => !isLookedUp(one)),
    ]
    const missing = limit - keys.length
    const part = await readWindow(database, rest, {
      lead,
      looked,
      intersected,
      size,
      missing,
    })
    keys.push(...part.keys)
    read += size
    if (keys.length >= limit || part.edge === undefined || part.edge.count < size) return { keys }
    const { first, at, id } = part.edge
    start ??= first
    if (read >= most) return { keys, cutSpanMs: Math.abs(start.getTime() - at.getTime()) }
    rest = { ...rest, after: { at, id } }
  }
}

interface Probed {
  filter: OrderedFilter
  /** Its entries, up to `depth`. */
  count: number
  /** Milliseconds that these reach back; infinite if there are no more. */
  span: number
}

/** The filters with what a probe found, the sparsest first. */
async function sortBySpan(database: Database, asked: Intersection): Promise<Probed[]> {
  const { filters, isAscending } = asked
  const [only] = filters
  if (filters.length === 1) return [{ filter: only, count: depth, span: 0 }]
  const probes = filters.map(
    (filter, place) => sql`
      (select ${sql.lit(place)} as place, count(*)::int as count, min(at) as first, max(at) as last
       from ${entriesOf(filter, asked, inRange(filter, asked), depth)} as entry)`,
  )
  const { rows } = await sql<{
    place: number
    count: number
    first: Date
    last: Date
  }>`
    ${replanned} select * from (${sql.join(probes, sql` union all `)}) as probe`.execute(database)
  const starts = rows.flatMap(({ first, last }) => (isAscending ? first : last) ?? [])
  const times = starts.map((start) => start.getTime())
  const start = isAscending ? Math.min(...times) : Math.max(...times)
  const probed = rows.map(({ place, count, first, last }) => {
    const end = (isAscending ? last : first)?.getTime() ?? start
    const span = count < depth ? Infinity : Math.abs(end - start)
    return { filter: filters[place] as OrderedFilter, count, span }
  })
  return probed.toSorted((a, b) =>
    a.count < depth || b.count < depth ? a.count - b.count : b.span - a.span,
  )
}

interface Window {
  lead: Probed
  looked: Probed[]
  intersected: Probed[]
  /** Entries of the leading filter. */
  size: number
  missing: number
}

/** The last entry of a window, with the time of its first one and how many it has. */
type Edge = Cursor & { first: Date; count: number }

/** Keys of a window that have all filters. */
async function readWindow(
  database: Database,
  asked: Intersection,
  { lead, looked, intersected, size, missing }: Window,
): Promise<{ keys: Cursor[]; edge: Edge | undefined }> {
  const { checks = [] } = asked
  const order = asked.isAscending ? sql`at, id` : sql`at desc, id desc`
  const inWindow = (filter: OrderedFilter): RawBuilder<unknown> => {
    const edge = sql`(select at from edge), (select id from edge)`
    const key = sql`(${sql.ref(filter.at)}, ${sql.ref(filter.id)})`
    return sql`${inRange(filter, asked)} and ${key} ${sql.raw(asked.isAscending ? '<=' : '>=')} (${edge})`
  }
  const entries = [lead, ...intersected].map(
    ({ filter }) => sql`select at, id from ${entriesOf(filter, asked, inWindow(filter))} as entry`,
  )
  const first = entriesOf(lead.filter, asked, inRange(lead.filter, asked), size)
  const source = intersected.length === 0 ? first : sql`(${sql.join(entries, sql` intersect `)})`
  const conditions = [...looked.map(({ filter }) => hasKey(filter)), ...checks, sql`true`]
  const { rows } = await sql<Cursor & { kind: 'edge' | 'found'; first: Date; count: number }>`
    ${replanned}
    with edge as materialized (
      select at, id, first, count from (
        select at, id, first_value(at) over place as first, (row_number() over place)::int as count
        from ${first} as entry window place as (order by ${order})
      ) as numbered order by count desc limit 1
    ), found as materialized (
      select at, id from ${source} as lead
      where ${sql.join(conditions, sql` and `)}
      order by ${order} limit ${missing}::int
    )
    select 'edge' as kind, at, id, first, count from edge
    union all select 'found', at, id, null, null from found`.execute(database)
  const keys = rows.filter(({ kind }) => kind === 'found').map(({ at, id }) => ({ at, id }))
  return { keys, edge: rows.find(({ kind }) => kind === 'edge') }
}

/** Entries of a filter's index as a subquery of `at` and `id`, in order if they are limited. */
export function entriesOf(
  filter: OrderedFilter,
  { isAscending = false }: Pick<Intersection, 'isAscending'>,
  condition: RawBuilder<unknown>,
  limit?: number,
): RawBuilder<unknown> {
  const { table, at, id, where, each = [sql`true`] } = filter
  const direction = sql.raw(isAscending ? 'asc' : 'desc')
  const cut = (time: string, key: string): RawBuilder<unknown> =>
    limit === undefined
      ? sql``
      : sql`order by ${sql.ref(time)} ${direction}, ${sql.ref(key)} ${direction} limit ${limit}::int`
  const entries = each.map(
    (one) => sql`
      (select ${sql.ref(at)} as at, ${sql.ref(id)} as id from ${sql.table(table)}
       where ${where} and ${one} and ${condition} ${cut(at, id)})`,
  )
  if (entries.length === 1) return entries[0] as RawBuilder<unknown>
  const all = sql.join(entries, sql` union all `)
  return sql`(select at, id from (${all}) as entry ${cut('at', 'id')})`
}

/** `offset 0` keeps it a look-up by key: the planner would join the whole index. */
export function hasKey({ table, id, where, each = [] }: OrderedFilter): RawBuilder<unknown> {
  const one = each.length === 0 ? sql`true` : sql`(${sql.join(each, sql` or `)})`
  const key = sql`${sql.ref(`${table}.${id}`)} = lead.id`
  return sql`exists (select from ${sql.table(table)} where ${where} and ${key} and ${one} offset 0)`
}

/** Applied to each table, because PostgreSQL derives only equality conditions across a join. */
export function inRange(
  { at, id }: Pick<OrderedFilter, 'at' | 'id'>,
  {
    after,
    later,
    earlier,
    isAscending,
  }: Pick<Intersection, 'after' | 'later' | 'earlier' | 'isAscending'>,
): RawBuilder<unknown> {
  const [time, key] = [sql.ref(at), sql.ref(id)]
  const sign = sql.raw(isAscending ? '>' : '<')
  const conditions = [
    ...(after === undefined ? [] : [sql`(${time}, ${key}) ${sign} (${after.at}, ${after.id})`]),
    ...(later === undefined ? [] : [sql`${time} > ${later}`]),
    ...(earlier === undefined ? [] : [sql`${time} < ${earlier}`]),
  ]
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}
