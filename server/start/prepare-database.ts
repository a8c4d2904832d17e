import { sql } from 'kysely'
import { DatabaseError, type Pool } from 'pg'
import { createDatabase, createPool } from '../db/client.ts'
import {
  distributeDatabase,
  isDistributed,
  refuseNode,
  type Distribution,
} from '../db/distribute.ts'
import { migrate } from '../db/migrate.ts'
import { outageOf } from '../db/outage.ts'

/** Brings a database to this build's schema. */
export async function prepareDatabase(
  url: string,
): Promise<{ applied: string[]; isDistributed: boolean }> {
  return withPatience(url, async (pool) => {
    await refuseNode(pool)
    const { applied } = await migrate(pool)
    return { applied, isDistributed: await isDistributed(pool) }
  })
}

/** Spreads a database that was prepared over the nodes of its cluster. */
export function spreadDatabase(url: string): Promise<Distribution> {
  return withPatience(url, distributeDatabase)
}

/** Migrations take their time. */
async function withPatience<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool(url, 1, { answerMs: 0 })
  try {
    return await work(pool)
  } finally {
    await pool.end()
  }
}

/** The database does not let Muster in or write, now or ever. */
class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable'
}

/** Returns the address once a connection was made; the failure names it without its password. */
export async function reachDatabase(url: string): Promise<string> {
  try {
    const database = createDatabase(createPool(url, 1))
    await sql`select 1`.execute(database).finally(() => database.destroy())
    return url
  } catch (error) {
    // A name with several addresses fails with one error for each.
    const first: unknown = error instanceof AggregateError ? error.errors[0] : error
    const why = first instanceof Error ? first.message : String(first)
    throw new DatabaseUnreachable(
      `Cannot use the database: DATABASE_URL is ${withoutSecrets(url)}, expected the address of a ` +
        `PostgreSQL that lets Muster in (${why})`,
      { cause: error },
    )
  }
}

/** A start that the database breaks off, such as one that is read-only, in words; any other error as it is. */
export function toStartFailure(error: unknown): unknown {
  const outage = error instanceof DatabaseError ? outageOf(error) : undefined
  if (outage === undefined) return error
  const why = `the database ${outage} (${(error as Error).message})`
  return new DatabaseUnreachable(`Cannot start: ${why}`, { cause: error })
}

/** A password can also stand behind the question mark. */
function withoutSecrets(text: string): string {
  const url = new URL(text)
  if (url.password !== '') url.password = '***'
  url.search = ''
  return url.href
}
