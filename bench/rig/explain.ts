import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { createPool, type Database } from '../../server/db/client.ts'
import type { Tables } from '../../server/db/tables.ts'

/**
 * Plans of the statements that an operation of a store really sends, each planned twice: for its
 * values, and generically, as PostgreSQL may choose for prepared statements.
 */
export async function explain(
  databaseUrl: string,
  operate: (database: Database) => Promise<unknown>,
): Promise<string> {
  const sent: { sql: string; parameters: readonly unknown[] }[] = []
  const pool = createPool(databaseUrl, 1)
  const database = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: (event) => void sent.push(event.query),
  })
  try {
    await operate(database)
    const plans: string[] = []
    for (const { sql, parameters } of sent.slice()) {
      const values = parameters.map(literal).join(', ')
      await pool.query(`prepare explained as ${sql}`)
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await pool.query(`set plan_cache_mode = ${mode}`)
        const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
          `explain (analyze, buffers, costs off) execute explained${values === '' ? '' : ` (${values})`}`,
        )
        plans.push(`-- ${mode}`, ...rows.map((row) => row['QUERY PLAN']))
      }
      await pool.query('deallocate explained')
    }
    return plans.join('\n')
  } finally {
    await database.destroy()
  }
}

function literal(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : String(value)
  return typeof value === 'number' ? text : pg.escapeLiteral(text)
}
