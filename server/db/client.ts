import { randomUUID } from 'node:crypto'
import { Kysely, type Transaction as KyselyTransaction } from 'kysely'
import pg from 'pg'
import type { Slots } from '../slots.ts'
import { AccountShares } from './account-shares.ts'
import type { Tables } from './generated-tables.ts'
import { PreparingClient } from './preparing-client.ts'
import { ClusterDialect, type Cluster } from './cluster/dialect.ts'
import { NodePools, ShardMap, type NodeAddress } from './cluster/shard-map.ts'
import { UnresponsiveNodes, type NodeHealth } from './cluster/unresponsive-nodes.ts'

/**
 * Connections to PostgreSQL. A process has five pools, so that different kinds of work do not wait
 * for each other (`Pools`). A connection returns to its pool only between transactions; otherwise
 * it is closed, so that its next user does not inherit an open or failed transaction or its locks.
 * Every statement with parameters is a named prepared one, except those marked `replanned`: its
 * name is a hash of its text, so PostgreSQL parses and plans each text once per connection. There
 * are few texts, because lists are passed as one array or JSON parameter. Statements of accounts go
 * through `run.ts`, which knows whether the database is one PostgreSQL or a cluster.
 */
export type Database = Kysely<Tables>
export type Transaction = KyselyTransaction<Tables>

export interface Pools extends AsyncDisposable {
  /**
   * Opens all connections to a single PostgreSQL in advance, before other sockets use up the file
   * descriptors.
   */
  hold(): Promise<void>
  /** Authentication, short reads and writes, and the engine. */
  database: Database
  /** For the statement that creates runs, with a short lock timeout. */
  triggers: Database
  /** Like `database`, for requests of accounts, which take turns. */
  share: (slots: Slots) => AccountShares
  /** For reads that may be large: lists, whole runs, events, memory search, training sets. */
  reads: Database
  /** For leases of runs and their sweeps: if they are late, a worker loses its runs. */
  supervision: Database
  /** For background loops: deliveries, expiry, fine-tunes, retention. */
  background: Database
}

export interface PoolSizes {
  database: number
  reads: number
}

/** Including the one that listens, a process has up to 19 connections. See docs/operations.md. */
export const defaultPoolSizes: PoolSizes = { database: 8, reads: 4 }
/**
 * A lock that another client holds on a table must not block triggers: they fail with 503 instead.
 */
const triggerLockMs = 3_000
const supervisionConnections = 2
const backgroundConnections = 3

/** Connections of a process with all roles, including the one that listens. */
export function countConnections({ database, reads }: PoolSizes): number {
  return database + 1 + reads + supervisionConnections + backgroundConnections + 1
}

/** Statements for leases that take longer than `supervisionMs` are abandoned and retried. */
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
        around: createDatabase(openPool(backgroundConnections)),
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
    // One connection, because triggers that arrive together share a statement. On a cluster they
    // share one for each shard.
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
    share: (slots) => new AccountShares(pool, slots, cluster),
    async hold() {
      for (const { options } of opened) options.min = options.max
      await Promise.all(opened.map(openAll))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...new Set(Object.values(pools))].map((one) => one.destroy()))
      await cluster?.shards[Symbol.asyncDispose]()
      await cluster?.around.destroy()
      // Kysely only ends pools that it has used.
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

/** How long other work may wait for a connection that is stuck. */
interface Patience {
  /** Lock timeout; undefined for the timeout of the statement. */
  lockMs: number | undefined
  /** Statement timeout; migrations disable it for themselves. */
  statementMs: number
  /**
   * Timeout between two statements of a transaction, which is exceeded only if a process hangs. The
   * server then releases its locks.
   */
  idleInTransactionMs: number
  /**
   * Time for the server to answer a statement, which is exceeded only if the connection is dead. 0
   * for no limit.
   */
  answerMs: number
}

interface PoolOptions extends Patience {
  /** Name of the process in notices, so that it ignores its own. */
  sender: string
  /** Gets each new connection first; if it throws, the connection is closed. */
  onConnect: ((client: pg.ClientBase) => Promise<void>) | undefined
  /** All open connections of several pools. */
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
  // The pool replaces a broken idle connection at its next use.
  pool.on('error', () => {})
  // A connection that breaks between two statements of a transaction fails the next one. Without a
  // listener the error would end the process.
  pool.on('connect', (client) => {
    client.on('error', () => {})
    const { clients } = options
    clients?.add(client as unknown as PreparingClient)
    client.once('end', () => clients?.delete(client as unknown as PreparingClient))
  })
  // The pool removes connections that are ending, and keeps all others.
  pool.on('release', (_error, client) => {
    if (!(client as unknown as PreparingClient).isBetweenTransactions) void client.end()
  })
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() })
}

/** Defaults that an operator can override in the `options` of the URL. */
const defaults = { synchronous_commit: 'on' }

/** Settings that statements rely on, whatever the server, the database, the role or the URL has. */
export const sentSettings = {
  search_path: 'muster',
  datestyle: 'ISO',
  timezone: 'UTC',
  default_transaction_isolation: 'read committed',
  // Index pages are nearly always in memory. With the default cost of a random page the planner
  // scans whole tables for a batch of a few hundred keys.
  random_page_cost: '1.1',
  // Every frequent statement has an index. PostgreSQL keeps plans for long: a plan that scans a small
  // table would still scan it when it has grown or, like the queue, is bloated.
  enable_seqscan: 'off',
  // Statements without an index then seem expensive, but are not worth compiling.
  jit: 'off',
}

/** When dead connections are detected. A server on a Unix socket does not have these settings. */
const deadConnections = {
  // Seconds. By the default of most systems, a host that is gone holds its locks for two hours.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  // The same while the server is sending a result: it waits in a write, which keepalives do not
  // end.
  tcp_user_timeout: '25s',
}

export function connectionOptions(url: string, own: Record<string, string> = {}): pg.ClientConfig {
  const address = new URL(url)
  const operators = address.searchParams.get('options') ?? ''
  // Otherwise pg would use these options instead of ours. If a setting is given twice, the last one
  // counts.
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
  // pg would use these parameters instead of the host in the URL.
  for (const name of ['host', 'port']) address.searchParams.delete(name)
  return address.href
}

/** Checks all nodes through Citus, which gives up connecting to a node that does not respond. */
async function tryNodes(url: string): Promise<NodeHealth[]> {
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
