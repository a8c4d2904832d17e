import { randomUUID } from 'node:crypto'
import { Kysely, type Transaction as KyselyTransaction } from 'kysely'
import pg from 'pg'
import { AccountShares } from './account-shares.ts'
import type { Tables } from './generated-tables.ts'
import { PreparingClient } from './preparing-client.ts'
import { ClusterDialect, type Cluster } from './cluster/dialect.ts'
import { NodePools, ShardMap, type NodeAddress } from './cluster/shard-map.ts'
import { UnresponsiveNodes, type Trial } from './cluster/unresponsive-nodes.ts'

/**
 * Connections to PostgreSQL. A process has five pools, so that no work waits behind work of another kind
 * (`Pools`). A connection goes back to its pool only between transactions; any other is closed, so that its next
 * user does not inherit a failed transaction, an open one or its locks. Every statement with parameters is a named
 * prepared one, except those marked `replanned`: its name is a hash of its text, so PostgreSQL parses and plans
 * each text once per connection. Texts are few because lists travel as one array or JSON parameter. Statements of
 * accounts go through `run.ts`, which knows whether the database is one PostgreSQL or a cluster.
 */
export type Database = Kysely<Tables>
export type Transaction = KyselyTransaction<Tables>

export interface Pools extends AsyncDisposable {
  /** Opens all connections to one PostgreSQL and keeps them, before other sockets take the files they need. */
  hold(): Promise<void>
  /** Authentication, short reads and writes, and the engine. */
  database: Database
  /** The statement that makes runs, which waits for a lock only for a short time. */
  triggers: Database
  /** The same as `database` for requests of accounts, which take turns. */
  shares: AccountShares
  /** Answers that may be large: lists, whole runs, events, memory search, training sets. */
  reads: Database
  /** Leases of runs and the sweeps that end them: late, they cost a worker its runs. */
  supervision: Database
  /** Loops in the background: deliveries, expiry, fine-tunes, retention. */
  background: Database
}

export interface PoolSizes {
  database: number
  reads: number
}

/** With the one that listens, a process has up to 19 connections. See docs/operations.md. */
export const defaultPoolSizes: PoolSizes = { database: 8, reads: 4 }
/** Another client's lock on a table must not hold up triggers: they are answered with 503. */
const triggerLockMs = 3_000
const supervisionConnections = 2
const backgroundConnections = 3

/** Of a process that does everything, with the one that listens. */
export function countConnections({ database, reads }: PoolSizes): number {
  return database + 1 + reads + supervisionConnections + backgroundConnections + 1
}

/** Supervision that takes longer than `supervisionMs` is given up and tried again. */
export function createPools(
  url: string,
  sizes: PoolSizes = defaultPoolSizes,
  supervisionMs = 2_000,
  onConnect?: PoolOptions['onConnect'],
  isDistributed = false,
): Pools {
  const sender = randomUUID()
  const clients = new Set<PreparingClient>()
  const opened: pg.Pool[] = []
  const openPool = (maxConnections: number, patience: Partial<Patience> = {}): pg.Pool => {
    const pool = createPool(url, maxConnections, { ...patience, sender, onConnect, clients })
    opened.push(pool)
    return pool
  }
  const closing = new AsyncDisposableStack()
  const cluster = isDistributed
    ? {
        shards: new ShardMap(createDatabase(openPool(1))),
        unresponsive: closing.use(
          new UnresponsiveNodes({
            tryAll: () => tryNodes(url),
            onFound: () => clients.forEach((client) => client.endIfLate()),
          }),
        ),
      }
    : undefined
  const withNodes = (
    nodeConnections: number,
    patience: Partial<Patience> = {},
  ): Cluster | undefined =>
    cluster && {
      ...cluster,
      nodes: closing.use(openNodePools(url, nodeConnections, { ...patience, sender, clients })),
    }
  const pool = openPool(sizes.database)
  const supervisionPatience = { statementMs: supervisionMs, answerMs: supervisionMs }
  const database = createDatabase(pool, withNodes(4))
  const pools = {
    database,
    // One: triggers that arrive together share a statement. Over several nodes they share one of each.
    triggers: isDistributed ? database : createDatabase(openPool(1, { lockMs: triggerLockMs })),
    reads: createDatabase(openPool(sizes.reads), cluster),
    supervision: createDatabase(
      openPool(supervisionConnections, supervisionPatience),
      withNodes(1, supervisionPatience),
    ),
    background: createDatabase(openPool(backgroundConnections), cluster),
  }
  return {
    ...pools,
    shares: new AccountShares(pool, {
      connections: sizes.database,
      waitMs: connectTimeoutMs,
      cluster,
    }),
    async hold() {
      for (const { options } of opened) options.min = options.max
      await Promise.all(opened.map(openAll))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...new Set(Object.values(pools))].map((one) => one.destroy()))
      await cluster?.shards[Symbol.asyncDispose]()
      // Kysely ends only a pool that it has used.
      await Promise.all(opened.filter(({ ending }) => !ending).map((pool) => pool.end()))
      await closing.disposeAsync()
    },
  }
}

// Money and counters fit a double; timestamps stay `Date`.
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

async function openAll(pool: pg.Pool): Promise<void> {
  const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
  for (const client of clients) client.release()
}

const connectTimeoutMs = 5_000

/** How long other work waits at most for a connection that does not go on. */
interface Patience {
  /** For a lock; undefined waits as long as the statement may take. */
  lockMs: number | undefined
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

interface PoolOptions extends Patience {
  /** Names the process in notices, so that it does not wake itself. */
  sender: string
  /** Gets each new connection first; a connection for which it fails is closed. */
  onConnect: ((client: pg.ClientBase) => Promise<void>) | undefined
  /** All that are open, of several pools. */
  clients: Set<PreparingClient> | undefined
}

export function createPool(
  url: string,
  maxConnections = 10,
  options: Partial<PoolOptions> = {},
): pg.Pool & AsyncDisposable {
  const { lockMs, statementMs = 30_000, idleInTransactionMs = 10_000, answerMs = 35_000 } = options
  const pool = new pg.Pool({
    ...connectionOptions(url, { 'muster.pool': options.sender ?? randomUUID() }),
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    ...(lockMs !== undefined && { lock_timeout: lockMs }),
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    query_timeout: answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    Client: PreparingClient as unknown as typeof pg.Client,
    ...(options.onConnect && { onConnect: options.onConnect }),
  })
  // An idle connection that breaks is replaced by the pool at its next use.
  pool.on('error', () => {})
  // One that breaks in a transaction, between two statements, fails the next of them. Without a
  // listener it would end the process.
  pool.on('connect', (client) => {
    client.on('error', () => {})
    const { clients } = options
    clients?.add(client as unknown as PreparingClient)
    client.once('end', () => clients?.delete(client as unknown as PreparingClient))
  })
  // The pool removes a connection that is ending, and keeps every other.
  pool.on('release', (_error, client) => {
    if (!(client as unknown as PreparingClient).isBetweenTransactions) void client.end()
  })
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() })
}

/** An operator may set it otherwise, in the `options` of the URL. */
const defaults = { synchronous_commit: 'on' }

/** What statements rely on, whatever the server, the database, the role or the URL says. */
export const sentSettings = {
  search_path: 'muster',
  datestyle: 'ISO',
  timezone: 'UTC',
  default_transaction_isolation: 'read committed',
  // Index pages are nearly always in memory, which the default cost of a random page does not know:
  // with it the planner reads whole tables for a batch of some hundred keys.
  random_page_cost: '1.1',
  // Every statement that runs often has an index. PostgreSQL keeps plans for long: one that reads a table
  // whole because it was small goes on doing so when it has grown, or is bloated as the queue may be.
  enable_seqscan: 'off',
  // What has no index looks dear then, and is not worth compiling.
  jit: 'off',
}

/** How long dead connections hold what they have; a server on a socket knows no such settings. */
const deadConnections = {
  // Seconds. A host that is gone holds its locks for two hours by the default of most systems.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  // The same while an answer is on its way, which only this ends: the server waits in a write.
  tcp_user_timeout: '25s',
}

export function connectionOptions(url: string, own: Record<string, string> = {}): pg.ClientConfig {
  const address = new URL(url)
  const operators = address.searchParams.get('options') ?? ''
  // pg would take these in place of ours. The last of equal settings counts.
  if (operators !== '') address.searchParams.delete('options')
  return {
    connectionString: operators === '' ? url : address.href,
    options: [
      toFlags(defaults),
      operators,
      toFlags({ ...sentSettings, ...deadConnections, ...own }),
    ].join(' '),
    application_name: 'muster',
  }
}

function toFlags(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ')
}

export function createDatabase(pool: pg.Pool, cluster?: Cluster): Database {
  return new Kysely<Tables>({ dialect: new ClusterDialect({ pool }, cluster) })
}

/** Pools of connections to the nodes of a distributed database. */
export function openNodePools(
  url: string,
  maxConnections: number,
  options: Partial<PoolOptions> = {},
): NodePools {
  return new NodePools((node) =>
    createDatabase(createPool(urlOf(url, node), maxConnections, options)),
  )
}

/** The same role, database and options on another server of the cluster. */
export function urlOf(url: string, { host, port }: NodeAddress): string {
  const hostname = host.includes(':') ? `[${host}]` : host
  const address = Object.assign(new URL(url), { hostname, port: String(port) })
  // pg takes these before the host that is in its place.
  for (const name of ['host', 'port']) address.searchParams.delete(name)
  return address.href
}

/** Citus gives up a connection to a node that does not respond, and says which ones do. */
async function tryNodes(url: string): Promise<Trial[]> {
  const client = new pg.Client({
    ...connectionOptions(url, { 'citus.node_connection_timeout': '3000' }),
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: 20_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<NodeAddress & { answers: boolean }>(
      `select nodename as host, nodeport as port,
              citus_check_connection_to_node(nodename, nodeport) as answers
       from pg_dist_node where groupid > 0 and noderole = 'primary' and isactive`,
    )
    return rows.map(({ answers, ...node }) => ({ node, answers }))
  } finally {
    await client.end()
  }
}
