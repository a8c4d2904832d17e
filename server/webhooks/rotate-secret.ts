import type { Context } from '../context.ts'
import { webhookNotFound } from './retrieve.ts'
import type { WebhookEndpointWithSecret } from './schema.ts'
import { sealSecret } from './secret.ts'
import { makeSecret } from './sign.ts'
import * as store from './store.ts'

/** A new secret; for 24 hours the old one signs as well. */
export async function rotateSecret(ctx: Context, id: string): Promise<WebhookEndpointWithSecret> {
  const secret = makeSecret()
  const sealed = sealSecret(ctx.secrets, id, secret)
  const endpoint = await store.rotateSecret(ctx.database, ctx.accountId, id, sealed)
  if (endpoint === undefined) throw webhookNotFound('rotate secret of webhook', id)
  return { ...endpoint, secret }
}
