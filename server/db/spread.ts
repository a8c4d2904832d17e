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
  readonly #places = new Map<string, Place>()
  readonly #asks: Batcher<string, void>

  /** A pool of its own, which this closes. */
  constructor(coordinator: Database) {
    this.#coordinator = coordinator
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

  /** The node that has an account, if that is known. */
  nodeOf(account: string): NodeAddress | undefined {
    return this.#places.get(account)?.node
  }

  /** Asks where an account is. */
  learn(account: string): Promise<void> {
    return this.#asks.add(account)
  }

  /** Their shard was moved or split. */
  forget(accounts: readonly string[]): void {
    for (const account of accounts) this.#places.delete(account)
  }

  async #ask(accounts: string[]): Promise<void> {
    const { rows } = await sql<NodeAddress & { account: string; shard: string }>`
      select account, shard::text, nodename as host, nodeport as port
      from (select account, get_shard_id_for_distribution_column('muster.runs', account) as shard
            from unnest(${[...new Set(accounts)]}::text[]) as account) as asked
      join pg_dist_placement on shardid = shard
      join pg_dist_node as node on node.groupid = pg_dist_placement.groupid
      where noderole = 'primary' and isactive`.execute(this.#coordinator)
    if (this.#places.size > maxAccounts) this.#places.clear()
    for (const { account, shard, ...node } of rows) this.#places.set(account, { shard, node })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#coordinator.destroy()
  }
}

/** As the nodes know each other. */
export interface NodeAddress {
  host: string
  port: number
}

interface Place {
  shard: string
  node: NodeAddress
}

const maxAccounts = 50_000

/** Pools of one kind, of connections to the nodes themselves. */
export class Nodes implements AsyncDisposable {
  readonly #open: (node: NodeAddress) => Database
  readonly #pools = new Map<string, Database>()
  /** When those are tried again that this process could not reach. */
  readonly #avoidedUntil = new Map<string, number>()

  constructor(open: (node: NodeAddress) => Database) {
    this.#open = open
  }

  /** Undefined for one that could not be reached lately, which is left to the coordinator. */
  at(node: NodeAddress): Database | undefined {
    const name = nameOf(node)
    if (performance.now() < (this.#avoidedUntil.get(name) ?? 0)) return undefined
    return this.#pools.getOrInsertComputed(name, () => this.#open(node))
  }

  /** It cannot be reached from here, as where a firewall is in between. */
  avoid(node: NodeAddress): void {
    this.#avoidedUntil.set(nameOf(node), performance.now() + avoidedMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()))
  }
}

export const nameOf = ({ host, port }: NodeAddress): string => `${host}:${port}`

const avoidedMs = 10_000
