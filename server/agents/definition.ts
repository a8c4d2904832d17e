import { AgentDefinition } from './schema.ts'

/** What a version of an agent stores: without its status, and without what only the server sets. */
export function definitionOf(agent: AgentDefinition): Record<string, unknown> {
  const all: Record<string, unknown> = { ...agent }
  return Object.fromEntries(
    Object.keys(AgentDefinition.properties).map((name) => [name, all[name]]),
  )
}
