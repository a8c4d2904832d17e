import type { Database, Transaction } from '../../db/client.ts'

/** Counts a model call against its budgets, in the transaction that writes its usage. */
export type Bill = (transaction: Transaction) => Promise<void>

/** Writes the usage of calls and counts it against budgets; `write` returns whether it took effect. */
export async function writeBilled(
  database: Database,
  bills: Bill[] | undefined,
  write: (database: Database | Transaction) => Promise<boolean>,
): Promise<boolean> {
  if (bills === undefined || bills.length === 0) return write(database)
  return database.transaction().execute(async (transaction) => {
    const isWritten = await write(transaction)
    if (isWritten) for (const bill of bills) await bill(transaction)
    return isWritten
  })
}
