import { changeAccount, type Operating } from './change.ts'
import * as store from './account-store.ts'
import { beginErasure } from './erase-store.ts'
import type { OperatedAccount } from './schema.ts'

/** Locks everybody out and leaves the rest to the background, which goes on after a crash. */
export function deleteAccount(operating: Operating, id: string): Promise<OperatedAccount> {
  return changeAccount(operating, id, async (transaction, before) => {
    await store.hold(transaction, id, 'deleted')
    await beginErasure(transaction, id)
    return (await store.findAccount(transaction, id)) ?? before
  })
}
