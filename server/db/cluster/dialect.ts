import {
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
  sql,
  type Kysely,
  type PostgresDialectConfig,
  type RawBuilder,
  type RawNode,
} from 'kysely'
import type { Database } from '../client.ts'
import type { UnresponsiveNodes } from './unresponsive-nodes.ts'
import type { NodePools, ShardMap } from './shard-map.ts'

/** How a pool reaches the nodes of a cluster. */
export interface Cluster {
  shards: Pick<ShardMap, 'shardOf' | 'nodeOf' | 'forget'>
  /**
   * Connections to the nodes, for statements of one shard; without them the coordinator forwards
   * the statements.
   */
  nodes?: NodePools
  unresponsive?: UnresponsiveNodes
  /** For transactions around work that takes connections of its own. */
  around?: Database
}

/**
 * PostgreSQL's dialect, extended by whether the tables are distributed; it compiles fragments that
 * differ on a cluster.
 */
export class ClusterDialect extends PostgresDialect {
  readonly #cluster: Cluster | undefined

  constructor(config: PostgresDialectConfig, cluster: Cluster | undefined) {
    super(config)
    this.#cluster = cluster
  }

  override createAdapter(): ClusterAdapter {
    return new ClusterAdapter(this.#cluster)
  }

  override createQueryCompiler(): PostgresQueryCompiler {
    return compilerFor(this.#cluster !== undefined)
  }
}

export function compilerFor(isDistributed: boolean): PostgresQueryCompiler {
  return isDistributed ? new ClusterQueryCompiler() : new PostgresQueryCompiler()
}

/** Holds the cluster, because a database and its transactions share one adapter. */
class ClusterAdapter extends PostgresAdapter {
  readonly cluster: Cluster | undefined

  constructor(cluster: Cluster | undefined) {
    super()
    this.cluster = cluster
  }
}

/** The cluster of a database; undefined for a single PostgreSQL. */
export function clusterOf(database: Pick<Kysely<never>, 'getExecutor'>): Cluster | undefined {
  const { adapter } = database.getExecutor()
  return adapter instanceof ClusterAdapter ? adapter.cluster : undefined
}

interface ForkedNode extends RawNode {
  onCluster?: RawNode
}

class ClusterQueryCompiler extends PostgresQueryCompiler {
  protected override visitRaw(node: ForkedNode): void {
    super.visitRaw(node.onCluster ?? node)
  }
}

/**
 * A fragment with a different text on a cluster. The database that executes the statement decides.
 */
export function textFor<T>(texts: Record<'postgres' | 'cluster', RawBuilder<T>>): RawBuilder<T> {
  const toOperationNode = (): ForkedNode => ({
    ...texts.postgres.toOperationNode(),
    onCluster: texts.cluster.toOperationNode(),
  })
  return sql`${{ toOperationNode }}`
}
