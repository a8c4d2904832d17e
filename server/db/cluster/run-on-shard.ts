import { readFileSync } from 'node:fs'
import { sql, type RawBuilder } from 'kysely'
import type { ClientBase } from 'pg'
import type { Database, Transaction } from '../client.ts'
import { codeOf } from '../outage.ts'
import { statementName } from '../preparing-client.ts'
import type { Query } from '../statement.ts'
import { clusterOf } from './dialect.ts'
import type { NodeAddress } from './shard-map.ts'
import { Batcher } from '../batcher.ts'

/**
 * Runs a statement in the shard of its accounts. Citus splits a statement with `insert` in a `with`
 * clause, copies the results of its parts to all nodes, and commits in two phases. To avoid this, a
 * distributed database has a function (`run-on-shard.sql`) to which Citus passes a call as a whole:
 * on the account's node it puts the names of the account's shards into the text, prepares it once
 * per connection, and executes it as a single PostgreSQL does, with one plan and one commit. It
 * holds the same lock as a write through Citus, so rebalancing loses nothing.
 *
 * Tables must follow `from`, `join`, `update`, `into` or `using`, not a comma; reference tables are
 * only read. Rows are returned as JSON: `cast` converts times and bytes from strings.
 */
export async function runOnShard<T>(
  database: Database | Transaction,
  accounts: Accounts,
  query: Query<T>,
  cast: Cast<T> = {},
): Promise<T[]> {
  const rows = await call<T & Partial<WithNotices>>(database, accounts, query, true)
  const notices = rows.flatMap(({ notice, notices }) => [
    ...(notices ?? []),
    ...(notice ? [notice] : []),
  ])
  if (notices.length > 0) await sendNotices(database, notices)
  for (const row of rows) {
    delete row.notice
    delete row.notices
  }
  return castRows(rows, cast)
}

/** Accounts of a statement; the first one routes it. */
export type Accounts = readonly [string, ...string[]]

/** Conversions for columns that are not text, numbers, booleans or JSON. */
export type Cast<T> = { readonly [Column in keyof T]?: (text: string) => T[Column] | Date | Buffer }

interface WithNotices {
  notice: SentNotice | null
  notices: SentNotice[] | null
}

function castRows<T>(rows: T[], cast: Cast<T>): T[] {
  const casts = Object.entries(cast) as [keyof T, (text: string) => T[keyof T]][]
  for (const row of rows) {
    for (const [column, convert] of casts) {
      const value: unknown = row[column]
      if (typeof value === 'string') row[column] = convert(value)
    }
  }
  return rows
}

/**
 * Runs a read-only statement in several shards of one node; `accounts` has an account id for each
 * shard. Fails with 40001 if a shard has moved or the node cannot be reached.
 */
export async function readOnNode<T>(
  database: Database,
  node: NodeAddress,
  accounts: string[],
  query: Query<T>,
  cast: Cast<T>,
): Promise<T[]> {
  const { name, text, given } = toCall(database, query)
  const calls = sql<{ answer: T }>`
    select answer from unnest(${accounts}::text[]) as home
    cross join lateral at_home(home, '{}', ${name}, ${text}, ${given}, true) as answer`
  const rows = await executeNear(database, node, calls)
  return castRows(
    rows.map(({ answer }) => answer),
    cast,
  )
}

/** Runs a statement whose rows nobody reads; its notices are sent. */
export async function executeOnShard(
  database: Database | Transaction,
  accounts: Accounts,
  query: Query<unknown>,
): Promise<void> {
  // Notices come with the rows.
  if (/ as notices?\b/.test(query.compile(database).sql))
    await runOnShard(database, accounts, query)
  else await call(database, accounts, query, false)
}

async function call<T>(
  database: Database | Transaction,
  accounts: Accounts,
  query: Query<unknown>,
  hasRows: boolean,
): Promise<T[]> {
  const [account, ...others] = accounts
  const { name, text, given } = toCall(database, query)
  const calling = sql<{ answer: T }>`
    select answer from at_home(${account}, ${others}::text[], ${name}, ${text}, ${given}, ${hasRows}) as answer`
  for (let tries = 1; ; tries++) {
    try {
      const address = clusterOf(database)?.shards.nodeOf(account)
      const rows = await executeNear(database, address, calling)
      return rows.map(({ answer }) => answer)
    } catch (error) {
      const hasMoved = codeOf(error) === '40001'
      if (hasMoved || codeOf(error) === notInOneShard) clusterOf(database)?.shards.forget(accounts)
      if (!hasMoved || database.isTransaction || tries === maxTries) throw error
    }
  }
}

/**
 * SQLSTATE for accounts in different shards. Class 22 is bad data, so that a batcher tries each
 * item separately.
 */
export const notInOneShard = '22MUS'

/** The arguments of the function; the parameters are passed as literals. */
function toCall(
  database: Database | Transaction,
  query: Query<unknown>,
): { name: string; text: string; given: string } {
  const { sql: text, parameters } = query.compile(database)
  const given = parameters.length === 0 ? '' : `(${parameters.map(toLiteral).join(', ')})`
  return { name: statementName(text), text, given }
}

/** A retry finds the shard when it is being moved to another node. */
const maxTries = 5

/**
 * Calls the function on the node itself if the pool has connections to it; else the coordinator
 * forwards the call.
 */
async function executeNear<T>(
  database: Database | Transaction,
  address: NodeAddress | undefined,
  calling: RawBuilder<T>,
): Promise<T[]> {
  const { nodes, unresponsive } = clusterOf(database) ?? {}
  const work = async (): Promise<T[]> => {
    const node = address && !database.isTransaction ? nodes?.at(address) : undefined
    if (address === undefined || node === undefined) return (await calling.execute(database)).rows
    let isReached = false
    try {
      return await node.connection().execute(async (connection) => {
        isReached = true
        return (await calling.execute(connection)).rows
      })
    } catch (error) {
      if (isReached) throw error
      nodes?.avoid(address)
      unresponsive?.check(address)
      return (await calling.execute(database)).rows
    }
  }
  return address === undefined || unresponsive === undefined
    ? work()
    : unresponsive.during(address, work)
}

/**
 * Creates or replaces the function, in the open transaction. Older versions of Muster call it by
 * the same name.
 */
export async function createShardFunction(client: ClientBase): Promise<void> {
  await client.query(readFileSync(new URL('run-on-shard.sql', import.meta.url), 'utf8'))
  const { rows } = await client.query(
    `select from pg_catalog.pg_dist_object
     where classid = 'pg_proc'::regclass and distribution_argument_index is not null
       and objid = 'muster.at_home(text, text[], text, text, text, boolean)'::regprocedure`,
  )
  if (rows.length > 0) return
  await client.query(
    `select create_distributed_function('muster.at_home(text, text[], text, text, text, boolean)', 'home',
                                        colocate_with => 'muster.runs', force_delegation => true)`,
  )
}

/** A parameter as an untyped literal, whose type PostgreSQL infers as it does for parameters. */
function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  if (Array.isArray(value)) return quote(`{${value.map(toElement).join(',')}}`)
  if (value instanceof Date) return `'${value.toISOString()}'`
  return quote(asText(value))
}

/**
 * pg's own function works letter by letter and needs 32 bytes for each, which has crashed a worker
 * with a small heap.
 */
function quote(text: string): string {
  const doubled = text.replaceAll("'", "''")
  return text.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`
}

function toElement(value: unknown): string {
  return value === null ? 'null' : `"${asText(value).replaceAll(/["\\]/g, '\\$&')}"`
}

/** Numbers and booleans as text; JSON is passed as a string already. */
function asText(value: unknown): string {
  if (typeof value === 'string') return value
  if (['number', 'bigint', 'boolean'].includes(typeof value)) return `${value as number}`
  throw new Error(`Cannot send a parameter of the type ${typeof value} to a node`)
}

/**
 * A notice that a statement on a node returned: nodes cannot send notices, so the coordinator does.
 */
interface SentNotice {
  channel: string
  /** Null for the name of the pool. */
  payload: string | null
  /** Sent only while this account is watched. */
  account: string | null
}

/** Sends notices in the open transaction, or else after the statement, batched with others. */
async function sendNotices(database: Database | Transaction, notices: SentNotice[]): Promise<void> {
  if (database.isTransaction) return send(database, notices)
  const { adapter } = database.getExecutor()
  const sender = senders.getOrInsertComputed(
    adapter,
    () =>
      new Batcher<SentNotice[], void>(async (batch) => {
        // The data is committed, so a lost notice is harmless: listeners poll as well.
        await send(database, batch.flat()).catch(() => {})
        return batch.map(() => {})
      }),
  )
  await sender.add(notices)
}

const senders = new WeakMap<object, Batcher<SentNotice[], void>>()

async function send(database: Database | Transaction, notices: SentNotice[]): Promise<void> {
  await sql`
    select pg_notify(channel, coalesce(payload, current_setting('muster.pool', true)))
    from (select distinct * from json_to_recordset(${JSON.stringify(notices)}::json)
            as notice (channel text, payload text, account text)) as notice
    where account is null
       or exists (select 1 from account_watches where account_id = account and until > now())`.execute(
    database,
  )
}
