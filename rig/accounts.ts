import { createAccount } from '../server/accounts/create-account.ts'
import { createDatabase, createPool } from '../server/db/client.ts'

export interface BenchAccount {
  id: string
  adminKey: string
}

/** Creates additional accounts, as an operator does. */
export async function makeAccounts(databaseUrl: string, count: number): Promise<BenchAccount[]> {
  const database = createDatabase(createPool(databaseUrl, 1))
  try {
    const accounts: BenchAccount[] = []
    for (let number = 1; number <= count; number++) {
      accounts.push(await createAccount(database, `bench ${number}`))
    }
    return accounts
  } finally {
    await database.destroy()
  }
}
