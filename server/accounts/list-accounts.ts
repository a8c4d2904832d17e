import type { Database } from '../db/client.ts'
import * as store from './store.ts'

/** All accounts, for the operator alone. */
export function listAccounts(database: Database): ReturnType<typeof store.listAccounts> {
  return store.listAccounts(database)
}
