import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
} from 'kysely'
import type { Database, Transaction } from './client.ts'
import type { Tables } from './generated-tables.ts'

/** Operations by name, each of which sends statements. */
export type Statements = Record<
  string,
  (database: Database, transaction: Transaction) => Promise<unknown>
>

/** Answers each statement with one row. */
class OneRowDriver extends DummyDriver {
  readonly #row: object

  constructor(row: object) {
    super()
    this.#row = row
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return {
      executeQuery: async () => ({ rows: [{ ...this.#row }] as never[] }),
      async *streamQuery() {},
    }
  }
}

/**
 * Compares the statements that operations send with a file, which shows each as PostgreSQL gets it; `npm run statements`
 * writes it. Each statement is answered with `answer`, or with nothing.
 */
export async function checkStatements(
  path: URL,
  title: string,
  statements: Statements,
  answer?: object,
): Promise<void> {
  const sent: CompiledQuery[] = []
  const database: Database = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => (answer === undefined ? new DummyDriver() : new OneRowDriver(answer)),
      createIntrospector: (any) => new PostgresIntrospector(any),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void sent.push(query),
  })
  const parts = [`-- Written by \`npm run statements\`. ${title}, as PostgreSQL gets it.\n`]
  for (const [name, send] of Object.entries(statements)) {
    sent.length = 0
    await send(database, database as Transaction)
    assert.ok(sent.length > 0, name)
    parts.push(`-- ${name}`, ...sent.map(({ sql }) => `${tidy(sql)};\n`))
  }
  const text = parts.join('\n')
  if (process.env['MUSTER_WRITE_STATEMENTS'] !== undefined) writeFileSync(path, text)
  assert.equal(
    readFileSync(path, 'utf8'),
    text,
    `${path.pathname} is out of date, run: npm run statements`,
  )
}

/** Removes the indentation of the code. */
function tidy(sql: string): string {
  const lines = sql.split('\n').filter((line) => line.trim() !== '')
  const indents = lines.slice(1).map((line) => line.length - line.trimStart().length)
  const least = Math.min(...indents, 100)
  return lines.map((line) => (line.startsWith(' ') ? line.slice(least) : line).trimEnd()).join('\n')
}
