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
import type { UnresponsiveNodes } from './unresponsive-nodes.ts'
import type { NodePools, ShardMap } from './shard-map.ts'

/** How a pool of connections reaches the nodes of a distributed database. */
export interface Cluster {
  shards: Pick<ShardMap, 'shardOf' | 'nodeOf' | 'forget'>
  /** Connections to the nodes, for statements of one shard; without them the coordinator passes these on. */
  nodes?: NodePools
  unresponsive?: UnresponsiveNodes
}

/** The dialect of PostgreSQL, which knows whether the tables are distributed, and writes such statements as nodes need. */
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

/** Carries the cluster, as a database and its transactions share one adapter. */
class ClusterAdapter extends PostgresAdapter {
  readonly cluster: Cluster | undefined

  constructor(cluster: Cluster | undefined) {
    super()
    this.cluster = cluster
  }
}

/** The cluster behind a database; undefined for one PostgreSQL. */
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

/** A part of a statement that has another text on a cluster. The database that executes the statement decides. */
export function textFor<T>(texts: Record<'postgres' | 'cluster', RawBuilder<T>>): RawBuilder<T> {
  const toOperationNode = (): ForkedNode => ({
    ...texts.postgres.toOperationNode(),
    onCluster: texts.cluster.toOperationNode(),
  })
  return sql`${{ toOperationNode }}`
}
