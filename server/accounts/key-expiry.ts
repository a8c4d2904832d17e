import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { cannot } from '../errors.ts'
import { refuseEnded } from './authenticate.ts'
import * as store from './store.ts'

/**
 * Access that an expiring key grants must not outlive it: it expires with the key, or is refused,
 * and an expired key grants nothing. Null for a person, and for a key that never expires.
 */
export async function expiryOf(transaction: Transaction, ctx: Context): Promise<Date | null> {
  await refuseEnded(transaction, ctx)
  const own = await store.keys.find(transaction, ctx.accountId, { id: ctx.actor.id })
  return own?.expires_at ?? null
}

/** Throws if an expiring key tries to grant access without an expiry. */
export async function refuseIfExpiring(transaction: Transaction, ctx: Context): Promise<void> {
  const end = await expiryOf(transaction, ctx)
  if (end === null) return
  const why = `the key that asks expires at ${end.toISOString()}, and this access would not; ask an admin, or use a key that never expires`
  throw cannot(ctx, 'key_expires', why)
}
