import { isRepeated, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { eachOf } from '../../db/page.ts'
import { cannot, notFound } from '../../errors.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { newId } from '../../ids.ts'
import { retrieveWebhook } from './endpoints.ts'
import { makeBody } from './delivery.ts'
import { deliveryStatuses, type WebhookDelivery, type WebhookDeliveryWithBody } from './schema.ts'
import * as store from './store.ts'
import type { Transaction } from '../../db/client.ts'
import { insertDeliveries, type AccountEvent } from './store.ts'

/** Sends an event of the type `webhook.test`, once. */
export async function sendTest(
  ctx: Context,
  endpointId: string,
  id: string,
): Promise<WebhookDelivery> {
  await checkActive(ctx, endpointId)
  return ctx.database.transaction().execute(async (transaction) => {
    const snapshot = {
      webhook_id: endpointId,
      message: 'A test event of Muster.',
    }
    const event = { id, eventId: newId('evt'), snapshot }
    const delivery = await store.insertTestDelivery(transaction, ctx.accountId, endpointId, event)
    if (delivery === undefined) throw notFound(ctx, 'webhook', endpointId)
    await recordAudit(transaction, ctx, {
      objectId: endpointId,
      after: { delivery_id: id },
    })
    return delivery
  })
}

/** Newest first, 50 by default. */
export async function listDeliveries(
  ctx: Context,
  endpointId: string,
  { limit = 50, after }: PageRequest,
  status: WebhookDelivery['status'] | undefined,
): Promise<Page<WebhookDelivery>> {
  await retrieveWebhook(ctx, endpointId)
  const where = { endpoint_id: endpointId }
  const each = eachOf('status', status, deliveryStatuses)
  return store.deliveries.list(ctx.reads, ctx.accountId, { limit, after }, where, each)
}

/** Includes the body, which is built from the same parts at every attempt. */
export async function retrieveDelivery(
  ctx: Context,
  endpointId: string,
  id: string,
): Promise<WebhookDeliveryWithBody> {
  await retrieveWebhook(ctx, endpointId)
  const found = await store.findWithBody(ctx.database, ctx.accountId, endpointId, id)
  if (found === undefined) throw notFound(ctx, 'delivery', id)
  const { snapshot, run, ...delivery } = found
  const { event_type: type, created_at: at } = delivery
  return { ...delivery, body: makeBody({ type, at, snapshot, run }) }
}

/** Sends an event again at once, whatever its earlier outcome. */
export async function redeliver(
  ctx: Context,
  endpointId: string,
  id: string,
): Promise<WebhookDelivery> {
  await checkActive(ctx, endpointId)
  return ctx.database.transaction().execute(async (transaction) => {
    const where = { id, endpoint_id: endpointId }
    const before = await store.deliveries.find(transaction, ctx.accountId, where, 'for update')
    if (before !== undefined && (await isRepeated(transaction, ctx))) return before
    const found = await store.requestRedelivery(transaction, ctx.accountId, endpointId, id)
    if (found === undefined) throw notFound(ctx, 'delivery', id)
    const { is_full: isFull, ...delivery } = found
    if (isFull) {
      const why = `the delivery has ${store.maxAttempts} attempts, the maximum`
      throw cannot(ctx, 'too_many_attempts', why)
    }
    const after = { delivery_id: id, event_id: delivery.event_id }
    await recordAudit(transaction, ctx, { objectId: endpointId, after })
    return delivery
  })
}

async function checkActive(ctx: Context, endpointId: string): Promise<void> {
  const { active } = await retrieveWebhook(ctx, endpointId)
  if (!active) throw cannot(ctx, 'webhook_inactive', 'the endpoint is not active')
}

/** Sends an event to an account's webhooks, in the transaction of its cause. */
export function publishEvent(
  transaction: Transaction,
  accountId: string,
  event: AccountEvent,
): Promise<void> {
  return insertDeliveries(transaction, accountId, event)
}
