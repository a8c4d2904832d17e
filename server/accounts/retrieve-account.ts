import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { Account } from './schema.ts'
import * as store from './store.ts'

export async function retrieveAccount(ctx: Context): Promise<Account> {
  const account = await store.retrieveAccount(ctx.database, ctx.accountId, ctx.actor.id)
  if (account === undefined) {
    throw new DomainError('not_found', 'Cannot retrieve account: the key was just revoked')
  }
  return account
}
