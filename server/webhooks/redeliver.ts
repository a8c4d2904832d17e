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
  const delivery = await requestRedelivery(ctx.database, ctx.accountId, endpointId, deliveryId)
  if (delivery === undefined) {
    throw new DomainError('not_found', `Cannot redeliver: no delivery ${deliveryId}`)
  }
  if (delivery === 'too-many') {
    throw new DomainError(
      'too_many_attempts',
      `Cannot redeliver: the delivery has ${maxAttempts} attempts, at most that many`,
    )
  }
  return delivery
}

export function assertActive(endpoint: WebhookEndpoint, action: string): void {
  if (endpoint.active) return
  throw new DomainError('webhook_inactive', `Cannot ${action}: the endpoint is not active`)
}
