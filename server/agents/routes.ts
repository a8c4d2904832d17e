import Type from 'typebox'
import { created, deleted, list, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { createAgent, deleteAgent, listAgents, retrieveAgent } from './agents.ts'
import { versionOperations } from '../versions/routes.ts'
import { Version, VersionDiff, ifMatch } from '../versions/schema.ts'
import * as schema from './schema.ts'
import { agentVersions, updateAgent } from './versions.ts'

const category = Type.String({
  ...schema.category,
  description: 'Only agents of this category.',
})

export const agents: Resource = {
  tag: 'Agents',
  about: "Standing agents, which any workflow's crew can link.",
  ids: { agents: 'Agent id.', versions: 'Number of the version.' },
  schemas: { ...schema, Version, VersionDiff },
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
      etag: 'version',
      creates: 'agt',
      verb: ({ ctx, reservedId, body }) => createAgent(ctx, reservedId, body),
    }),
    operation({
      id: 'agents.retrieve',
      route: 'GET /v1/agents/:id',
      role: 'viewer',
      action: 'retrieve agent',
      summary: 'Retrieve an agent',
      description: 'The live version.',
      answer: ok(schema.Agent, 'The agent.'),
      etag: 'version',
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
      description:
        'Changes the given fields and creates a version; the next run of every linked workflow uses it. With ' +
        '`draft`, it does not go live. With `If-Match`, it is refused with 412 if another version has gone live.',
      headers: ifMatch,
      body: schema.UpdateAgent,
      answer: ok(schema.Agent, "The agent's live version."),
      etag: 'version',
      verb: ({ ctx, params, headers, body }) =>
        updateAgent(ctx, params.id, body, headers['if-match']),
    }),
    ...versionOperations(agentVersions, {
      shown: schema.Agent,
      version: schema.AgentVersion,
      mustExist: 'Its models, connectors and capabilities',
    }),
    operation({
      id: 'agents.delete',
      route: 'DELETE /v1/agents/:id',
      role: 'member',
      audit: 'agent.deleted',
      action: 'delete agent',
      summary: 'Delete an agent',
      description:
        'Deletes its memory too. Workflows that link it run the step from their own entry, without tools or ' +
        'memory. Runs are kept.',
      answer: deleted('The agent is deleted.'),
      verb: ({ ctx, params }) => deleteAgent(ctx, params.id),
    }),
  ],
}
