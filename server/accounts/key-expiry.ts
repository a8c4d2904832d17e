import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { cannot } from '../errors.ts'
import { refuseEnded } from './authenticate.ts'
import * as store from './store.ts'

/**
 * What ends must not go on under another name: what a key that expires grants ends with it, or is
 * refused, and what has ended meanwhile grants nothing. Null for a person, and for a key that never expires.
 */
export async function expiryOf(transaction: Transaction, ctx: Context): Promise<Date | null> {
  await refuseEnded(transaction, ctx)
  const own = await store.keys.find(transaction, ctx.accountId, { id: ctx.actor.id })
  return own?.expires_at ?? null
}

/** Refuses access without an end where the caller's own key has one. */
export async function refuseIfExpiring(transaction: Transaction, ctx: Context): Promise<void> {
  const end = await expiryOf(transaction, ctx)
  if (end === null) return
  const why = `the key that asks expires at ${end.toISOString()}, and this access would not; ask an admin, or use a key that never expires`
  throw cannot(ctx, 'key_expires', why)
}
