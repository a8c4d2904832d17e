import type { Transaction } from '../db/client.ts'
import { visibleText } from '../safe-text.ts'
import { maxContentLength, type MemoryScope, type MemoryOwner } from './schema.ts'
import { columnsOf, entries, insertEntry, renewEqual } from './store.ts'
import { lockAgent } from '../agents/agents.ts'
import { lockWorkflow } from '../workflows/workflows.ts'

/** `why` is for the agent. */
export type Remembered =
  | { kind: 'stored'; id: string; evictedId: string | null }
  | { kind: 'refused'; why: string }

/**
 * Adds an agent's entry in a run, or dates an equal one anew, whose `id` is returned then. Repeating
 * the same id has no effect. `evictedId` is the entry that it replaced. The agent or workflow is locked until the transaction ends.
 */
export async function rememberFromRun(
  transaction: Transaction,
  note: { accountId: string; scope: MemoryScope; runId: string; id: string; content: string },
): Promise<Remembered> {
  const content = visibleText(note.content)
  const length = Array.from(content).length
  if (content.trim() === '') return refused('content is empty')
  if (length > maxContentLength) {
    return refused(`content has ${length} characters, at most ${maxContentLength}`)
  }
  const { accountId, scope, id, runId } = note
  if (!(await lockOwner(transaction, accountId, scope))) return refused('nobody keeps this memory')
  const equal = await renewEqual(transaction, accountId, scope, { id, content })
  if (equal !== undefined) return { kind: 'stored', id: equal, evictedId: null }
  const entry = { id, content, pinned: false, source: 'agent', runId } as const
  const added = await insertEntry(transaction, accountId, scope, entry)
  return added === undefined
    ? refused('the memory is full and all its entries are pinned')
    : { kind: 'stored', id, evictedId: added.evictedId }
}

function refused(why: string): Remembered {
  return { kind: 'refused', why: `Cannot remember: ${why}` }
}

/**
 * Deletes an entry of the scope for an agent, unless it is pinned: only people can pin, and unpin.
 * False if nothing was deleted.
 */
export async function forgetFromRun(
  transaction: Transaction,
  { accountId, scope, id }: { accountId: string; scope: MemoryScope; id: string },
): Promise<boolean> {
  // The id was written by a model.
  if (!/^mem_[0-9a-z]{26}$/.test(id)) return false
  if (!(await lockOwner(transaction, accountId, scope))) return false
  const where = { id, pinned: false, ...columnsOf(scope) }
  return (await entries.delete(transaction, accountId, where)) !== undefined
}

/**
 * Locks the agent or workflow against other writes to its memory until the transaction ends, so
 * that the limit of a scope holds. Returns whether it exists.
 */
export async function lockOwner(
  transaction: Transaction,
  accountId: string,
  owner: MemoryOwner,
): Promise<boolean> {
  const found =
    owner.kind === 'agent'
      ? await lockAgent(transaction, accountId, owner.agentId)
      : await lockWorkflow(transaction, accountId, owner.workflowId, 'for no key update')
  return found !== undefined
}
