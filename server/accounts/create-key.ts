import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { hashKey, makeKey, prefixOf } from './key.ts'
import type { CreateApiKey, CreatedApiKey } from './schema.ts'
import { insertKey } from './store.ts'

export async function createKey(ctx: Context, input: CreateApiKey): Promise<CreatedApiKey> {
  const expiresAt = input.expires_at == null ? null : new Date(input.expires_at)
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw new DomainError(
      'invalid_value',
      `Cannot create API key: expires_at is ${input.expires_at}, accepted is a time in the future`,
      { param: 'expires_at' },
    )
  }
  const key = makeKey()
  const row = await insertKey(ctx.database, {
    id: ctx.newId('key'),
    accountId: ctx.accountId,
    name: input.name,
    role: input.role,
    prefix: prefixOf(key),
    hash: hashKey(key),
    expiresAt,
  })
  return { ...row, key }
}
