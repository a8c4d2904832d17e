import {
  DefaultQueryExecutor,
  Kysely,
  type ConnectionProvider,
  type DatabaseConnection,
} from 'kysely'
import type pg from 'pg'
import { cannot } from '../errors.ts'
import { Slots } from '../slots.ts'
import type { Tables } from './generated-tables.ts'
import { ClusterDialect, type Cluster } from './cluster/dialect.ts'

/**
 * The share of the connection pool that requests of accounts may use. A request first waits for
 * others of its own account, and accounts are served in turn, so that a hundred requests of one
 * account do not delay another. Two connections are reserved for authentication, triggers and the
 * engine, which serve all accounts together. All accounts have one query builder; the share is in
 * the connection that it is given.
 */
export class AccountShares {
  readonly #cluster: Cluster | undefined
  readonly #slots: Slots
  readonly #dialect: ClusterDialect
  readonly #driver: ReturnType<ClusterDialect['createDriver']>
  readonly #executor: DefaultQueryExecutor

  constructor(pool: pg.Pool, { connections, waitMs, cluster }: ShareOptions) {
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
      refuse,
    )
    this.#dialect = new ClusterDialect({ pool }, cluster)
    this.#driver = this.#dialect.createDriver()
    // Only takes the pool.
    void this.#driver.init()
    this.#executor = new DefaultQueryExecutor(
      this.#dialect.createQueryCompiler(),
      this.#dialect.createAdapter(),
      this.#providerFor(''),
    )
  }

  /**
   * The pool for requests of one account. Those that are `first` do not wait for others of the
   * account. Fails at once if its node does not respond.
   */
  of(accountId: string, { isFirst = false } = {}): Kysely<Tables> {
    const node = this.#cluster?.shards.nodeOf(accountId)
    if (node !== undefined) this.#cluster?.unresponsive?.check(node)
    return new Kysely<Tables>({
      config: { dialect: this.#dialect },
      dialect: this.#dialect,
      driver: this.#driver,
      executor: this.#executor.withConnectionProvider(this.#providerFor(accountId, isFirst)),
    })
  }

  #providerFor(accountId: string, isFirst = false): ConnectionProvider {
    return {
      provideConnection: async <T>(work: (connection: DatabaseConnection) => Promise<T>) => {
        using _slot = await this.#slots.take(accountId, 'reach the database in time', { isFirst })
        const connection = await this.#driver.acquireConnection()
        try {
          return await work(connection)
        } finally {
          await this.#driver.releaseConnection(connection)
        }
      },
    }
  }
}

/** What an account's own requests cause is its rate; otherwise the process has too much to do. */
function refuse(action: string, own: number): Error {
  return own > 0
    ? cannot({ action }, 'rate_limited', `${own} requests of the account use it`, {
        retryAfterSeconds: 1,
      })
    : cannot({ action }, 'too_busy', 'other accounts use all connections', { retryAfterSeconds: 2 })
}

interface ShareOptions {
  /** Connections of the pool. */
  connections: number
  waitMs: number
  cluster?: Cluster | undefined
}
