import type { AuditEntry } from '../../../sdk/generated.ts'
import { useAgents } from '../../data/agents.ts'
import { useApiKeys, useUsers } from '../../data/people.ts'
import { useWorkflows } from '../../data/workflows.ts'

/**
 * Entries contain only changed fields, so names come from the current lists; unknown objects are
 * shown by id.
 */
export function useObjectNames(): (entry: AuditEntry) => string {
  const workflows = useWorkflows().data ?? []
  const agents = useAgents().data ?? []
  const users = useUsers({}).data ?? []
  const keys = useApiKeys().data ?? []
  const names = new Map(
    [...workflows, ...agents, ...users, ...keys].map(({ id, name }) => [id, name]),
  )
  return ({ object, before, after }) => {
    const fields = { ...before, ...after }
    const workflow = object.type === 'run' ? names.get(String(fields['workflow_id'])) : undefined
    if (workflow !== undefined) return `of ${workflow}`
    if (object.type === 'connector') return object.id
    const told = ['name', 'email', 'url'].map((field) => fields[field])
    return told.find((text) => typeof text === 'string') ?? names.get(object.id) ?? object.id
  }
}
