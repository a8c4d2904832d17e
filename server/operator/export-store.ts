import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../db/client.ts'
import type { AccountTable } from './tables.ts'

/** SQL that reads an account's rows, by the primary key of each table. */

/** Tables that are not exported: locks, indexes, notices and stored responses. */
const omitted = [
  'account_holds',
  'account_watches',
  'idempotency_keys',
  'jobs',
  'setup_links',
].concat('run_words', 'run_word_walks')
/** Columns of type bytea that are not secret. All others are secrets or hashes of secrets. */
const plainBytes = ['definition_hash', 'tools_hash', 'definitions.hash'].concat(
  'fine_tune_datasets.body',
  'file_chunks.body',
)

export interface ExportedPage {
  /** Rows as JSON. */
  rows: string[]
  /** Key of the last row; undefined if there are no more. */
  next: string[] | undefined
}

export function isExported({ name }: AccountTable): boolean {
  return !omitted.includes(name)
}

/** Up to `limit` rows, and none after the byte limit is reached. */
export async function readPage(
  database: Database,
  { name, columns, key }: AccountTable,
  accountId: string,
  { after, limit, bytes }: { after: string[] | undefined; limit: number; bytes: number },
): Promise<ExportedPage> {
  const shown = columns.flatMap((column) => {
    const value = valueOf(name, column)
    return value === undefined ? [] : [sql`${column.name}::text, ${value}`]
  })
  const names = key.map((part) => sql.ref(part.name))
  const behind =
    after === undefined || key.length === 0
      ? sql`true`
      : sql`(${sql.join(names)}) > (${sql.join(
          key.map(({ type }, place) => sql`${after[place]}::text::${sql.raw(type)}`),
        )})`
  // The table has one row for each account.
  const isOne = key.length === 0
  const order = isOne ? sql`` : sql`order by ${sql.join(names)}`
  const keys = isOne
    ? sql`array[]::text[]`
    : sql`array[${sql.join(names.map((one) => sql`${one}::text`))}]`
  const { rows } = await sql<{ line: string; key: string[]; found: number }>`
    select line, key, found::int from (
      select line, key, count(*) over () as found,
             sum(octet_length(line)) over (order by place) - octet_length(line) as before
      from (
        select ${lineOf(shown)} as line, ${keys} as key,
               row_number() over (${order}) as place
        from ${sql.table(name)} where account_id = ${accountId} and ${behind}
        ${order} limit ${limit}::int
      ) as page
    ) as page
    where before < ${bytes}::int order by before`.execute(database)
  const [first] = rows
  const isLast =
    isOne || first === undefined || (first.found < limit && rows.length === first.found)
  return { rows: rows.map(({ line }) => line), next: isLast ? undefined : rows.at(-1)?.key }
}

/** A function of PostgreSQL takes up to 100 arguments: so many names and values. */
const fieldsAtOnce = 50

/** The JSON object of these names and values, as text. */
function lineOf(fields: RawBuilder<unknown>[]): RawBuilder<string> {
  const objectOf = (some: RawBuilder<unknown>[]): RawBuilder<string> =>
    sql<string>`json_build_object(${sql.join(some)})::text`
  const rest = fields.slice(fieldsAtOnce)
  if (rest.length === 0) return objectOf(fields)
  return sql<string>`left(${objectOf(fields.slice(0, fieldsAtOnce))}, -1) || ', ' || substr(${lineOf(rest)}, 2)`
}

function valueOf(
  table: string,
  { name, type }: { name: string; type: string },
): RawBuilder<unknown> | undefined {
  if (type !== 'bytea') return sql.ref(name)
  if (!plainBytes.includes(name) && !plainBytes.includes(`${table}.${name}`)) return undefined
  return sql`encode(${sql.ref(name)}, ${name === 'body' ? 'base64' : 'hex'})`
}

/** The account and its members. */
export async function readHead(
  database: Database,
  accountId: string,
): Promise<{ type: string; data: unknown }[]> {
  const { rows } = await sql<{ type: string; data: unknown }>`
    select 'accounts' as type,
           json_build_object('id', id, 'name', name, 'created_at', created_at) as data
    from accounts where id = ${accountId}
    union all
    select 'users', json_build_object('id', users.id, 'email', email, 'name', users.name,
                                      'created_at', users.created_at)
    from memberships join users on users.id = memberships.user_id
    where memberships.account_id = ${accountId}`.execute(database)
  return rows
}

const rowHeaderBytes = 24

/** Stored bytes of an account's rows, compressed where PostgreSQL compresses them. */
export async function measureTable(
  database: Database,
  { name, columns }: AccountTable,
  accountId: string,
): Promise<number> {
  // Column by column, because measuring a whole row would read its large values.
  const sizes = columns.map((column) => sql`coalesce(pg_column_size(${sql.ref(column.name)}), 0)`)
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(${rowHeaderBytes}::int + ${sql.join(sizes, sql` + `)}), 0)::bigint as bytes
    from ${sql.table(name)} where account_id = ${accountId}`.execute(database)
  return rows[0]?.bytes ?? 0
}
