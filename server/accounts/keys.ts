import type { Context } from '../context.ts'
import { cannot, notFound, tooMany } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { makeKey } from './credentials.ts'
import { expiryOf } from './authenticate.ts'
import { whileLocked } from './bounds.ts'
import { recordAudit } from '../audit/record.ts'
import type { Account, ApiKey, CreateApiKey, CreatedApiKey } from './schema.ts'
import * as store from './store.ts'

/** Creates a key, which is only in this response. */
export async function createKey(
  ctx: Context,
  id: string,
  { expires_at: wanted = null, ...input }: CreateApiKey,
): Promise<CreatedApiKey> {
  const expiresAt = wanted === null ? null : new Date(wanted)
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    const why = `expires_at is ${wanted}, expected a time in the future`
    throw cannot(ctx, 'invalid_value', why, { param: 'expires_at' })
  }
  const key = makeKey()
  return whileLocked(ctx, async (transaction) => {
    const end = await expiryOf(transaction, ctx)
    if (end !== null && (expiresAt === null || expiresAt > end)) {
      const why = `expires_at is ${wanted}, expected a time up to ${end.toISOString()}, when this key expires`
      throw cannot(ctx, 'invalid_value', why, { param: 'expires_at' })
    }
    const row = { id, ...input, expires_at: expiresAt }
    const after = await store.insertKey(transaction, ctx.accountId, row, key)
    if (after === undefined) throw tooMany(ctx, 'too_many_keys', store.maxKeysPerAccount, 'keys')
    await recordAudit(transaction, ctx, { objectId: id, after })
    return { ...after, key }
  })
}

/** Newest first, 100 by default. */
export function listKeys(ctx: Context, { limit = 100, after }: PageRequest): Promise<Page<ApiKey>> {
  return store.keys.list(ctx.reads, ctx.accountId, { limit, after })
}

/** Revokes a key; it fails from the next request on, on every process. */
export async function deleteKey(ctx: Context, id: string): Promise<void> {
  // Under a lock, so that two admins cannot revoke each other's keys at the same time.
  await whileLocked(ctx, async (transaction) => {
    if (await store.isLastAdminKey(transaction, ctx.accountId, id)) {
      const why =
        'the account would be left without an admin key that never expires, create one first'
      throw cannot(ctx, 'last_admin_key', why)
    }
    const before = await store.keys.delete(transaction, ctx.accountId, { id })
    if (before === undefined) throw notFound(ctx, 'key', id)
    await recordAudit(transaction, ctx, { objectId: id, before })
  })
}

export async function retrieveAccount(ctx: Context): Promise<Account> {
  if (ctx.actor.type === 'user') throw cannot(ctx, 'not_found', 'a person has no key, see /v1/me')
  const account = await store.retrieveAccount(ctx.database, ctx.accountId, ctx.actor.id)
  if (account === undefined) throw cannot(ctx, 'not_found', 'the key was just revoked')
  return account
}
