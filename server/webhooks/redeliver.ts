import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { retrieveWebhook } from './retrieve.ts'
import type { WebhookDelivery, WebhookEndpoint } from './schema.ts'
import { maxAttempts, requestRedelivery } from './store.ts'

/** Sends an event again, at once and whatever came of it before. */
export async function redeliver(
  ctx: Context,
  endpointId: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  assertActive(await retrieveWebhook(ctx, endpointId, 'redeliver'), 'redeliver')
  return ctx.database.transaction().execute(async (transaction) => {
    const delivery = await requestRedelivery(transaction, ctx.accountId, endpointId, deliveryId)
    if (delivery === undefined) {
      throw new DomainError('not_found', `Cannot redeliver: no delivery ${deliveryId}`)
    }
    if (delivery === 'too-many') {
      throw new DomainError(
        'too_many_attempts',
        `Cannot redeliver: the delivery has ${maxAttempts} attempts, the maximum`,
      )
    }
    const after = { delivery_id: deliveryId, event_id: delivery.event_id }
    await recordAudit(transaction, ctx, { objectId: endpointId, after })
    return delivery
  })
}

export function assertActive(endpoint: WebhookEndpoint, action: string): void {
  if (endpoint.active) return
  throw new DomainError('webhook_inactive', `Cannot ${action}: the endpoint is not active`)
}
