import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { created, deleted, list, ok } from '../http/answer-shapes.ts'
import { operation, type CommandHints, type Operation, type Resource } from '../http/operation.ts'
import { Text } from '../wire-types.ts'
import { visibleText } from '../safe-text.ts'
import * as entries from './entries.ts'
import type { PathOwner } from './entries.ts'
import * as schema from './schema.ts'

const q = Type.Optional(
  Text(1_000, 'Only entries that share a word with this text, best match first, on one page.'),
)
const role = Type.Optional(
  Type.String({ maxLength: 60, description: 'Only entries of this role.' }),
)
/** Before validation, so that limits apply to the trimmed content. */
const routeOptions = {
  preValidation: async ({ body }: FastifyRequest): Promise<void> => {
    const entry = body as { content?: unknown } | null | undefined
    if (typeof entry?.content === 'string') entry.content = visibleText(entry.content)
  },
}

const columns = ['id', 'role', 'pinned', 'source as by']
const listColumns = ['id', 'role', 'pinned', 'source as by', 'created_at as written'].concat(
  'last_used_at as used',
  'content',
)
/** One command for both kinds of owner, distinguished by its option `--agent` or `--workflow`. */
const ofOwner = (verb: string): CommandHints => ({ command: `memory ${verb}`, ownerOption: true })

/** Memory of agents and of workflows is the same except for the role. */
export const memory: Resource = {
  tag: 'Memory',
  about: 'Notes of agents and roles that persist across runs.',
  ids: { agents: 'Agent id.', workflows: 'Workflow id.', memory: 'Memory entry id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'agents.memory.list',
      route: 'GET /v1/agents/:id/memory',
      cli: { ...ofOwner('list'), options: { q: 'query' }, limit: 200 },
      columns: listColumns,
      role: 'viewer',
      action: 'list memory',
      summary: 'List the memory of an agent',
      description: 'Newest first; all of it, or the best matches of `q`.',
      query: { q },
      answer: list(schema.MemoryEntry, 'The entries.'),
      verb: ({ ctx, params, page, query }) =>
        entries.listEntries(ctx, agentOf(params), page, query.q),
    }),
    operation({
      id: 'workflows.memory.list',
      route: 'GET /v1/workflows/:id/memory',
      cli: { ...ofOwner('list'), options: { q: 'query' }, limit: 200 },
      columns: listColumns,
      role: 'viewer',
      action: 'list memory',
      summary: 'List the memory of a workflow',
      description: 'Of all its roles or of one; newest first, 200 by default.',
      query: { q, role },
      answer: list(schema.MemoryEntry, 'The entries.'),
      verb: ({ ctx, params, page, query }) => {
        const { q, role } = query
        const owner = role === undefined ? workflowOf(params) : roleOf(params, role)
        return entries.listEntries(ctx, owner, page, q)
      },
    }),
    operation({
      id: 'agents.memory.create',
      route: 'POST /v1/agents/:id/memory',
      cli: { ...ofOwner('add'), args: ['content'], options: { pinned: 'pin' } },
      columns,
      role: 'member',
      audit: 'memory_entry.created',
      action: 'create memory entry',
      summary: 'Add to the memory of an agent',
      description: 'At 200 entries, the oldest unpinned one is replaced.',
      body: schema.CreateAgentMemory,
      answer: created(schema.MemoryEntry, 'The new entry.'),
      creates: 'mem',
      routeOptions,
      verb: ({ ctx, params, reservedId, body }) =>
        entries.createEntry(ctx, agentOf(params), reservedId, body),
    }),
    operation({
      id: 'workflows.memory.create',
      route: 'POST /v1/workflows/:id/memory',
      cli: { ...ofOwner('add'), args: ['content'], options: { pinned: 'pin' } },
      columns,
      role: 'member',
      audit: 'memory_entry.created',
      action: 'create memory entry',
      summary: 'Add to the memory of a role of a workflow',
      description: 'At 200 entries of the role, the oldest unpinned one is replaced.',
      body: schema.CreateWorkflowMemory,
      answer: created(schema.MemoryEntry, 'The new entry.'),
      creates: 'mem',
      routeOptions,
      verb: ({ ctx, params, reservedId, body: { role, ...entry } }) =>
        entries.createEntry(ctx, roleOf(params, role), reservedId, entry),
    }),
    ...entryOperations('agent', agentOf),
    ...entryOperations('workflow', workflowOf),
  ],
}

function entryOperations(
  noun: 'agent' | 'workflow',
  ownerOf: (params: { id: string }) => PathOwner,
): Operation[] {
  const path = `/v1/${noun}s/:id/memory/:memoryId` as const
  return [
    operation({
      id: `${noun}s.memory.retrieve`,
      route: `GET ${path}`,
      cli: ofOwner('show'),
      columns,
      role: 'viewer',
      action: 'retrieve memory entry',
      summary: 'Retrieve a memory entry',
      description: 'One note, with where it comes from and when it was last used.',
      answer: ok(schema.MemoryEntry, 'The entry.'),
      verb: ({ ctx, params }) => entries.retrieveEntry(ctx, ownerOf(params), params.memoryId),
    }),
    operation({
      id: `${noun}s.memory.update`,
      route: `PATCH ${path}`,
      cli: {
        ...ofOwner('update'),
        verbs: {
          pin: [{ pinned: true }, 'always show an entry and never replace it'],
          unpin: [{ pinned: false }, 'show an entry only if it fits, and allow replacing it'],
        },
      },
      role: 'member',
      audit: 'memory_entry.updated',
      action: 'update memory entry',
      summary: 'Update a memory entry',
      description: 'Changes the given fields.',
      body: schema.UpdateMemory,
      answer: ok(schema.MemoryEntry, 'The changed entry.'),
      routeOptions,
      verb: ({ ctx, params, body }) =>
        entries.updateEntry(ctx, ownerOf(params), params.memoryId, body),
    }),
    operation({
      id: `${noun}s.memory.delete`,
      route: `DELETE ${path}`,
      cli: ofOwner('delete'),
      role: 'member',
      audit: 'memory_entry.deleted',
      action: 'delete memory entry',
      summary: 'Delete a memory entry',
      description: 'Later runs do not recall it.',
      answer: deleted('The entry is deleted.'),
      verb: ({ ctx, params }) => entries.deleteEntry(ctx, ownerOf(params), params.memoryId),
    }),
  ]
}

function agentOf({ id }: { id: string }): Extract<PathOwner, { kind: 'agent' }> {
  return { kind: 'agent', agentId: id }
}

function workflowOf({ id }: { id: string }): Extract<PathOwner, { kind: 'workflow' }> {
  return { kind: 'workflow', workflowId: id }
}

function roleOf({ id }: { id: string }, role: string) {
  return { kind: 'role', workflowId: id, role } as const
}
