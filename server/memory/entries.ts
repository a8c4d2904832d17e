import { recordAudit } from '../audit/record.ts'
import { retrieveAgent } from '../agents/agents.ts'
import type { Context } from '../context.ts'
import type { Database, Transaction } from '../db/client.ts'
import { cannot, notFound } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { requireWorkflow } from '../workflows/workflows.ts'
import { lockOwner } from './remember.ts'
import {
  type CreateAgentMemory,
  type MemoryEntry,
  type UpdateMemory,
  maxEntriesPerScope,
  type MemoryOwner,
  type MemoryScope,
} from './schema.ts'
import { searchEntries } from './search.ts'
import * as store from './store.ts'

/**
 * Memory of agents across runs: short entries that belong to an agent or to a role of a workflow,
 * at most 200 each. People write entries with the operations here, agents with `remember.ts` during
 * a run; in a full memory a new entry replaces the oldest that is not pinned. For a step,
 * `recall.ts` selects the pinned entries and the best matches for its text. Deleting the agent or
 * workflow deletes its memory.
 */

/** Operations on memory. A path names an agent, or a workflow with all its roles. */
export type PathOwner = Exclude<MemoryOwner, { kind: 'role' }>

/** Adds a person's entry; in a full scope it replaces the oldest entry that is not pinned. */
export async function createEntry(
  ctx: Context,
  scope: MemoryScope,
  id: string,
  { content, pinned = false }: CreateAgentMemory,
): Promise<MemoryEntry> {
  if (scope.kind === 'role') await checkRole(ctx, scope)
  const { accountId, log } = ctx
  const { entry, evictedId } = await writeMemory(ctx, scope, async (transaction) => {
    const fields = { id, content, pinned, source: 'user', runId: null } as const
    const added = await store.insertEntry(transaction, accountId, scope, fields)
    if (added === undefined) {
      const why = 'the memory is full and all its entries are pinned, unpin or delete one'
      throw cannot(ctx, 'memory_full', why)
    }
    await recordAudit(transaction, ctx, { objectId: id, after: added.entry })
    return added
  })
  if (evictedId !== null) {
    const { agent_id: agentId, workflow_id: workflowId } = entry
    log.info({ accountId, agentId, workflowId, entryId: id, evictedId }, 'memory entry evicted')
  }
  return entry
}

/**
 * Newest first, 200 by default. With `q`: entries that share a word with it, best match first, on
 * one page.
 */
export async function listEntries(
  ctx: Context,
  owner: MemoryOwner,
  { limit = maxEntriesPerScope, after }: PageRequest,
  q: string | undefined,
): Promise<Page<MemoryEntry>> {
  await checkOwner(ctx, owner)
  if (q === undefined) {
    const where = store.columnsOf(owner)
    return store.entries.list(ctx.reads, ctx.accountId, { limit, after }, where)
  }
  if (after !== undefined) {
    const why = 'after goes without q, whose matches are one page'
    throw cannot(ctx, 'invalid_cursor', why, { param: 'after' })
  }
  return { items: await searchEntries(ctx, owner, q, limit), next: undefined }
}

export async function retrieveEntry(
  ctx: Context,
  owner: PathOwner,
  id: string,
): Promise<MemoryEntry> {
  await checkOwner(ctx, owner)
  return findEntry(ctx, ctx.database, owner, id)
}

/** Changes the given fields. */
export function updateEntry(
  ctx: Context,
  owner: PathOwner,
  id: string,
  input: UpdateMemory,
): Promise<MemoryEntry> {
  return writeMemory(ctx, owner, async (transaction) => {
    const before = await findEntry(ctx, transaction, owner, id)
    const after = await store.updateEntry(transaction, ctx.accountId, id, input)
    await recordAudit(transaction, ctx, { objectId: id, before, after })
    return after
  })
}

export async function deleteEntry(ctx: Context, owner: PathOwner, id: string): Promise<void> {
  await writeMemory(ctx, owner, async (transaction) => {
    const before = await findEntry(ctx, transaction, owner, id)
    await store.entries.delete(transaction, ctx.accountId, { id })
    await recordAudit(transaction, ctx, { objectId: id, before })
  })
}

async function findEntry(
  ctx: Context,
  database: Database | Transaction,
  owner: PathOwner,
  id: string,
): Promise<MemoryEntry> {
  const where = { id, ...store.columnsOf(owner) }
  const entry = await store.entries.find(database, ctx.accountId, where)
  if (entry === undefined) throw notFound(ctx, 'memory entry', id)
  return entry
}

/** Throws if the agent or workflow does not exist. */
async function checkOwner(ctx: Context, owner: MemoryOwner): Promise<void> {
  if (owner.kind === 'agent') await retrieveAgent(ctx, owner.agentId)
  else await requireWorkflow(ctx, owner.workflowId)
}

async function checkRole(
  ctx: Context,
  { workflowId, role }: Extract<MemoryScope, { kind: 'role' }>,
): Promise<void> {
  const { crew } = await requireWorkflow(ctx, workflowId)
  const roles = crew.map((entry) => entry.role)
  if (roles.includes(role)) return
  const why = `role is ${JSON.stringify(role)}, expected the crew's: ${roles.join(', ')}`
  throw cannot(ctx, 'unknown_role', why, { param: 'role' })
}

/** Writes memory under the lock of its owner. */
function writeMemory<T>(
  ctx: Context,
  owner: MemoryOwner,
  write: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return ctx.database.transaction().execute(async (transaction) => {
    if (!(await lockOwner(transaction, ctx.accountId, owner))) {
      throw owner.kind === 'agent'
        ? notFound(ctx, 'agent', owner.agentId)
        : notFound(ctx, 'workflow', owner.workflowId)
    }
    return write(transaction)
  })
}
