import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { sendPage, toPageRequest } from '../http/pagination.ts'
import { Answers, Deleted, IdParams, PageQuery, Ref } from '../http/schema.ts'
import { createWorkflow } from './create.ts'
import { deleteWorkflow } from './delete.ts'
import { listWorkflows } from './list.ts'
import { retrieveWorkflow } from './retrieve.ts'
import * as schema from './schema.ts'
import { updateWorkflow } from './update.ts'

const tags = ['Workflows']
const params = IdParams('id', 'Workflow id.')

export const workflowRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.addSchema(schema.CrewEntry).addSchema(schema.HumanInTheLoop).addSchema(schema.Limits)
  app.addSchema(schema.Workflow).addSchema(schema.CreatedWorkflow)
  app.addSchema(schema.CreateWorkflow).addSchema(schema.UpdateWorkflow)

  app.get(
    '/v1/workflows',
    {
      config: { operation: 'workflows.list', action: 'list workflows' },
      schema: {
        operationId: 'workflows.list',
        summary: 'List workflows',
        description: 'All of the account, most recently updated first.',
        tags,
        querystring: Type.Object(PageQuery),
        response: Answers(200, Type.Array(Ref(schema.Workflow)), 'The workflows.'),
      },
    },
    async (request, reply) => {
      const page = await listWorkflows(request.ctx, toPageRequest(request.query, 'list workflows'))
      return { data: sendPage(request, reply, page) }
    },
  )

  app.post(
    '/v1/workflows',
    {
      config: { operation: 'workflows.create', action: 'create workflow' },
      schema: {
        operationId: 'workflows.create',
        summary: 'Create a workflow',
        description: 'Without `crew` it gets a planner and a writer.',
        tags,
        body: Ref(schema.CreateWorkflow),
        response: Answers(201, Ref(schema.CreatedWorkflow), 'The new workflow.'),
      },
    },
    async (request, reply) => {
      reply.status(201)
      return { data: await createWorkflow(request.ctx, request.body) }
    },
  )

  app.get(
    '/v1/workflows/:id',
    {
      config: { operation: 'workflows.retrieve', action: 'retrieve workflow' },
      schema: {
        operationId: 'workflows.retrieve',
        summary: 'Retrieve a workflow',
        tags,
        params,
        response: Answers(200, Ref(schema.Workflow), 'The workflow.'),
      },
    },
    async (request) => ({ data: await retrieveWorkflow(request.ctx, request.params.id) }),
  )

  app.patch(
    '/v1/workflows/:id',
    {
      config: { operation: 'workflows.update', action: 'update workflow' },
      schema: {
        operationId: 'workflows.update',
        summary: 'Update a workflow',
        description: 'Changes the given fields. Runs that have begun keep what they froze.',
        tags,
        params,
        body: Ref(schema.UpdateWorkflow),
        response: Answers(200, Ref(schema.Workflow), 'The changed workflow.'),
      },
    },
    async (request) => ({
      data: await updateWorkflow(request.ctx, request.params.id, request.body),
    }),
  )

  app.delete(
    '/v1/workflows/:id',
    {
      config: { operation: 'workflows.delete', action: 'delete workflow' },
      schema: {
        operationId: 'workflows.delete',
        summary: 'Delete a workflow',
        description: 'Refused while a run is not finished. Its runs stay readable by id.',
        tags,
        params,
        response: Answers(200, Ref(Deleted), 'The workflow is deleted.'),
      },
    },
    async (request) => {
      await deleteWorkflow(request.ctx, request.params.id)
      return { data: { id: request.params.id, deleted: true as const } }
    },
  )
}
