import {
  DefaultQueryExecutor,
  Kysely,
  type ConnectionProvider,
  type DatabaseConnection,
} from 'kysely'
import type pg from 'pg'
import type { Slots } from '../slots.ts'
import type { Tables } from './generated-tables.ts'
import { ClusterDialect, type Cluster } from './cluster/dialect.ts'

/**
 * The share of the connection pool that requests of accounts may use. A request first waits for
 * others of its own account, and accounts are served in turn, so that a hundred requests of one
 * account do not delay another. Two connections are reserved for authentication, triggers and the
 * engine, which serve all accounts together (`start/limits.ts`). All accounts have one query builder; the share is in
 * the connection that it is given.
 */
export class AccountShares {
  readonly #cluster: Cluster | undefined
  readonly #slots: Slots
  readonly #dialect: ClusterDialect
  readonly #driver: ReturnType<ClusterDialect['createDriver']>
  readonly #executor: DefaultQueryExecutor

  constructor(pool: pg.Pool, slots: Slots, cluster?: Cluster) {
    this.#cluster = cluster
    this.#slots = slots
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
