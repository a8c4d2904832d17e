import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { hashKey, makeKey, prefixOf } from './key.ts'
import { lockAccount } from './lock.ts'
import type { CreateApiKey, CreatedApiKey } from './schema.ts'
import { recordAudit } from './record-audit.ts'
import * as store from './store.ts'

export async function createKey(
  ctx: Context,
  id: string,
  input: CreateApiKey,
): Promise<CreatedApiKey> {
  const expiresAt = input.expires_at == null ? null : new Date(input.expires_at)
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw new DomainError(
      'invalid_value',
      `Cannot create API key: expires_at is ${input.expires_at}, expected a time in the future`,
      { param: 'expires_at' },
    )
  }
  const key = makeKey()
  const row = await ctx.database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, ctx.accountId)
    if (!(await store.makeRoomForKey(transaction, ctx.accountId, id))) return undefined
    const row = await store.insertKey(transaction, {
      id,
      accountId: ctx.accountId,
      name: input.name,
      role: input.role,
      prefix: prefixOf(key),
      hash: hashKey(key),
      expiresAt,
    })
    await recordAudit(transaction, ctx, { objectId: id, after: row })
    return row
  })
  if (row === undefined) {
    throw new DomainError(
      'too_many_keys',
      `Cannot create API key: the account has ${store.maxKeysPerAccount} keys, the maximum`,
    )
  }
  return { ...row, key }
}
