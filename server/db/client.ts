import { createHash, randomUUID } from 'node:crypto'
import { Kysely, sql, type RawBuilder, type Transaction as KyselyTransaction } from 'kysely'
import pg from 'pg'
import { AccountShares } from './account-shares.ts'
import type { Tables } from './generated-tables.ts'
import { SpreadDialect, type Reach } from './spread-dialect.ts'
import { Nodes, Spread, type NodeAddress } from './spread.ts'

/**
 * Connections to PostgreSQL. A process has four pools, so that nothing waits behind work of another
 * kind (`Pools`). A connection goes back to its pool only when it is between transactions; any other
 * is closed, so that nobody inherits a failed transaction, an open one or its locks.
 *
 * Every statement with parameters, but those that say `replanned`, is a named prepared one: its name is a hash of its text, so
 * PostgreSQL parses and plans each text once per connection. Texts are few because lists travel as one
 * array or JSON parameter.
 */
export type Database = Kysely<Tables>
export type Transaction = KyselyTransaction<Tables>

export interface Pools extends AsyncDisposable {
  /** Authentication, short reads and writes, and the engine. */
  database: Database
  /** The same for requests of accounts, which take turns. */
  shares: AccountShares
  /** Answers that may be large: lists, whole runs, events, memory search, training sets. */
  reads: Database
  /** Leases of runs and the sweeps that end them: late, they cost a worker its runs. */
  supervision: Database
  /** Loops that nobody waits for: deliveries, expiry, fine-tunes, retention. */
  background: Database
}

export interface PoolSizes {
  database: number
  reads: number
}

/** With the one that listens, a process has up to 18 connections. See docs/operations.md. */
export const defaultPoolSizes: PoolSizes = { database: 8, reads: 4 }
const supervisionConnections = 2
const backgroundConnections = 3

/** Supervision that takes longer than `supervisionMs` is given up and tried again. */
export function createPools(
  url: string,
  sizes: PoolSizes = defaultPoolSizes,
  supervisionMs = 2_000,
  onConnect?: PoolOptions['onConnect'],
  isDistributed = false,
): Pools {
  const sender = randomUUID()
  const openPool = (maxConnections: number, patience: Partial<Patience> = {}): pg.Pool =>
    createPool(url, maxConnections, { ...patience, sender, onConnect })
  const spread = isDistributed ? new Spread(createDatabase(openPool(1))) : undefined
  const closing = new AsyncDisposableStack()
  /** With connections to each node, where there are nodes. */
  const reach = (nodeConnections: number, patience: Partial<Patience> = {}): Reach | undefined =>
    spread && {
      spread,
      nodes: closing.use(openNodes(url, nodeConnections, { ...patience, sender })),
    }
  const indirect = spread && { spread }
  const pool = openPool(sizes.database)
  const supervisionPatience = { statementMs: supervisionMs, answerMs: supervisionMs }
  const pools = {
    database: createDatabase(pool, reach(4)),
    reads: createDatabase(openPool(sizes.reads), indirect),
    supervision: createDatabase(
      openPool(supervisionConnections, supervisionPatience),
      reach(1, supervisionPatience),
    ),
    background: createDatabase(openPool(backgroundConnections), indirect),
  }
  return {
    ...pools,
    shares: new AccountShares(pool, {
      connections: sizes.database,
      waitMs: connectTimeoutMs,
      reach: indirect,
    }),
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(pools).map((database) => database.destroy()))
      await closing.disposeAsync()
      await spread?.[Symbol.asyncDispose]()
    },
  }
}

// Money and counters fit a double; timestamps stay `Date`.
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const connectTimeoutMs = 5_000

/** How long others wait at most for one who does not go on. */
interface Patience {
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
  /** Names the process in notices, so that nobody wakes itself. */
  sender: string
  /** Has each connection before anybody else; where it fails, nobody gets it. */
  onConnect: ((client: pg.ClientBase) => Promise<void>) | undefined
}

export function createPool(
  url: string,
  maxConnections = 10,
  options: Partial<PoolOptions> = {},
): pg.Pool {
  const { statementMs = 30_000, idleInTransactionMs = 10_000, answerMs = 35_000 } = options
  const pool = new pg.Pool({
    ...connectionOptions(url, { 'muster.pool': options.sender ?? randomUUID() }),
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
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
  pool.on('connect', (client) => client.on('error', () => {}))
  // The pool removes a connection that is ending, and keeps every other.
  pool.on('release', (_error, client) => {
    if (!(client as unknown as PreparingClient).isBetweenTransactions) void client.end()
  })
  return pool
}

/** An operator may set it otherwise, in the `options` of the URL. */
const defaults = { synchronous_commit: 'on' }

/** What statements rely on, whatever the server, the database, the role or the URL says. */
const pinned = {
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
    options: [toFlags(defaults), operators, toFlags({ ...pinned, ...own })].join(' '),
    application_name: 'muster',
  }
}

function toFlags(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ')
}

export function createDatabase(pool: pg.Pool, reach?: Reach): Database {
  return new Kysely<Tables>({ dialect: new SpreadDialect({ pool }, reach) })
}

/** Pools of connections to the nodes of a distributed database. */
export function openNodes(
  url: string,
  maxConnections: number,
  options: Partial<PoolOptions> = {},
): Nodes {
  return new Nodes((node) => createDatabase(createPool(urlOf(url, node), maxConnections, options)))
}

/** The same role, database and options on another server of the cluster. */
export function urlOf(url: string, { host, port }: NodeAddress): string {
  const hostname = host.includes(':') ? `[${host}]` : host
  const address = Object.assign(new URL(url), { hostname, port: String(port) })
  // pg takes these before the host that is in its place.
  for (const name of ['host', 'port']) address.searchParams.delete(name)
  return address.href
}

/** After a failure the server says at once how the transaction stands, unless it is gone. */
const standingMs = 1_000

class PreparingClient extends pg.Client {
  /** False from a statement's start to the server's word that it has ended. Not in the types of pg. */
  declare readonly readyForQuery: boolean
  #isLost = false

  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.once('end', () => (this.#isLost = true))
  }

  get isBetweenTransactions(): boolean {
    return this.readyForQuery && this.getTransactionStatus() === 'I'
  }

  // @ts-expect-error -- narrows the overloads of pg to the two forms that are used here
  override query(query: unknown, values?: unknown[], callback?: unknown): unknown {
    const prepared =
      typeof query === 'string' && Array.isArray(values) && values.length > 0 && !isReplanned(query)
        ? { name: statementName(query), text: query }
        : query
    // @ts-expect-error -- as above
    const result: unknown = super.query(prepared, values, callback)
    return result instanceof Promise ? result.catch((error) => this.#settle(error)) : result
  }

  /**
   * pg fails a statement before the server has told how the transaction stands, and keeps a connection
   * that went silent.
   */
  async #settle(error: unknown): Promise<never> {
    if (error instanceof Error && error.message === 'Query read timeout') {
      this.#isLost = true
      void this.end()
      Object.assign(error, { code: 'ETIMEDOUT' })
    } else if (!this.readyForQuery && !this.#isLost) {
      await this.#standing()
    }
    throw error
  }

  #standing(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, standingMs)
    this.once('drain', resolve).once('end', resolve)
    return promise.finally(() => {
      clearTimeout(timer)
      this.off('drain', resolve).off('end', resolve)
    })
  }
}

/**
 * At the start of a statement that is planned for its values each time and not kept: one whose best plan
 * differs from value to value, or that has many texts.
 */
export const replanned: RawBuilder<unknown> = sql.raw('/* replanned */')

function isReplanned(text: string): boolean {
  return text.startsWith('/* replanned */')
}

const statementNames = new Map<string, string>()

function statementName(text: string): string {
  let name = statementNames.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    statementNames.set(text, name)
  }
  return name
}
