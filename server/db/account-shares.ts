import { Kysely } from 'kysely'
import type pg from 'pg'
import { refusal, Slots } from '../slots.ts'
import type { Tables } from './generated-tables.ts'
import { ClusterDialect, type Cluster } from './cluster/dialect.ts'

/**
 * The share of the connection pool that requests of accounts may use. A request first waits for
 * others of its own account, and accounts are served in turn, so that a hundred requests of one
 * account do not delay another. Two connections are reserved for authentication, triggers and the
 * engine, which serve all accounts together.
 */
export class AccountShares {
  readonly #pool: pg.Pool
  readonly #cluster: Cluster | undefined
  readonly #slots: Slots
  readonly #databases = new Map<string, Kysely<Tables>>()

  constructor(pool: pg.Pool, { connections, waitMs, cluster }: ShareOptions) {
    this.#pool = pool
    this.#cluster = cluster
    const active = Math.max(1, connections - 2)
    this.#slots = new Slots(
      {
        active,
        activePerAccount: Math.max(1, active - 1),
        waiting: 50_000,
        waitingPerAccount: 5_000,
        waitMs,
      },
      refusal('database_unavailable', 'too many requests of the account wait for it', 2),
    )
  }

  /** The pool for requests of one account. Fails at once if its node does not respond. */
  of(accountId: string): Kysely<Tables> {
    const node = this.#cluster?.shards.nodeOf(accountId)
    if (node !== undefined) this.#cluster?.unresponsive?.check(node)
    const known = this.#databases.get(accountId)
    if (known !== undefined) return known
    if (this.#databases.size >= maxDatabases) this.#databases.clear()
    const connect = (): Promise<pg.PoolClient> => this.#connect(accountId)
    const pool = { connect, options: this.#pool.options, end: async () => {} }
    const dialect = new ClusterDialect({ pool }, this.#cluster)
    const database = new Kysely<Tables>({ dialect })
    this.#databases.set(accountId, database)
    return database
  }

  async #connect(accountId: string): Promise<pg.PoolClient> {
    const slot = await this.#slots.take(accountId, 'reach the database in time')
    try {
      const client = await this.#pool.connect()
      const release = client.release.bind(client)
      client.release = (error) => {
        slot[Symbol.dispose]()
        release(error)
      }
      return client
    } catch (error) {
      slot[Symbol.dispose]()
      throw error
    }
  }
}

interface ShareOptions {
  /** Connections of the pool. */
  connections: number
  waitMs: number
  cluster?: Cluster | undefined
}

/** Each is small, and recreated when it is needed. */
const maxDatabases = 10_000
