import { sql, type RawBuilder } from 'kysely'

/** The place in a list that is sorted by a time and an id, both descending. */
export interface Cursor {
  at: Date
  id: string
}

/** The condition of rows behind a cursor; all rows where there is none. */
export function behind(timeColumn: string, cursor: Cursor | undefined): RawBuilder<boolean> {
  return cursor === undefined
    ? sql`true`
    : sql`(${sql.ref(timeColumn)}, id) < (${cursor.at}, ${cursor.id})`
}
