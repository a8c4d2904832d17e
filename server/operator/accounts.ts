import { insertAccountWithKey, insertAdminKey } from '../accounts/create-account.ts'
import { makeKey } from '../accounts/credentials.ts'
import { lockAccount } from '../accounts/bounds.ts'
import { notFound } from '../errors.ts'
import { newId } from '../ids.ts'
import { changeAccount, insertLog, toOrigin, type Operating } from './change.ts'
import * as store from './account-store.ts'
import { listAccounts, listLog } from './account-store.ts'
import { startCounting } from './quota-store.ts'
import type { AccountUse, OperatedAccount, UpdateAccount } from './schema.ts'
import { giveBackTime } from '../engine/journal/boundary.ts'

/**
 * Operations of the operator, whose key comes from the configuration and belongs to no account:
 * create, change, suspend, export and delete accounts. Each change is written to the operator's log
 * and to the audit log of the account. An account is active, suspended or being deleted; `erase.ts`
 * deletes its rows in the background.
 */
export { listAccounts, listLog }

export async function retrieveAccount(
  operating: Pick<Operating, 'database' | 'action'>,
  id: string,
): Promise<OperatedAccount> {
  const account = await store.findAccount(operating.database, id)
  if (account === undefined) throw notFound(operating, 'account', id)
  return account
}

export async function retrieveUse(
  operating: Pick<Operating, 'database' | 'action'>,
  id: string,
): Promise<AccountUse> {
  const use = await store.readUse(operating.database, id)
  if (use === undefined) throw notFound(operating, 'account', id)
  return use
}

/**
 * The account's first admin key is only in this response. A repeat after a crash creates another
 * key.
 */
export async function createAccount(
  operating: Operating,
  id: string,
  name: string,
): Promise<{ id: string; name: string; admin_key: string }> {
  const adminKey = makeKey()
  await operating.database.transaction().execute(async (transaction) => {
    const row = await insertAccountWithKey(transaction, { id, name, adminKey }, toOrigin(operating))
    if (row !== undefined) await insertLog(transaction, row)
  })
  return { id, name, admin_key: adminKey }
}

/**
 * Adds an admin key to an account that is locked out, even beyond the limit of keys. It cannot be
 * shown again.
 */
export async function addAdminKey(
  operating: Operating,
  account: string,
): Promise<{ id: string; account: string; admin_key: string }> {
  const [id, adminKey] = [newId('key'), makeKey()]
  await operating.database.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, account))) throw notFound(operating, 'account', account)
    const key = { id, name: "operator's admin key", adminKey }
    const row = await insertAdminKey(transaction, account, key, toOrigin(operating))
    if (row !== undefined) await insertLog(transaction, row)
  })
  return { id, account, admin_key: adminKey }
}

/** New quotas apply within a second; runs that an old quota held continue. */
export function updateAccount(
  operating: Operating,
  id: string,
  change: UpdateAccount,
): Promise<OperatedAccount> {
  return changeAccount(operating, id, async (transaction, before) => {
    const after = await store.changeAccount(transaction, id, change)
    await startCounting(transaction, before, after)
    await store.endHold(transaction, id, 'cost')
    return after
  })
}

/**
 * Suspends an account. Its keys and sessions get 403 at once. Workers take none of its runs, and
 * runs in progress are released after the current call; timeouts are paused, and webhooks wait.
 */
export function suspendAccount(
  operating: Operating,
  id: string,
  reason: string | undefined,
): Promise<OperatedAccount> {
  return changeAccount(operating, id, async (transaction) => {
    await store.hold(transaction, id, 'suspended')
    return store.suspend(transaction, id, reason ?? null)
  })
}

export function resumeAccount(operating: Operating, id: string): Promise<OperatedAccount> {
  return changeAccount(operating, id, async (transaction, before) => {
    if (before.suspended_at === null) return before
    await giveBackTime(transaction, id)
    await store.endHold(transaction, id, 'suspended')
    return store.resume(transaction, id)
  })
}
