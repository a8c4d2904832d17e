import { sql } from 'kysely'
import { Batcher } from './batcher.ts'
import type { Database } from './client.ts'

/**
 * What a process knows of a database that is spread over nodes by account: the shard in which an account is, whose
 * accounts may share a statement, and the node that has it, to which statements go straight. The coordinator is
 * asked once an account. Nothing relies on the answer: `at_home` refuses what is not in one shard, or not there,
 * and then it is forgotten. Until an account is known it stands for itself, and the coordinator finds its node.
 */
export class Spread implements AsyncDisposable {
  readonly #coordinator: Database
  readonly #open: (node: Node) => Database
  readonly #places = new Map<string, Place>()
  readonly #nodes = new Map<string, Database>()
  /** Nodes that this process could not reach, by when it tries again. */
  readonly #unreachable = new Map<Database, number>()
  readonly #asks: Batcher<string, void>

  /** `coordinator` answers where accounts are; `open` makes a pool of connections to a node. */
  constructor(coordinator: Database, open: (node: Node) => Database) {
    this.#coordinator = coordinator
    this.#open = open
    this.#asks = new Batcher<string, void>(async (accounts) => {
      await this.#ask(accounts)
      return accounts.map(() => {})
    })
  }

  /** Whose statements may go together: the shard of an account. */
  keyOf(account: string): string {
    const place = this.#places.get(account)
    if (place !== undefined) return place.shard
    // For the next one. A coordinator that is away is told of by the statement itself.
    void this.learn(account).catch(() => {})
    return account
  }

  /** Asks where an account is. */
  learn(account: string): Promise<void> {
    return this.#asks.add(account)
  }

  /** Where to run a statement of an account without the coordinator. */
  nodeOf(account: string): Database | undefined {
    const node = this.#places.get(account)?.node
    if (node === undefined) return undefined
    return performance.now() < (this.#unreachable.get(node) ?? 0) ? undefined : node
  }

  /** A node that cannot be reached from here, as where a firewall is in between, is left to the coordinator. */
  avoid(node: Database): void {
    this.#unreachable.set(node, performance.now() + avoidedMs)
  }

  /** Their shard was moved or split. */
  forget(accounts: readonly string[]): void {
    for (const account of accounts) this.#places.delete(account)
  }

  async #ask(accounts: string[]): Promise<void> {
    const { rows } = await sql<Node & { account: string; shard: string }>`
      select account, shard::text, nodename as host, nodeport as port
      from (select account, get_shard_id_for_distribution_column('muster.runs', account) as shard
            from unnest(${[...new Set(accounts)]}::text[]) as account) as asked
      join pg_dist_placement on shardid = shard
      join pg_dist_node as node on node.groupid = pg_dist_placement.groupid
      where noderole = 'primary' and isactive`.execute(this.#coordinator)
    if (this.#places.size > maxAccounts) this.#places.clear()
    for (const { account, shard, ...node } of rows) {
      const name = `${node.host}:${node.port}`
      const database = this.#nodes.getOrInsertComputed(name, () => this.#open(node))
      this.#places.set(account, { shard, node: database })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const databases = [this.#coordinator, ...this.#nodes.values()]
    await Promise.all(databases.map((database) => database.destroy()))
  }
}

interface Node {
  host: string
  port: number
}

interface Place {
  shard: string
  node: Database
}

const maxAccounts = 50_000
const avoidedMs = 10_000
