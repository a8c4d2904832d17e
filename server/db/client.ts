import { createHash, randomUUID } from 'node:crypto'
import { Kysely, PostgresDialect, type Transaction as KyselyTransaction } from 'kysely'
import pg from 'pg'
import type { Tables } from './tables.ts'

/**
 * The connection pool. Every statement with parameters is a named prepared one: its name is a hash
 * of its text, so PostgreSQL parses and plans each text once per connection. Texts are few because
 * lists travel as one array or JSON parameter.
 */
export type Database = Kysely<Tables>
export type Transaction = KyselyTransaction<Tables>

// Money and counters fit a double; timestamps stay `Date`.
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const connectTimeoutMs = 5_000

/** How long others wait at most for one who does not go on. */
export interface Patience {
  /** One statement; migrations lift it for themselves. */
  statementMs: number
  /**
   * Between two statements of a transaction, which takes no time but where a process stands still.
   * Its locks are free again after this.
   */
  idleInTransactionMs: number
  /**
   * Until the server has answered a statement, which it does in time unless the connection is dead.
   * 0 waits for ever.
   */
  answerMs: number
}

export function createPool(
  url: string,
  maxConnections = 10,
  patience: Partial<Patience> = {},
): pg.Pool {
  const { statementMs = 30_000, idleInTransactionMs = 10_000, answerMs = 35_000 } = patience
  const pool = new pg.Pool({
    ...connectionOptions(url),
    // Who notifies: so that nobody wakes itself.
    options: `${settings} -c muster.pool=${randomUUID()}`,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    query_timeout: answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    Client: PreparingClient as unknown as typeof pg.Client,
  })
  // An idle connection that breaks is replaced by the pool at its next use.
  pool.on('error', () => {})
  // One that breaks in a transaction, between two statements, fails the next of them. Without a
  // listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const settings = Object.entries({
  search_path: 'muster',
  // Index pages are nearly always in memory, which the default cost of a random page does not know:
  // with it the planner reads whole tables for a batch of some hundred keys.
  random_page_cost: '1.1',
  // Seconds. A host that is gone holds its locks for two hours by the default of most systems.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  // The same while an answer is on its way, which only this ends: the server waits in a write.
  tcp_user_timeout: '25s',
})
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

export function connectionOptions(url: string): pg.ClientConfig {
  return { connectionString: url, options: settings, application_name: 'muster' }
}

export function createDatabase(pool: pg.Pool): Database {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

class PreparingClient extends pg.Client {
  // @ts-expect-error -- narrows the overloads of pg to the two forms that are used here
  override query(query: unknown, values?: unknown[], callback?: unknown): unknown {
    const prepared =
      typeof query === 'string' && Array.isArray(values) && values.length > 0
        ? { name: statementName(query), text: query }
        : query
    // @ts-expect-error -- as above
    const result: unknown = super.query(prepared, values, callback)
    return result instanceof Promise ? result.catch((error) => this.#endIfSilent(error)) : result
  }

  /** pg would keep the connection and give it to the next one. */
  #endIfSilent(error: unknown): never {
    if (error instanceof Error && error.message === 'Query read timeout') {
      void this.end()
      Object.assign(error, { code: 'ETIMEDOUT' })
    }
    throw error
  }
}

const statementNames = new Map<string, string>()

function statementName(text: string): string {
  let name = statementNames.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    statementNames.set(text, name)
  }
  return name
}
