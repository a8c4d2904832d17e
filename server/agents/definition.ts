import type { Rule } from '../policies/rule.ts'
import { AgentDefinition } from './schema.ts'

/** What an agent has where its creator said nothing. */
export const defaultDefinition = {
  description: null,
  category: 'General',
  model: null,
  fallbacks: [] as string[],
  maxTokens: null,
  connectors: [] as string[],
  capabilities: [] as string[],
  rules: [] as Rule[],
  output_schema: null,
  memory_enabled: true,
} as const

/** What a version of an agent stores: without its status, and without what only the server sets. */
export function definitionOf(agent: AgentDefinition): Record<string, unknown> {
  const all: Record<string, unknown> = { ...agent }
  return Object.fromEntries(
    Object.keys(AgentDefinition.properties).map((name) => [name, all[name]]),
  )
}

/** A stored definition, also one from before a setting was added. */
export function readDefinition(stored: Record<string, unknown>): AgentDefinition {
  return { ...defaultDefinition, ...(stored as AgentDefinition) }
}
