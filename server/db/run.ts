import { sql, type RawBuilder } from 'kysely'
import { Batcher, type Gatherer, type Limits } from './batcher.ts'
import type { Database, Transaction } from './client.ts'
import { clusterOf } from './cluster/dialect.ts'
import * as cluster from './cluster/fan-out.ts'
import { executeOnShard, runOnShard, type Accounts, type Cast } from './cluster/run-on-shard.ts'
import { batchByShard, inTurn, scatter } from './cluster/scatter.ts'
import type { Query } from './statement.ts'

/**
 * The entry point for statements. A statement names the accounts that it is about, its scope. A
 * single PostgreSQL executes it as it is; a cluster (`cluster/`, everything about Citus) executes
 * it in the shard of these accounts. Batches are split with `runEach` and `openBatcher`, sweeps
 * over all accounts with `eachAccount` and `eachPart`. A statement about one table and one account,
 * or about a table that is not distributed, can be executed directly.
 */
export type Scope = typeof allAccounts | string | readonly { accountId: string }[]

/**
 * Scope of a statement that reads rows of any account. On a cluster it may only group by account,
 * and a limit applies to each shard.
 */
export const allAccounts = Symbol('all accounts')

/** Runs a statement and returns its rows; `cast` names the columns with times or bytes. */
export async function run<T>(
  database: Database | Transaction,
  scope: Scope,
  query: Query<T>,
  cast: Cast<T> = {},
): Promise<T[]> {
  const found = clusterOf(database)
  const accounts = found && accountsOf(scope)
  if (accounts !== undefined) return runOnShard(database, accounts, query, cast)
  if (found !== undefined && scope === allAccounts) {
    return cluster.readAll(database, found, query, cast)
  }
  return (await query.execute(database)).rows
}

/** Runs a statement that returns no rows. */
export async function execute(
  database: Database | Transaction,
  scope: Exclude<Scope, typeof allAccounts>,
  query: Query<unknown>,
): Promise<void> {
  const accounts = clusterOf(database) && accountsOf(scope)
  if (accounts === undefined) await query.execute(database)
  else await executeOnShard(database, accounts, query)
}

export const asTime = (text: string): Date => new Date(text)
export const asBytes = (text: string): Buffer => Buffer.from(text.slice(2), 'hex')

function accountsOf(scope: Scope): Accounts | undefined {
  if (scope === allAccounts) return undefined
  if (typeof scope === 'string') return [scope]
  const [first, ...others] = new Set(scope.map(({ accountId }) => accountId))
  return first === undefined ? undefined : [first, ...others]
}

/** Reads rows of all accounts like `run`, with a statement that Citus cannot plan. */
export async function fanOut<T>(
  database: Database,
  query: Query<T>,
  cast: Cast<T> = {},
): Promise<T[]> {
  if (clusterOf(database) === undefined) return (await query.execute(database)).rows
  return cluster.fanOut(database, query, cast)
}

/**
 * Processes a batch in parts that can share a statement; results are in the order of the parts. If
 * `isPartial`, results of a lost node may be missing, unless all are.
 */
export async function runEach<T extends { accountId: string }, R>(
  database: Database,
  items: T[],
  work: (part: T[]) => Promise<R[]>,
  { isPartial = false } = {},
): Promise<R[]> {
  const found = clusterOf(database)
  return found === undefined ? work(items) : scatter(found, items, work, isPartial)
}

/** A batcher whose batches can share a statement. */
export function openBatcher<Item extends { accountId: string }, Result>(
  database: Database,
  flush: (items: Item[]) => Promise<Result[]>,
  limits: Partial<Limits> = {},
): Gatherer<Item, Result> {
  const found = clusterOf(database)
  return found === undefined ? new Batcher(flush, limits) : batchByShard(found, flush, limits)
}

/** The accounts of a sweep: one, or all. */
export type SweepScope = typeof allAccounts | string

/**
 * Processes rows of all accounts: all at once, or account by account on a cluster. `rows` selects
 * accounts that have something to do. Returns the sum of the results.
 */
export async function eachAccount(
  database: Database | Transaction,
  rows: RawBuilder<unknown>,
  work: (scope: SweepScope) => Promise<number>,
): Promise<number> {
  if (clusterOf(database) === undefined) return work(allAccounts)
  return inTurn(await accountsWith(database, rows), work)
}

/**
 * The same for statements that are executed with `run` in this scope and process every account in
 * it. A single PostgreSQL uses the transaction `within`, if given; on a cluster each part is a
 * transaction of its own.
 */
export async function eachPart(
  database: Database,
  rows: RawBuilder<unknown>,
  work: (scope: SweepScope, connection: Database | Transaction) => Promise<number>,
  { within }: { within?: Transaction } = {},
): Promise<number> {
  const found = clusterOf(database)
  if (found === undefined) return work(allAccounts, within ?? database)
  const accounts = shuffle(await accountsWith(database, rows))
  const shards = Map.groupBy(accounts, (account) => found.shards.shardOf(account))
  return inTurn(
    [...shards.values()].flatMap(([one]) => one ?? []),
    (account) => work(account, database),
  )
}

/**
 * A transaction around `eachPart`, which holds a lock. On a cluster it has a connection of a pool of its own: if several of
 * them had all connections of `database`, their parts would wait for one until they fail.
 */
export function aroundParts<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const pool = clusterOf(database)?.around ?? database
  return pool.transaction().execute(work)
}

/** Shuffled, so that a limit does not always leave out the same shard. */
function shuffle<T>(items: T[]): T[] {
  const keyed = items.map((item) => ({ item, key: Math.random() }))
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item)
}

/** Accounts per query. */
const accountsAtOnce = 1_000

async function accountsWith(
  database: Database | Transaction,
  rows: RawBuilder<unknown>,
): Promise<string[]> {
  const query = sql<{ account: string }>`
    select distinct account_id as account from ${rows} limit ${sql.lit(accountsAtOnce)}`
  return (await run(database, allAccounts, query)).map(({ account }) => account)
}

/** An additional condition on a table in a statement of `eachAccount`. */
export function inScope(table: string, scope: SweepScope): RawBuilder<unknown> {
  return scope === allAccounts ? sql`` : sql` and ${sql.ref(`${table}.account_id`)} = ${scope}`
}

/**
 * Work that takes one statement on a single PostgreSQL and two phases on a cluster: a read of all
 * shards, then a statement in each shard that was chosen. For choices that have to be fair among
 * all accounts.
 */
export function oneOrEach<T>(
  database: Database,
  ways: Record<'inOne' | 'inEach', () => Promise<T>>,
): Promise<T> {
  return clusterOf(database) === undefined ? ways.inOne() : ways.inEach()
}
