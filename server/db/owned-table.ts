import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from './client.ts'
import { behind, toPage, type Cursor, type Page } from './keyset.ts'
import { pageOf, type PageQuery } from './page.ts'
import type { Tables } from './generated-tables.ts'

/** Lock on a row until the transaction ends. */
export type RowLock = 'for update' | 'for no key update' | 'for key share'

/** Conversions of fields that are stored in another form. */
type Codecs = Record<
  string,
  { toRow: (value: unknown) => unknown; fromRow: (value: unknown) => unknown }
>

/** Fields that are read from another table. They name the account as a value: Citus plans no other in a page of a list. */
type FieldsOfAccount = (accountId: string) => RawBuilder<unknown>

/** Values that fields of a row must have; undefined ones are ignored. */
export type Where<Row> = { [Field in keyof Row]?: Row[Field] | undefined } & {
  [column: string]: unknown
}

/**
 * A table whose rows belong to accounts, with its columns as camelCase fields: `maxTokens` is the
 * column `max_tokens`. Columns without a field, such as a secret, are never read; without `fields`
 * all columns are. A field that is computed is given as its SQL, with its name. Values are written as one JSON parameter; undefined ones are left out.
 */
export class OwnedTable<Row extends { id: string }> {
  /** The select list for rows of this shape. */
  readonly fields: RawBuilder<unknown>
  readonly #name: keyof Tables
  readonly #table: RawBuilder<unknown>
  readonly #sortedBy: keyof Row & string
  readonly #codecs: Codecs
  readonly #more: FieldsOfAccount | undefined

  constructor(
    name: keyof Tables,
    fields?: readonly (string | RawBuilder<unknown>)[],
    sortedBy: keyof Row & string = 'created_at' as keyof Row & string,
    codecs: Codecs = {},
    more?: FieldsOfAccount,
  ) {
    this.#more = more
    this.#codecs = codecs
    this.#name = name
    this.#table = sql.table(name)
    this.#sortedBy = sortedBy
    const columns = fields?.map((field) =>
      typeof field === 'string'
        ? sql`${sql.ref(`${name}.${columnOf(field)}`)} as ${sql.ref(field)}`
        : field,
    )
    this.fields = columns === undefined ? sql`*` : sql.join(columns)
  }

  #select(accountId: string): RawBuilder<unknown> {
    return this.#more === undefined ? this.fields : sql`${this.fields}, ${this.#more(accountId)}`
  }

  /** Rows, newest first. `each` is as in `PageQuery`. */
  async list(
    database: Database,
    accountId: string,
    { limit, after }: { limit: number; after?: Cursor | undefined },
    where: Where<Row> = {},
    each: PageQuery['each'] = [],
  ): Promise<Page<Row>> {
    const order = sql`${sql.ref(columnOf(this.#sortedBy))} desc, id desc`
    const page = pageOf({
      table: this.#name,
      where: sql`account_id = ${accountId} and ${equal(where)} and ${behind(this.#sortedBy, after)}`,
      each,
      order,
      limit: limit + 1,
    })
    const { rows } = await sql<Row>`
      select ${this.#select(accountId)} from ${page} as ${this.#table} order by ${order}`.execute(
      database,
    )
    return toPage(this.#read(rows), limit, (row) => row[this.#sortedBy] as Date)
  }

  async find(
    database: Database | Transaction,
    accountId: string,
    where: Where<Row> | { id: string },
    lock?: RowLock,
  ): Promise<Row | undefined> {
    const { rows } = await sql<Row>`
      select ${this.#select(accountId)} from ${this.#table}
      where account_id = ${accountId} and ${equal(where)} ${sql.raw(lock ?? '')}`.execute(database)
    return this.#read(rows)[0]
  }

  /** Rows by id, in no order; ids that do not exist are left out. */
  async findAll(
    database: Database | Transaction,
    accountId: string,
    ids: string[],
  ): Promise<Row[]> {
    if (ids.length === 0) return []
    const { rows } = await sql<Row>`
      select ${this.#select(accountId)} from ${this.#table}
      where account_id = ${accountId} and id = any(${ids})`.execute(database)
    return this.#read(rows)
  }

  /**
   * Inserts a row. If a crashed request has already inserted it under this id, returns that row
   * with the new values of `renewed`. Undefined if the account has `max` other rows; null for no
   * limit. The account must be locked.
   */
  async insert(
    transaction: Transaction,
    accountId: string,
    row: Partial<Row> & { id: string; [column: string]: unknown },
    max: number | null,
    renewed: readonly string[] = ['id'],
  ): Promise<Row | undefined> {
    const { columns, values } = this.#valuesOf({
      ...row,
      account_id: accountId,
    })
    const names = sql.join(columns)
    const again = renewed.map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`)
    const { rows } = await sql<Row>`
      insert into ${this.#table} (${names}) select ${names} from ${values}
      ${max === null ? sql`` : this.#hasRoom(accountId, row.id, max)}
      on conflict (account_id, id) do update set ${sql.join(again)}
      returning ${this.#select(accountId)}`.execute(transaction)
    return this.#read(rows)[0]
  }

  #hasRoom(accountId: string, id: string, max: number): RawBuilder<unknown> {
    return sql`
      where ${max}::int > (
        select count(*) from ${this.#table} where account_id = ${accountId} and id <> ${id})`
  }

  /** Changes a row, which must be locked. */
  async update(
    database: Database | Transaction,
    accountId: string,
    id: string,
    change: Partial<Row> & Record<string, unknown>,
  ): Promise<Row> {
    const { columns, values } = this.#valuesOf(change)
    const { rows } = await sql<Row>`
      update ${this.#table}
      set (${sql.join([sql.ref('updated_at'), ...columns])})
        = (select ${sql.join([sql`clock_timestamp()`, ...columns])} from ${values})
      where account_id = ${accountId} and id = ${id} returning ${this.#select(accountId)}`.execute(
      database,
    )
    return this.#read(rows)[0] as Row
  }

  /** Deletes a row and returns it; undefined if it did not exist. */
  async delete(
    database: Database | Transaction,
    accountId: string,
    where: (Where<Row> & { id: string }) | { id: string },
  ): Promise<Row | undefined> {
    const { rows } = await sql<Row>`
      delete from ${this.#table} where account_id = ${accountId} and ${equal(where)}
      returning ${this.#select(accountId)}`.execute(database)
    return this.#read(rows)[0]
  }

  /** Bytes of all rows of the account as JSON: an upper bound for its list. */
  async countBytes(transaction: Transaction, accountId: string): Promise<number> {
    const { rows } = await sql<{ bytes: number }>`
      select coalesce(sum(octet_length(row_to_json(owned)::text)), 0)::int as bytes
      from ${this.#table} as owned where account_id = ${accountId}`.execute(transaction)
    return rows[0]?.bytes ?? 0
  }

  #read(rows: Row[]): Row[] {
    const codecs = Object.entries(this.#codecs)
    if (codecs.length === 0) return rows
    const fields = (row: Row) =>
      codecs.map(([field, { fromRow }]) => [field, fromRow(row[field as keyof Row])])
    return rows.map((row) => ({ ...row, ...Object.fromEntries(fields(row)) }))
  }

  #valuesOf(row: Record<string, unknown>) {
    const given = Object.entries(row).filter(([, value]) => value !== undefined)
    const record = given.map(([field, value]) => {
      const stored = this.#codecs[field]?.toRow(value) ?? value
      return [columnOf(field), toJson(stored)] as const
    })
    const json = JSON.stringify(Object.fromEntries(record))
    return {
      columns: record.map(([column]) => sql.ref(column)),
      values: sql`json_populate_record(null::${this.#table}, ${json}::json)`,
    }
  }
}

/** The condition for a `Where`. */
export function equal(values: Record<string, unknown>): RawBuilder<boolean> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  const parts = given.map(([field, value]) => {
    const column = sql.ref(columnOf(field))
    return value === null ? sql`${column} is null` : sql`${column} = ${value}`
  })
  return parts.length === 0 ? sql`true` : sql`(${sql.join(parts, sql` and `)})`
}

function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Converts bytes to PostgreSQL's text form. */
function toJson(value: unknown): unknown {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value
}
