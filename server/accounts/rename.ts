import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { refuseEnded } from './authenticate.ts'
import { whileLocked } from './bounds.ts'
import type { AccountName, RenameAccount } from './schema.ts'
import * as store from './store.ts'

export async function retrieveAccountName(ctx: Context): Promise<AccountName> {
  const account = await store.findAccountName(ctx.database, ctx.accountId)
  if (account === undefined) throw notFound(ctx, 'account', ctx.accountId)
  return account
}

/** Users see the new name when they reload. */
export function renameAccount(ctx: Context, { name }: RenameAccount): Promise<AccountName> {
  return whileLocked(ctx, async (transaction) => {
    await refuseEnded(transaction, ctx)
    const before = await store.findAccountName(transaction, ctx.accountId)
    if (before === undefined) throw notFound(ctx, 'account', ctx.accountId)
    const after = { ...before, name }
    await store.renameAccount(transaction, after)
    await recordAudit(transaction, ctx, { objectId: ctx.accountId, before, after })
    return after
  })
}
