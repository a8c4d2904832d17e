import type { MemoryEntry, Page, UpdateMemory, WorkflowsMemoryListQuery } from '../../sdk/index.ts'
import { usageError } from '../failure.ts'
import { findAgent, findWorkflow } from '../named.ts'
import { given, type Call } from '../noun.ts'

export interface OwnerOptions {
  agent?: string
  workflow?: string
  role?: string
}

/** The memory of an agent, or of a workflow, behind one face. */
export interface OwnedMemory {
  list(query: Omit<WorkflowsMemoryListQuery, 'role'>): Promise<Page<MemoryEntry>>
  create(body: { content: string; pinned: boolean }): Promise<MemoryEntry>
  update(id: string, body: UpdateMemory): Promise<MemoryEntry>
  delete(id: string): Promise<{ id: string }>
}

/** `action` completes "Cannot …". */
export async function openMemory(
  { muster, options: { agent, workflow, role } }: Call<OwnerOptions>,
  action: string,
): Promise<OwnedMemory> {
  if ((agent === undefined) === (workflow === undefined)) {
    throw usageError(`Cannot ${action}: give --agent, or --workflow`)
  }
  if (agent !== undefined) {
    if (role !== undefined) throw usageError(`Cannot ${action}: --role goes with --workflow`)
    const { id } = await findAgent(muster, action, agent)
    const { memory } = muster.agents
    return {
      list: (query) => memory.list(id, query),
      create: (body) => memory.create(id, body),
      update: (memoryId, body) => memory.update(id, memoryId, body),
      delete: (memoryId) => memory.delete(id, memoryId),
    }
  }
  const { id } = await findWorkflow(muster, action, workflow as string)
  const { memory } = muster.workflows
  return {
    list: (query) => memory.list(id, { ...query, ...given({ role }) }),
    create: (body) => {
      if (role === undefined) throw usageError(`Cannot ${action}: give --role with --workflow`)
      return memory.create(id, { role, ...body })
    },
    update: (memoryId, body) => memory.update(id, memoryId, body),
    delete: (memoryId) => memory.delete(id, memoryId),
  }
}
