import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { sendPage, toPageRequest } from '../http/pagination.ts'
import { Answers, Deleted, IdParams, PageQuery, Ref } from '../http/schema.ts'
import { createAgent } from './create.ts'
import { deleteAgent } from './delete.ts'
import { listAgents } from './list.ts'
import { retrieveAgent } from './retrieve.ts'
import * as schema from './schema.ts'
import { updateAgent } from './update.ts'

const tags = ['Agents']
const params = IdParams('id', 'Agent id.')

export const agentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.addSchema(schema.Agent).addSchema(schema.CreateAgent).addSchema(schema.UpdateAgent)

  app.get(
    '/v1/agents',
    {
      config: { operation: 'agents.list', action: 'list agents' },
      schema: {
        operationId: 'agents.list',
        summary: 'List agents',
        description: 'All of the account, newest first.',
        tags,
        querystring: Type.Object({
          ...PageQuery,
          category: Type.Optional(
            Type.String({ ...schema.category, description: 'Only agents of this category.' }),
          ),
        }),
        response: Answers(200, Type.Array(Ref(schema.Agent)), 'The agents.'),
      },
    },
    async (request, reply) => {
      const page = await listAgents(request.ctx, {
        ...toPageRequest(request.query, 'list agents'),
        category: request.query.category,
      })
      return { data: sendPage(request, reply, page) }
    },
  )

  app.post(
    '/v1/agents',
    {
      config: { operation: 'agents.create', action: 'create agent' },
      schema: {
        operationId: 'agents.create',
        summary: 'Create an agent',
        description: 'An account has at most 1,000.',
        tags,
        body: Ref(schema.CreateAgent),
        response: Answers(201, Ref(schema.Agent), 'The new agent.'),
      },
    },
    async (request, reply) => {
      reply.status(201)
      return { data: await createAgent(request.ctx, request.body) }
    },
  )

  app.get(
    '/v1/agents/:id',
    {
      config: { operation: 'agents.retrieve', action: 'retrieve agent' },
      schema: {
        operationId: 'agents.retrieve',
        summary: 'Retrieve an agent',
        tags,
        params,
        response: Answers(200, Ref(schema.Agent), 'The agent.'),
      },
    },
    async (request) => ({ data: await retrieveAgent(request.ctx, request.params.id) }),
  )

  app.patch(
    '/v1/agents/:id',
    {
      config: { operation: 'agents.update', action: 'update agent' },
      schema: {
        operationId: 'agents.update',
        summary: 'Update an agent',
        description: 'Changes the given fields; every linked workflow has them in its next run.',
        tags,
        params,
        body: Ref(schema.UpdateAgent),
        response: Answers(200, Ref(schema.Agent), 'The changed agent.'),
      },
    },
    async (request) => ({
      data: await updateAgent(request.ctx, request.params.id, request.body),
    }),
  )

  app.delete(
    '/v1/agents/:id',
    {
      config: { operation: 'agents.delete', action: 'delete agent' },
      schema: {
        operationId: 'agents.delete',
        summary: 'Delete an agent',
        description:
          'Its memory goes with it. Workflows that link it run the step from their own entry, without ' +
          'tools or memory. Runs stay.',
        tags,
        params,
        response: Answers(200, Ref(Deleted), 'The agent is deleted.'),
      },
    },
    async (request) => {
      await deleteAgent(request.ctx, request.params.id)
      return { data: { id: request.params.id, deleted: true as const } }
    },
  )
}
