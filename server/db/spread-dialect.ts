import { PostgresAdapter, PostgresDialect, type Kysely, type PostgresDialectConfig } from 'kysely'
import type { SilentNodes } from './silent-nodes.ts'
import type { Nodes, Spread } from './spread.ts'

/** How a pool reaches the nodes of a distributed database. */
export interface Reach {
  spread: Pick<Spread, 'keyOf' | 'nodeOf' | 'forget'>
  /** Over which statements at home go to the nodes; without, the coordinator passes them on. */
  nodes?: Nodes
  /** Those that nobody waits for. */
  silent?: SilentNodes
}

/** The dialect of PostgreSQL, which knows whether the tables are spread over nodes by account. */
export class SpreadDialect extends PostgresDialect {
  readonly #reach: Reach | undefined

  constructor(config: PostgresDialectConfig, reach: Reach | undefined) {
    super(config)
    this.#reach = reach
  }

  override createAdapter(): SpreadAdapter {
    return new SpreadAdapter(this.#reach)
  }
}

/** What a database and its transactions have in common. */
class SpreadAdapter extends PostgresAdapter {
  readonly reach: Reach | undefined

  constructor(reach: Reach | undefined) {
    super()
    this.reach = reach
  }
}

/** How the nodes are reached; undefined where the database is one PostgreSQL. */
export function reachOf(database: Pick<Kysely<never>, 'getExecutor'>): Reach | undefined {
  const { adapter } = database.getExecutor()
  return adapter instanceof SpreadAdapter ? adapter.reach : undefined
}

/** Whether the tables are spread over nodes: then a statement keeps to one shard. */
export function isSpread(database: Pick<Kysely<never>, 'getExecutor'>): boolean {
  return reachOf(database) !== undefined
}
