import type { Rule } from '../policies/schema.ts'
import { AgentDefinition, type CallerTool } from './schema.ts'

/** Defaults of a new agent. */
export const defaultDefinition = {
  description: null,
  category: 'General',
  model: null,
  fallbacks: [] as string[],
  maxTokens: null,
  connectors: [] as string[],
  capabilities: [] as string[],
  tools: [] as CallerTool[],
  rules: [] as Rule[],
  output_schema: null,
  memory_enabled: true,
} as const

/** The content of an agent version: without the status and read-only fields. */
export function definitionOf(agent: AgentDefinition): Record<string, unknown> {
  const all: Record<string, unknown> = { ...agent }
  return Object.fromEntries(
    Object.keys(AgentDefinition.properties).map((name) => [name, all[name]]),
  )
}

/** Reads a stored definition; settings that it lacks were added later and get their defaults. */
export function readDefinition(stored: Record<string, unknown>): AgentDefinition {
  return { ...defaultDefinition, ...(stored as AgentDefinition) }
}
