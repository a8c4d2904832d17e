import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { sendPage, toPageRequest } from '../http/pagination.ts'
import { Answers, Deleted, IdParams, PageQuery, Ref, StringEnum } from '../http/schema.ts'
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

const tags = ['Webhooks']
const params = IdParams('id', 'Endpoint id.')

export const webhookRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.addSchema(schema.WebhookEndpoint).addSchema(schema.WebhookEndpointWithSecret)
  app.addSchema(schema.CreateWebhook).addSchema(schema.UpdateWebhook)
  app.addSchema(schema.DeliveryAttempt).addSchema(schema.WebhookDelivery)

  app.post(
    '/v1/webhooks',
    {
      config: { operation: 'webhooks.create', action: 'create webhook', answersSecret: true },
      schema: {
        operationId: 'webhooks.create',
        summary: 'Create a webhook endpoint',
        description: 'The signing secret is in this answer only. An account has at most 20.',
        tags,
        body: Ref(schema.CreateWebhook),
        response: Answers(201, Ref(schema.WebhookEndpointWithSecret), 'The new endpoint.'),
      },
    },
    async (request, reply) => {
      reply.status(201)
      return { data: await createWebhook(request.ctx, request.body) }
    },
  )

  app.get(
    '/v1/webhooks',
    {
      config: { operation: 'webhooks.list', action: 'list webhooks' },
      schema: {
        operationId: 'webhooks.list',
        summary: 'List webhook endpoints',
        description: 'All of the account, newest first, without secrets.',
        tags,
        querystring: Type.Object(PageQuery),
        response: Answers(200, Type.Array(Ref(schema.WebhookEndpoint)), 'The endpoints.'),
      },
    },
    async (request, reply) => {
      const page = await listWebhooks(request.ctx, toPageRequest(request.query, 'list webhooks'))
      return { data: sendPage(request, reply, page) }
    },
  )

  app.get(
    '/v1/webhooks/:id',
    {
      config: { operation: 'webhooks.retrieve', action: 'retrieve webhook' },
      schema: {
        operationId: 'webhooks.retrieve',
        summary: 'Retrieve a webhook endpoint',
        tags,
        params,
        response: Answers(200, Ref(schema.WebhookEndpoint), 'The endpoint.'),
      },
    },
    async (request) => ({ data: await retrieveWebhook(request.ctx, request.params.id) }),
  )

  app.patch(
    '/v1/webhooks/:id',
    {
      config: { operation: 'webhooks.update', action: 'update webhook' },
      schema: {
        operationId: 'webhooks.update',
        summary: 'Update a webhook endpoint',
        description: 'Making it active again forgets its failures; what is pending goes on.',
        tags,
        params,
        body: Ref(schema.UpdateWebhook),
        response: Answers(200, Ref(schema.WebhookEndpoint), 'The changed endpoint.'),
      },
    },
    async (request) => ({
      data: await updateWebhook(request.ctx, request.params.id, request.body),
    }),
  )

  app.delete(
    '/v1/webhooks/:id',
    {
      config: { operation: 'webhooks.delete', action: 'delete webhook' },
      schema: {
        operationId: 'webhooks.delete',
        summary: 'Delete a webhook endpoint',
        description: 'Deliveries stop at once and their history is removed.',
        tags,
        params,
        response: Answers(200, Ref(Deleted), 'The endpoint is deleted.'),
      },
    },
    async (request) => {
      await deleteWebhook(request.ctx, request.params.id)
      return { data: { id: request.params.id, deleted: true as const } }
    },
  )

  app.post(
    '/v1/webhooks/:id/rotate-secret',
    {
      config: {
        operation: 'webhooks.rotate_secret',
        action: 'rotate secret of webhook',
        answersSecret: true,
      },
      schema: {
        operationId: 'webhooks.rotate_secret',
        summary: 'Make a new signing secret',
        description: 'For 24 hours the old secret signs as well.',
        tags,
        params,
        response: Answers(200, Ref(schema.WebhookEndpointWithSecret), 'With the new secret.'),
      },
    },
    async (request) => ({ data: await rotateSecret(request.ctx, request.params.id) }),
  )

  app.post(
    '/v1/webhooks/:id/test',
    {
      config: { operation: 'webhooks.test', action: 'send test event' },
      schema: {
        operationId: 'webhooks.test',
        summary: 'Send a test event',
        description: 'One attempt, of the type `webhook.test`; its result is in the deliveries.',
        tags,
        params,
        response: Answers(202, Ref(schema.WebhookDelivery), 'The pending delivery.'),
      },
    },
    async (request, reply) => {
      reply.status(202)
      return { data: await sendTest(request.ctx, request.params.id) }
    },
  )

  app.get(
    '/v1/webhooks/:id/deliveries',
    {
      config: { operation: 'webhooks.deliveries', action: 'list deliveries' },
      schema: {
        operationId: 'webhooks.deliveries',
        summary: 'List the deliveries of an endpoint',
        description: 'Newest first, with every attempt; the 50 most recent by default.',
        tags,
        params,
        querystring: Type.Object({
          ...PageQuery,
          status: Type.Optional(
            StringEnum(schema.deliveryStatuses, { description: 'Only deliveries in this status.' }),
          ),
        }),
        response: Answers(200, Type.Array(Ref(schema.WebhookDelivery)), 'A page of deliveries.'),
      },
    },
    async (request, reply) => {
      const page = await listDeliveries(request.ctx, request.params.id, {
        ...toPageRequest(request.query, 'list deliveries'),
        status: request.query.status,
      })
      return { data: sendPage(request, reply, page) }
    },
  )

  app.post(
    '/v1/webhooks/:id/deliveries/:deliveryId/redeliver',
    {
      config: { operation: 'webhooks.redeliver', action: 'redeliver' },
      schema: {
        operationId: 'webhooks.redeliver',
        summary: 'Send an event again',
        description: 'At once, whatever came of it before.',
        tags,
        params: Type.Object({
          id: Type.String({ description: 'Endpoint id.', maxLength: 100 }),
          deliveryId: Type.String({ description: 'Delivery id.', maxLength: 100 }),
        }),
        response: Answers(202, Ref(schema.WebhookDelivery), 'The pending delivery.'),
      },
    },
    async (request, reply) => {
      reply.status(202)
      const { id, deliveryId } = request.params
      return { data: await redeliver(request.ctx, id, deliveryId) }
    },
  )
}
