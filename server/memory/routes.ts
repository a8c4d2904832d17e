import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { sendPage, toPageRequest } from '../http/pagination.ts'
import { Answers, Deleted, IdParams, PageQuery, Ref } from '../http/schema.ts'
import { visibleText } from '../visible-text.ts'
import { createEntry } from './create.ts'
import { deleteEntry } from './delete.ts'
import { listEntries } from './list.ts'
import type { PathOwner } from './owner.ts'
import { retrieveEntry } from './retrieve.ts'
import * as schema from './schema.ts'
import { updateEntry } from './update.ts'

const tags = ['Memory']
const q = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'Only entries that share a word with it, best match first, in one page.',
  }),
)

/** The memory of agents and that of workflows are alike but for the role. */
export const memoryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.addSchema(schema.MemoryEntry).addSchema(schema.UpdateMemory)
  app.addSchema(schema.CreateAgentMemory).addSchema(schema.CreateWorkflowMemory)

  app.get(
    '/v1/agents/:id/memory',
    {
      config: { operation: 'agents.memory.list', action: 'list memory' },
      schema: {
        operationId: 'agents.memory.list',
        summary: 'List the memory of an agent',
        description: 'Newest first; all of it, or the best matches of `q`.',
        tags,
        params: IdParams('id', 'Agent id.'),
        querystring: Type.Object({ ...PageQuery, q }),
        response: Answers(200, Type.Array(Ref(schema.MemoryEntry)), 'The entries.'),
      },
    },
    async (request, reply) => {
      const { query } = request
      const page = await listEntries(request.ctx, agentOf(request.params), {
        ...toPageRequest(query, 'list memory'),
        q: query.q,
      })
      return { data: sendPage(request, reply, page) }
    },
  )

  app.get(
    '/v1/workflows/:id/memory',
    {
      config: { operation: 'workflows.memory.list', action: 'list memory' },
      schema: {
        operationId: 'workflows.memory.list',
        summary: 'List the memory of a workflow',
        description: 'Of all its roles or of one; newest first, 200 by default.',
        tags,
        params: IdParams('id', 'Workflow id.'),
        querystring: Type.Object({
          ...PageQuery,
          q,
          role: Type.Optional(
            Type.String({ maxLength: 60, description: 'Only entries of this role.' }),
          ),
        }),
        response: Answers(200, Type.Array(Ref(schema.MemoryEntry)), 'The entries.'),
      },
    },
    async (request, reply) => {
      const { query } = request
      const owner = workflowOf(request.params)
      const page = await listEntries(
        request.ctx,
        query.role === undefined ? owner : { ...owner, kind: 'role', role: query.role },
        { ...toPageRequest(query, 'list memory'), q: query.q },
      )
      return { data: sendPage(request, reply, page) }
    },
  )

  app.post(
    '/v1/agents/:id/memory',
    {
      config: { operation: 'agents.memory.create', action: 'create memory entry' },
      preValidation: dropInvisible,
      schema: {
        operationId: 'agents.memory.create',
        summary: 'Add to the memory of an agent',
        description: 'At 200 entries the oldest that is not pinned makes room.',
        tags,
        params: IdParams('id', 'Agent id.'),
        body: Ref(schema.CreateAgentMemory),
        response: Answers(201, Ref(schema.MemoryEntry), 'The new entry.'),
      },
    },
    async (request, reply) => {
      reply.status(201)
      return { data: await createEntry(request.ctx, agentOf(request.params), request.body) }
    },
  )

  app.post(
    '/v1/workflows/:id/memory',
    {
      config: { operation: 'workflows.memory.create', action: 'create memory entry' },
      preValidation: dropInvisible,
      schema: {
        operationId: 'workflows.memory.create',
        summary: 'Add to the memory of a role of a workflow',
        description: 'At 200 entries of the role the oldest that is not pinned makes room.',
        tags,
        params: IdParams('id', 'Workflow id.'),
        body: Ref(schema.CreateWorkflowMemory),
        response: Answers(201, Ref(schema.MemoryEntry), 'The new entry.'),
      },
    },
    async (request, reply) => {
      reply.status(201)
      const { role, ...entry } = request.body
      const scope = { kind: 'role', workflowId: request.params.id, role } as const
      return { data: await createEntry(request.ctx, scope, entry) }
    },
  )

  for (const [noun, ownerOf] of [
    ['agent', agentOf],
    ['workflow', workflowOf],
  ] as const) {
    const path = `/v1/${noun}s/:id/memory/:memoryId`
    const params = Type.Object({
      id: Type.String({ description: `Id of the ${noun}.`, maxLength: 100 }),
      memoryId: Type.String({ description: 'Memory entry id.', maxLength: 100 }),
    })

    app.get(
      path,
      {
        config: { operation: `${noun}s.memory.retrieve`, action: 'retrieve memory entry' },
        schema: {
          operationId: `${noun}s.memory.retrieve`,
          summary: 'Retrieve a memory entry',
          tags,
          params,
          response: Answers(200, Ref(schema.MemoryEntry), 'The entry.'),
        },
      },
      async ({ ctx, params }) => ({
        data: await retrieveEntry(ctx, ownerOf(params), params.memoryId),
      }),
    )

    app.patch(
      path,
      {
        config: { operation: `${noun}s.memory.update`, action: 'update memory entry' },
        preValidation: dropInvisible,
        schema: {
          operationId: `${noun}s.memory.update`,
          summary: 'Update a memory entry',
          description: 'Changes the given fields.',
          tags,
          params,
          body: Ref(schema.UpdateMemory),
          response: Answers(200, Ref(schema.MemoryEntry), 'The changed entry.'),
        },
      },
      async ({ ctx, params, body }) => ({
        data: await updateEntry(ctx, ownerOf(params), params.memoryId, body),
      }),
    )

    app.delete(
      path,
      {
        config: { operation: `${noun}s.memory.delete`, action: 'delete memory entry' },
        schema: {
          operationId: `${noun}s.memory.delete`,
          summary: 'Delete a memory entry',
          tags,
          params,
          response: Answers(200, Ref(Deleted), 'The entry is deleted.'),
        },
      },
      async ({ ctx, params }) => {
        await deleteEntry(ctx, ownerOf(params), params.memoryId)
        return { data: { id: params.memoryId, deleted: true as const } }
      },
    )
  }
}

function agentOf({ id }: { id: string }): Extract<PathOwner, { kind: 'agent' }> {
  return { kind: 'agent', agentId: id }
}

function workflowOf({ id }: { id: string }): Extract<PathOwner, { kind: 'workflow' }> {
  return { kind: 'workflow', workflowId: id }
}

/** Before validation, so that the bounds of the content count what is left. */
async function dropInvisible({ body }: FastifyRequest): Promise<void> {
  const entry = body as { content?: unknown } | null | undefined
  if (typeof entry?.content === 'string') entry.content = visibleText(entry.content)
}
