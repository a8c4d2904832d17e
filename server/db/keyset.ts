import { sql, type RawBuilder } from 'kysely'

/** A position in a list that is sorted by a time and an id, both descending. */
export interface Cursor {
  at: Date
  id: string
}

export interface Page<T> {
  items: T[]
  /** Cursor of the next page; undefined on the last. */
  next: Cursor | undefined
}

/** The condition for rows after a cursor; all rows if there is none. */
export function behind(
  timeColumn: string,
  cursor: Cursor | undefined,
  idColumn = 'id',
): RawBuilder<boolean> {
  return cursor === undefined
    ? sql`true`
    : sql`(${sql.ref(timeColumn)}, ${sql.ref(idColumn)}) < (${cursor.at}, ${cursor.id})`
}

/** Makes a page from rows that were read with a limit of one more; `timeOf` is the sort key. */
export function toPage<Row extends { id: string }>(
  rows: Row[],
  limit: number,
  timeOf: (row: Row) => Date,
): Page<Row> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const isCut = rows.length > limit && last !== undefined
  return { items, next: isCut ? { at: timeOf(last), id: last.id } : undefined }
}
