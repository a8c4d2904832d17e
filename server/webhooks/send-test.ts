import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { newId } from '../ids.ts'
import { assertActive } from './redeliver.ts'
import { retrieveWebhook, webhookNotFound } from './retrieve.ts'
import type { WebhookDelivery } from './schema.ts'
import { insertTestDelivery } from './store.ts'

/** Sends an event of the type `webhook.test`, once. */
export async function sendTest(
  ctx: Context,
  endpointId: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  assertActive(await retrieveWebhook(ctx, endpointId, 'send test event'), 'send test event')
  return ctx.database.transaction().execute(async (transaction) => {
    const delivery = await insertTestDelivery(transaction, ctx.accountId, endpointId, {
      id: deliveryId,
      eventId: newId('evt'),
      snapshot: { webhook_id: endpointId, message: 'A test event of Muster.' },
    })
    if (delivery === undefined) throw webhookNotFound('send test event', endpointId)
    const after = { delivery_id: deliveryId }
    await recordAudit(transaction, ctx, { objectId: endpointId, after })
    return delivery
  })
}
