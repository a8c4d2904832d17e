import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { sendPage, toPageRequest } from '../http/pagination.ts'
import { Answers, Deleted, IdParams, PageQuery, Ref } from '../http/schema.ts'
import { createKey } from './create-key.ts'
import { deleteKey } from './delete-key.ts'
import { listKeys } from './list-keys.ts'
import { retrieveAccount } from './retrieve-account.ts'
import { Account, ApiKey, CreateApiKey, CreatedApiKey } from './schema.ts'

const tags = ['Accounts']

export const accountRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.addSchema(Account).addSchema(ApiKey).addSchema(CreatedApiKey).addSchema(CreateApiKey)

  app.get(
    '/v1/account',
    {
      config: { operation: 'account.retrieve', action: 'retrieve account' },
      schema: {
        operationId: 'account.retrieve',
        summary: 'Tell a key who it is',
        tags,
        response: Answers(200, Ref(Account), 'The account and the key that asks.'),
      },
    },
    async (request) => ({ data: await retrieveAccount(request.ctx) }),
  )

  app.get(
    '/v1/api-keys',
    {
      config: { operation: 'api_keys.list', action: 'list API keys' },
      schema: {
        operationId: 'api_keys.list',
        summary: 'List API keys',
        description: 'Newest first; 100 by default.',
        tags,
        querystring: Type.Object(PageQuery),
        response: Answers(200, Type.Array(Ref(ApiKey)), 'A page of keys.'),
      },
    },
    async (request, reply) => {
      const page = await listKeys(request.ctx, toPageRequest(request.query, 'list API keys'))
      return { data: sendPage(request, reply, page) }
    },
  )

  app.post(
    '/v1/api-keys',
    {
      config: { operation: 'api_keys.create', action: 'create API key', answersSecret: true },
      schema: {
        operationId: 'api_keys.create',
        summary: 'Create an API key',
        description: 'The key is in this answer only.',
        tags,
        body: Ref(CreateApiKey),
        response: Answers(201, Ref(CreatedApiKey), 'The new key.'),
      },
    },
    async (request, reply) => {
      reply.status(201)
      return { data: await createKey(request.ctx, request.body) }
    },
  )

  app.delete(
    '/v1/api-keys/:id',
    {
      config: { operation: 'api_keys.delete', action: 'delete API key' },
      schema: {
        operationId: 'api_keys.delete',
        summary: 'Revoke an API key',
        description: 'It stops to work at once, on every process.',
        tags,
        params: IdParams('id', 'Key id.'),
        response: Answers(200, Ref(Deleted), 'The key is revoked.'),
      },
    },
    async (request) => {
      await deleteKey(request.ctx, request.params.id)
      return { data: { id: request.params.id, deleted: true as const } }
    },
  )
}
