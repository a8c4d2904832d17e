import Type from 'typebox'
import { accepted, created, deleted, list, ok } from '../http/answer.ts'
import { operation, type Resource } from '../http/operation.ts'
import { StringEnum } from '../http/schema.ts'
import { createWebhook } from './create.ts'
import { deleteWebhook } from './delete.ts'
import { listDeliveries } from './list-deliveries.ts'
import { listWebhooks } from './list.ts'
import { redeliver } from './redeliver.ts'
import { retrieveWebhook } from './retrieve.ts'
import { rotateSecret } from './rotate-secret.ts'
import * as schema from './schema.ts'
import { sendTest } from './send-test.ts'
import { updateWebhook } from './update.ts'

const status = StringEnum(schema.deliveryStatuses, {
  description: 'Only deliveries in this status.',
})

export const webhooks: Resource = {
  tag: 'Webhooks',
  ids: { webhooks: 'Endpoint id.', deliveries: 'Delivery id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'webhooks.create',
      route: 'POST /v1/webhooks',
      role: 'member',
      audit: 'webhook.created',
      action: 'create webhook',
      summary: 'Create a webhook endpoint',
      description: 'The signing secret is in this answer only. An account has up to 20.',
      body: schema.CreateWebhook,
      answer: created(schema.WebhookEndpointWithSecret, 'The new endpoint.'),
      answersSecret: true,
      creates: 'whk',
      verb: ({ ctx, reservedId, body }) => createWebhook(ctx, reservedId, body),
    }),
    operation({
      id: 'webhooks.list',
      route: 'GET /v1/webhooks',
      role: 'viewer',
      action: 'list webhooks',
      summary: 'List webhook endpoints',
      description: 'All of the account, newest first, without secrets.',
      answer: list(schema.WebhookEndpoint, 'The endpoints.'),
      verb: ({ ctx, page }) => listWebhooks(ctx, page),
    }),
    operation({
      id: 'webhooks.retrieve',
      route: 'GET /v1/webhooks/:id',
      role: 'viewer',
      action: 'retrieve webhook',
      summary: 'Retrieve a webhook endpoint',
      answer: ok(schema.WebhookEndpoint, 'The endpoint.'),
      verb: ({ ctx, params }) => retrieveWebhook(ctx, params.id),
    }),
    operation({
      id: 'webhooks.update',
      route: 'PATCH /v1/webhooks/:id',
      role: 'member',
      audit: 'webhook.updated',
      action: 'update webhook',
      summary: 'Update a webhook endpoint',
      description: 'Making it active again forgets its failures; pending deliveries continue.',
      body: schema.UpdateWebhook,
      answer: ok(schema.WebhookEndpoint, 'The changed endpoint.'),
      verb: ({ ctx, params, body }) => updateWebhook(ctx, params.id, body),
    }),
    operation({
      id: 'webhooks.delete',
      route: 'DELETE /v1/webhooks/:id',
      role: 'member',
      audit: 'webhook.deleted',
      action: 'delete webhook',
      summary: 'Delete a webhook endpoint',
      description: 'Deliveries stop at once and their history is removed.',
      answer: deleted('The endpoint is deleted.'),
      verb: ({ ctx, params }) => deleteWebhook(ctx, params.id),
    }),
    operation({
      id: 'webhooks.rotate_secret',
      route: 'POST /v1/webhooks/:id/rotate-secret',
      role: 'member',
      audit: 'webhook.secret_rotated',
      action: 'rotate secret of webhook',
      summary: 'Rotate the signing secret',
      description: 'For 24 hours the old secret signs as well.',
      answer: ok(schema.WebhookEndpointWithSecret, 'With the new secret.'),
      answersSecret: true,
      verb: ({ ctx, params }) => rotateSecret(ctx, params.id),
    }),
    operation({
      id: 'webhooks.test',
      route: 'POST /v1/webhooks/:id/test',
      role: 'member',
      audit: 'webhook.tested',
      action: 'send test event',
      summary: 'Send a test event',
      description: 'One attempt, of the type `webhook.test`; its result is in the deliveries.',
      answer: accepted(schema.WebhookDelivery, 'The pending delivery.'),
      creates: 'dlv',
      verb: ({ ctx, params, reservedId }) => sendTest(ctx, params.id, reservedId),
    }),
    operation({
      id: 'webhooks.deliveries',
      route: 'GET /v1/webhooks/:id/deliveries',
      role: 'viewer',
      action: 'list deliveries',
      summary: 'List the deliveries of an endpoint',
      description: 'Newest first, with every attempt; the 50 most recent by default.',
      query: { status: Type.Optional(status) },
      answer: list(schema.WebhookDelivery, 'A page of deliveries.'),
      verb: ({ ctx, params, page, query }) =>
        listDeliveries(ctx, params.id, { ...page, status: query.status }),
    }),
    operation({
      id: 'webhooks.redeliver',
      route: 'POST /v1/webhooks/:id/deliveries/:deliveryId/redeliver',
      role: 'member',
      audit: 'webhook.redelivered',
      action: 'redeliver',
      summary: 'Send an event again',
      description: 'At once, whatever came of it before.',
      answer: accepted(schema.WebhookDelivery, 'The pending delivery.'),
      verb: ({ ctx, params }) => redeliver(ctx, params.id, params.deliveryId),
    }),
  ],
}
