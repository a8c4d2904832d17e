import Type from 'typebox'
import { created, deleted, list, ok } from '../http/answer.ts'
import { operation, type Resource } from '../http/operation.ts'
import { createAgent, deleteAgent, listAgents, retrieveAgent, updateAgent } from './agents.ts'
import * as schema from './schema.ts'

const category = Type.String({
  ...schema.category,
  description: 'Only agents of this category.',
})

export const agents: Resource = {
  tag: 'Agents',
  about: 'Standing agents, which crews of any workflow link.',
  ids: { agents: 'Agent id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'agents.list',
      route: 'GET /v1/agents',
      columns: ['id', 'name', 'status', 'category', 'role', 'model', 'memory_enabled as memory'],
      role: 'viewer',
      action: 'list agents',
      summary: 'List agents',
      description: 'All of the account, newest first.',
      query: { category: Type.Optional(category) },
      answer: list(schema.Agent, 'The agents.'),
      verb: ({ ctx, page, query }) => listAgents(ctx, page, query.category),
    }),
    operation({
      id: 'agents.create',
      route: 'POST /v1/agents',
      cli: { options: { systemPrompt: 'prompt' } },
      role: 'member',
      audit: 'agent.created',
      action: 'create agent',
      summary: 'Create an agent',
      description: 'An account has up to 1,000.',
      body: schema.CreateAgent,
      answer: created(schema.Agent, 'The new agent.'),
      creates: 'agt',
      verb: ({ ctx, reservedId, body }) => createAgent(ctx, reservedId, body),
    }),
    operation({
      id: 'agents.retrieve',
      route: 'GET /v1/agents/:id',
      role: 'viewer',
      action: 'retrieve agent',
      summary: 'Retrieve an agent',
      answer: ok(schema.Agent, 'The agent.'),
      verb: ({ ctx, params }) => retrieveAgent(ctx, params.id),
    }),
    operation({
      id: 'agents.update',
      route: 'PATCH /v1/agents/:id',
      cli: { options: { systemPrompt: 'prompt' } },
      role: 'member',
      audit: 'agent.updated',
      action: 'update agent',
      summary: 'Update an agent',
      description: 'Changes the given fields; every linked workflow has them in its next run.',
      body: schema.UpdateAgent,
      answer: ok(schema.Agent, 'The changed agent.'),
      verb: ({ ctx, params, body }) => updateAgent(ctx, params.id, body),
    }),
    operation({
      id: 'agents.delete',
      route: 'DELETE /v1/agents/:id',
      role: 'member',
      audit: 'agent.deleted',
      action: 'delete agent',
      summary: 'Delete an agent',
      description:
        'Its memory goes with it. Workflows that link it run the step from their own entry, without ' +
        'tools or memory. Runs stay.',
      answer: deleted('The agent is deleted.'),
      verb: ({ ctx, params }) => deleteAgent(ctx, params.id),
    }),
  ],
}
