import { DatabaseError, type Pool } from 'pg'
import { ConfigError } from '../config-error.ts'
import { createPool, urlOf } from '../db/client.ts'
import {
  distributeDatabase,
  findCoordinator,
  isDistributed,
  type Distribution,
} from '../db/cluster/distribute.ts'
import { migrate } from '../db/migrate.ts'
import { outageOf } from '../db/outage.ts'
import { findSessionFault } from '../db/session-fault.ts'
import type { NodeAddress } from '../db/cluster/shard-map.ts'

/** Migrates a database to this build's schema. */
export async function prepareDatabase(
  url: string,
): Promise<{ applied: string[]; isDistributed: boolean }> {
  return withPatience(url, async (pool) => {
    const { applied } = await migrate(pool)
    return { applied, isDistributed: await isDistributed(pool) }
  })
}

/** Distributes a migrated database over the nodes of its cluster. */
export function spreadDatabase(url: string): Promise<Distribution> {
  return withPatience(url, distributeDatabase)
}

/** No statement timeout, because migrations may take long. */
async function withPatience<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  await using pool = createPool(url, 1, { answerMs: 0 })
  return await work(pool)
}

/** The database rejects connections or writes permanently. */
class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable'
}

/**
 * Waits for a connection to the database; returns its address or, if it is a node of a cluster, the
 * coordinator's. All commands that use DATABASE_URL call this. Errors show the address without its
 * password.
 */
export async function reachDatabase(url: string, log: (line: string) => void): Promise<string> {
  const coordinator = await tryToReach(url, `DATABASE_URL is ${withoutSecrets(url)}`)
  if (coordinator === undefined) return url
  const found = urlOf(url, coordinator)
  const { host } = new URL(found)
  const what = `DATABASE_URL is a node of a Citus cluster, whose coordinator is at ${host} by pg_dist_node`
  if ((await tryToReach(found, what)) !== undefined) {
    throw new ConfigError(`Cannot use the database: ${what}, which is a node as well`)
  }
  log(`DATABASE_URL is a node of a Citus cluster: its coordinator at ${host} is used`)
  return found
}

/** Returns the coordinator's address if the database is a node. */
async function tryToReach(url: string, what: string): Promise<NodeAddress | undefined> {
  await using pool = createPool(url, 3)
  try {
    const coordinator = await findCoordinator(pool)
    const fault = await findSessionFault(pool)
    if (fault === undefined) return coordinator
    const expected = 'PostgreSQL itself, or a pooler in session mode'
    throw new ConfigError(`Cannot use the database: ${what}, expected ${expected} (${fault})`)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    // A host name with several addresses fails with one error for each.
    const first: unknown = error instanceof AggregateError ? error.errors[0] : error
    const why = first instanceof Error ? first.message : String(first)
    throw new DatabaseUnreachable(
      `Cannot use the database: ${what}, expected the address of a PostgreSQL that lets Muster in (${why})`,
      { cause: error },
    )
  }
}

/**
 * A readable error for a start that failed because of the database, such as a read-only one; other
 * errors are unchanged.
 */
export function toStartFailure(error: unknown): unknown {
  const outage = error instanceof DatabaseError ? outageOf(error) : undefined
  if (outage === undefined) return error
  const why = `the database ${outage} (${(error as Error).message})`
  return new DatabaseUnreachable(`Cannot start: ${why}`, { cause: error })
}

/** A password may also be in the query string. */
function withoutSecrets(text: string): string {
  const url = new URL(text)
  if (url.password !== '') url.password = '***'
  url.search = ''
  return url.href
}
