import { readFileSync } from 'node:fs'
import { sql, type RawBuilder } from 'kysely'
import type { ClientBase } from 'pg'
import { Batcher } from './batcher.ts'
import type { Database, Transaction } from './client.ts'
import { notTogether, type Home } from './home.ts'
import { codeOf } from './outage.ts'
import { nameOf } from './preparing-client.ts'
import { reachOf } from './spread-dialect.ts'
import type { Query } from './statement.ts'
import type { NodeAddress } from './spread.ts'

/**
 * Statements where an account is at home. Citus takes a statement with `insert` in a `with` clause apart, copies the
 * results of its parts to all nodes, and commits in two phases. So a distributed database has a function,
 * `at_home`, to which Citus passes a call whole: on the node that has the account it puts the names of the
 * account's own shards into the text, prepares that once a connection, and runs it as one PostgreSQL does, with
 * one plan and one commit. It holds the lock that a write through Citus holds, so rebalancing loses nothing.
 *
 * Tables stand behind `from`, `join`, `update`, `into` or `using`, not behind a comma; those that are copied to
 * every node are read alone. Answers come as JSON: of the types that differ, times are asked for by name.
 */
export async function atHome<T>(
  database: Database | Transaction,
  home: Home,
  query: Query<T>,
  times: readonly (keyof T)[] = [],
): Promise<T[]> {
  if (home === undefined) return (await query.execute(database)).rows
  const rows = await callAtHome<T & Partial<Told>>(database, home, query, true)
  const notices = rows.flatMap(({ told }) => told ?? [])
  if (notices.length > 0) await tell(database, notices)
  for (const row of rows) delete row.told
  return withTimes(rows, times)
}

function withTimes<T>(rows: T[], times: readonly (keyof T)[]): T[] {
  for (const row of rows) {
    for (const name of times) {
      const time = row[name]
      if (typeof time === 'string') Object.assign(row as object, { [name]: new Date(time) })
    }
  }
  return rows
}

/**
 * The same of a statement that only reads, in several shards of one node, each named by an id that an account of
 * it might have. Fails with 40001 where one of them is elsewhere by now, and where the node cannot be reached.
 */
export async function atHomes<T>(
  database: Database,
  node: NodeAddress,
  homes: string[],
  query: Query<T>,
  times: readonly (keyof T)[],
): Promise<T[]> {
  const { name, text, given } = toCall(database, query)
  const call = sql<{ answer: T }>`
    select answer from unnest(${homes}::text[]) as home
    cross join lateral at_home(home, '{}', ${name}, ${text}, ${given}, true) as answer`
  const rows = await executeNear(database, node, call)
  return withTimes(
    rows.map(({ answer }) => answer),
    times,
  )
}

/** The same of a statement that answers nothing. */
export async function doAtHome(
  database: Database | Transaction,
  home: Home,
  query: Query<unknown>,
): Promise<void> {
  if (home === undefined) await query.execute(database)
  else await callAtHome(database, home, query, false)
}

async function callAtHome<T>(
  database: Database | Transaction,
  home: NonNullable<Home>,
  query: Query<unknown>,
  answers: boolean,
): Promise<T[]> {
  const [account, ...others] = home
  const { name, text, given } = toCall(database, query)
  const call = sql<{ answer: T }>`
    select answer from at_home(${account}, ${others}::text[], ${name}, ${text}, ${given}, ${answers}) as answer`
  for (let tries = 1; ; tries++) {
    try {
      const address = reachOf(database)?.spread.nodeOf(account)
      const rows = await executeNear(database, address, call)
      return rows.map(({ answer }) => answer)
    } catch (error) {
      const hasMoved = codeOf(error) === '40001'
      if (hasMoved || codeOf(error) === notTogether) reachOf(database)?.spread.forget(home)
      if (!hasMoved || database.isTransaction || tries === maxTries) throw error
    }
  }
}

/** What `at_home` is called with, the parameters as their text. */
function toCall(
  database: Database | Transaction,
  query: Query<unknown>,
): { name: string; text: string; given: string } {
  const { sql: text, parameters } = query.compile(database)
  const given = parameters.length === 0 ? '' : `(${parameters.map(toLiteral).join(', ')})`
  return { name: nameOf(text), text, given }
}

/** The rows of an account may be on their way to another node. */
const maxTries = 5

/** On the node itself, where the pool has connections to it; else the coordinator passes the call on. */
async function executeNear<T>(
  database: Database | Transaction,
  address: NodeAddress | undefined,
  call: RawBuilder<T>,
): Promise<T[]> {
  const { nodes, silent } = reachOf(database) ?? {}
  const work = async (): Promise<T[]> => {
    const node = address && !database.isTransaction ? nodes?.at(address) : undefined
    if (address === undefined || node === undefined) return (await call.execute(database)).rows
    let isReached = false
    try {
      return await node.connection().execute(async (connection) => {
        isReached = true
        return (await call.execute(connection)).rows
      })
    } catch (error) {
      if (isReached) throw error
      nodes?.avoid(address)
      silent?.check(address)
      return (await call.execute(database)).rows
    }
  }
  return address === undefined || silent === undefined ? work() : silent.hear(address, work)
}

/** Makes the function, or makes it anew, in the transaction that is open. */
export async function createAtHome(client: ClientBase): Promise<void> {
  await client.query(readFileSync(new URL('at-home.sql', import.meta.url), 'utf8'))
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

/**
 * What a statement has to tell others: a node cannot, so the column `told` of each of its rows says it, and
 * the coordinator tells it: in the transaction that is open, or in a statement behind it, in which those of
 * many statements are together.
 */
interface Told {
  told: Notice[] | null
}

interface Notice {
  channel: string
  /** Null for the name of the pool. */
  payload: string | null
  /** Told only if this account is watched. */
  account: string | null
}

async function tell(database: Database | Transaction, notices: Notice[]): Promise<void> {
  if (database.isTransaction) return send(database, notices)
  const { adapter } = database.getExecutor()
  const sender = senders.getOrInsertComputed(
    adapter,
    () =>
      new Batcher<Notice[], void>(async (batch) => {
        // What was to be told is committed. Who hears nothing looks for himself before long.
        await send(database, batch.flat()).catch(() => {})
        return batch.map(() => {})
      }),
  )
  await sender.add(notices)
}

const senders = new WeakMap<object, Batcher<Notice[], void>>()

async function send(database: Database | Transaction, notices: Notice[]): Promise<void> {
  await sql`
    select pg_notify(channel, coalesce(payload, current_setting('muster.pool', true)))
    from (select distinct * from json_to_recordset(${JSON.stringify(notices)}::json)
            as notice (channel text, payload text, account text)) as notice
    where account is null
       or exists (select 1 from account_watches where account_id = account and until > now())`.execute(
    database,
  )
}

/** A parameter as text whose type PostgreSQL finds, as it does for parameters. */
function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  if (Array.isArray(value)) return quote(`{${value.map(toElement).join(',')}}`)
  if (value instanceof Date) return `'${value.toISOString()}'`
  return quote(asText(value))
}

/** What pg has for this goes by the letter, and takes 32 bytes for each: a worker with a small heap died of it. */
function quote(text: string): string {
  const doubled = text.replaceAll("'", "''")
  return text.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`
}

function toElement(value: unknown): string {
  return value === null ? 'null' : `"${asText(value).replaceAll(/["\\]/g, '\\$&')}"`
}

/** JSON travels as its text. */
function asText(value: unknown): string {
  if (typeof value === 'string') return value
  if (['number', 'bigint', 'boolean'].includes(typeof value)) return `${value as number}`
  throw new Error(`Cannot send a parameter of the type ${typeof value} to a node`)
}
