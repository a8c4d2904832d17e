import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { Batcher } from '../batcher.ts'
import type { Database } from '../client.ts'

/**
 * Which shard an account is in, and which node has that shard. Accounts of one shard can share a
 * statement, and statements go directly to the node. Each account is looked up once at the
 * coordinator. An entry may be outdated: `run-on-shard.sql` rejects accounts that are not in one
 * shard or not on its node, and their entries are deleted. An unknown account counts as a shard of
 * its own, and the coordinator routes its statements.
 */
export class ShardMap implements AsyncDisposable {
  readonly #coordinator: Database
  readonly #routes = new LRUCache<string, Route>({ max: 50_000 })
  readonly #lookUps: Batcher<string, void>

  /** Takes ownership of the coordinator's pool. */
  constructor(coordinator: Database) {
    this.#coordinator = coordinator
    this.#lookUps = new Batcher<string, void>(async (accounts) => {
      await this.#lookUp(accounts)
      return accounts.map(() => {})
    })
  }

  /** The shard of an account, or the account itself until that is known. */
  shardOf(account: string): string {
    const route = this.#routes.get(account)
    if (route !== undefined) return route.shard
    // Looked up for the next statement. If the coordinator is unavailable, the statement itself
    // reports that.
    void this.learn(account).catch(() => {})
    return account
  }

  /** The node of an account, if that is known. */
  nodeOf(account: string): NodeAddress | undefined {
    return this.#routes.get(account)?.node
  }

  learn(account: string): Promise<void> {
    return this.#lookUps.add(account)
  }

  /** Deletes entries after a shard was moved or split. */
  forget(accounts: readonly string[]): void {
    for (const account of accounts) this.#routes.delete(account)
  }

  async #lookUp(accounts: string[]): Promise<void> {
    const { rows } = await sql<NodeAddress & { account: string; shard: string }>`
      select account, shard::text, nodename as host, nodeport as port
      from (select account, get_shard_id_for_distribution_column('muster.runs', account) as shard
            from unnest(${[...new Set(accounts)]}::text[]) as account) as asked
      join pg_dist_placement on shardid = shard
      join pg_dist_node as node on node.groupid = pg_dist_placement.groupid
      where noderole = 'primary' and isactive`.execute(this.#coordinator)
    for (const { account, shard, ...node } of rows) this.#routes.set(account, { shard, node })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#coordinator.destroy()
  }
}

/** Address by which the nodes reach each other. */
export interface NodeAddress {
  host: string
  port: number
}

interface Route {
  shard: string
  node: NodeAddress
}

/** One pool of connections for each node. */
export class NodePools implements AsyncDisposable {
  readonly #open: (node: NodeAddress) => Database
  readonly #pools = new Map<string, Database>()
  readonly #avoidedUntil = new Map<string, number>()

  constructor(open: (node: NodeAddress) => Database) {
    this.#open = open
  }

  /**
   * Undefined for a node that could not be reached recently: its statements go through the
   * coordinator.
   */
  at(node: NodeAddress): Database | undefined {
    const name = nodeName(node)
    if (performance.now() < (this.#avoidedUntil.get(name) ?? 0)) return undefined
    return this.#pools.getOrInsertComputed(name, () => this.#open(node))
  }

  /** Records that this process cannot reach the node, for example because of a firewall. */
  avoid(node: NodeAddress): void {
    this.#avoidedUntil.set(nodeName(node), performance.now() + avoidedMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()))
  }
}

export const nodeName = ({ host, port }: NodeAddress): string => `${host}:${port}`

const avoidedMs = 10_000
