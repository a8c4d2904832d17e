import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from './client.ts'
import { lookOver } from './look-over.ts'
import { isSpread } from './spread-dialect.ts'

/**
 * Statements of a distributed database touch the rows of one account, and say so of each of its tables: they
 * then go to the node that has the account, and a write to that node alone. Where the database is one
 * PostgreSQL a batch holds any accounts, and nothing is said.
 */
export type OneAccount = string | undefined

/** The account of a batch; undefined where the database is not distributed. */
export function oneAccount(
  database: Database | Transaction,
  batch: readonly { accountId: string }[],
): OneAccount {
  if (!isSpread(database)) return undefined
  const accounts = new Set(batch.map(({ accountId }) => accountId))
  if (accounts.size > 1) throw new Error(`A batch holds ${accounts.size} accounts, expected one`)
  return batch[0]?.accountId
}

/** A further condition on a table of the statement. */
export function andIn(table: string, account: OneAccount): RawBuilder<unknown> {
  return account === undefined ? sql`` : sql` and ${sql.ref(`${table}.account_id`)} = ${account}`
}

/** How a batcher gathers: of any accounts, or of one at a time. */
export function gathering(database: Database): {
  keyOf?: (item: { accountId: string }) => string
  maxFlushes?: number
} {
  return isSpread(database) ? { keyOf: ({ accountId }) => accountId, maxFlushes: 4 } : {}
}

/** The parts of a batch that one statement may hold. */
export function byAccount<T extends { accountId: string }>(database: Database, batch: T[]): T[][] {
  if (!isSpread(database)) return [batch]
  return [...Map.groupBy(batch, ({ accountId }) => accountId).values()]
}

/** Accounts that one look over all shards finds. */
const accountsAtOnce = 1_000

/**
 * Work that looks over all accounts for rows of a table: one statement does it. Where the database is
 * distributed, the accounts that have such rows are looked for first, and each is done by itself. Returns the
 * sum of what the work returns.
 */
export async function eachAccount(
  database: Database | Transaction,
  rows: RawBuilder<unknown>,
  work: (account: OneAccount) => Promise<number>,
): Promise<number> {
  if (!isSpread(database)) return work(undefined)
  const found = await lookOver(
    database,
    sql<{ account_id: string }>`
      select distinct account_id from ${rows} limit ${sql.lit(accountsAtOnce)}`,
  )
  return inTurn(
    found.map(({ account_id }) => account_id),
    work,
  )
}

/**
 * The sum of what the work returns of each account. One account's trouble is not that of the next: it fails only
 * where it did for one and nothing was done for another.
 */
export async function inTurn(
  accounts: readonly string[],
  work: (account: string) => Promise<number>,
): Promise<number> {
  let sum = 0
  let failure: { error: unknown } | undefined
  for (const account of accounts) {
    try {
      sum += await work(account)
    } catch (error) {
      failure ??= { error }
    }
  }
  if (failure !== undefined && sum === 0) throw failure.error
  return sum
}
