import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { webhookNotFound } from './retrieve.ts'
import type { WebhookEndpointWithSecret } from './schema.ts'
import { sealSecret } from './secret.ts'
import { makeSecret } from './sign.ts'
import * as store from './store.ts'

/** A new secret; for 24 hours the old one signs as well. */
export async function rotateSecret(ctx: Context, id: string): Promise<WebhookEndpointWithSecret> {
  const secret = makeSecret()
  const sealed = sealSecret(ctx, id, secret)
  return ctx.database.transaction().execute(async (transaction) => {
    const endpoint = await store.rotateSecret(transaction, ctx.accountId, id, sealed)
    if (endpoint === undefined) throw webhookNotFound('rotate secret of webhook', id)
    await recordAudit(transaction, ctx, { objectId: id })
    return { ...endpoint, secret }
  })
}
