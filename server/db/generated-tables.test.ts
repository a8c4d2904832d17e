import { join } from 'node:path'
import { it } from 'node:test'
import type { Pool } from 'pg'
import { createPool } from './client.ts'
import { createPlainDatabase } from './test-database.ts'

it('the types of the tables are those that the migrations make; else run `npm run tables`', async (t) => {
  await using database = await createPlainDatabase()
  await using pool = createPool(database.url, 1)
  const text = await writeTables(pool)
  const asItIs = { serializers: [(value: string) => value] }
  t.assert.fileSnapshot(text, join(import.meta.dirname, 'generated-tables.ts'), asItIs)
})

interface Column {
  table: string
  name: string
  type: string
  isNullable: boolean
  /** The column has a default, so an insert may leave it out. */
  isOptional: boolean
  /** The values of the column's own `check (name in (…))`. */
  check: string | null
}

/** Writes the types of all tables, in the order in which the migrations created them. */
async function writeTables(pool: Pool): Promise<string> {
  const { rows } = await pool.query<Column>(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
       not a.attnotnull as "isNullable", a.atthasdef as "isOptional",
       (select pg_get_constraintdef(k.oid) from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
          and pg_get_constraintdef(k.oid) like '%= ANY (ARRAY[%' limit 1) as check
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'muster'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and c.relname <> 'muster_migrations'
       and a.attnum > 0 and not a.attisdropped
     order by c.oid, a.attnum`,
  )
  const tables = [...Map.groupBy(rows, (row) => row.table)].map(
    ([table, columns]) => `  ${table}: {\n${columns.map(writeColumn).join('')}  }\n`,
  )
  return `// Made by \`npm run tables\` from the migrations. Do not edit.
import type { ColumnType, Generated } from 'kysely'

export interface Tables {
${tables.join('')}}

/** A JSON column: read as a value, written as JSON text. */
type Json = ColumnType<unknown, string, string>
`
}

function writeColumn({ name, type, isNullable, isOptional, check }: Column): string {
  const words = [...(check ?? '').matchAll(/'([^']*)'::text/g)].map(([, word]) => `'${word}'`)
  const isArray = type.endsWith('[]')
  const one = typeNames[type.replace('[]', '')]
  if (one === undefined) throw new Error(`What is ${type} in TypeScript?`)
  const scalar = words.length === 0 || isArray ? one : words.join(' | ')
  const value =
    isOptional && one === 'Json'
      ? 'unknown'
      : `${scalar}${isArray ? '[]' : ''}${isNullable ? ' | null' : ''}`
  return `    ${name}: ${isOptional ? `Generated<${value}>` : value}\n`
}

const typeNames: Record<string, string> = {
  bigint: 'number',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'Date',
  'double precision': 'number',
  integer: 'number',
  jsonb: 'Json',
  json: 'Json',
  numeric: 'number',
  smallint: 'number',
  text: 'string',
  'timestamp with time zone': 'Date',
  uuid: 'string',
}
