import { sql, type RawBuilder } from 'kysely'
import type { Tables } from './generated-tables.ts'

/**
 * The rule of lists: a page is found by an index in the order of the list, with its limit, and what
 * is shown is joined and computed in the select around it. Otherwise the planner multiplies the
 * shares of an account and of a filter, expects a few rows where there are thousands, and reads and
 * joins all of them before it sorts.
 */
export interface PageQuery {
  table: keyof Tables
  /** Conditions that the index begins with, the cursor among them. */
  where: RawBuilder<unknown>
  /** Values that are neighbors in the index, such as all statuses: a page of each is merged. */
  each?: readonly RawBuilder<unknown>[]
  /** The order of the index after these conditions, in names of columns. */
  order: RawBuilder<unknown>
  /** How many rows, one more than the page has. */
  limit: number
  columns?: RawBuilder<unknown>
}

/** The rows of a page as a subquery; give it the table's name. */
export function pageOf({
  table,
  where,
  each = [],
  order,
  limit,
  columns = sql`*`,
}: PageQuery): RawBuilder<unknown> {
  const cut = sql`order by ${order} limit ${limit}::int`
  const select = sql`select ${columns} from ${sql.table(table)} where ${where}`
  const [only, ...others] = each
  if (only === undefined) return sql`(${select} ${cut})`
  if (others.length === 0) return sql`(${select} and ${only} ${cut})`
  const pages = each.map((one) => sql`(${select} and ${one} ${cut})`)
  return sql`(select * from (${sql.join(pages, sql` union all `)}) as ${sql.table(table)} ${cut})`
}

/** The conditions for one value of a column, or for each of all its values. */
export function eachOf(
  column: string,
  value: string | undefined,
  all: readonly string[],
): RawBuilder<unknown>[] {
  const values = value === undefined ? all : [value]
  return values.map((one) => sql`${sql.ref(column)} = ${one}`)
}
