import type { Agent, CreateAgent } from '../../sdk/generated.ts'
import { numberOf } from '../ui/fields.ts'
import { objectOf, textOf } from '../ui/object-field.tsx'

/** An agent as it is edited. */
export interface Form {
  name: string
  role: string
  category: string
  description: string
  systemPrompt: string
  model: string
  /** Ids; an empty one is not chosen yet. */
  fallbacks: string[]
  maxTokens: string
  capabilities: string[]
  /** Connectors that the agent has without a capability of theirs; kept as they are. */
  unused: string[]
  /** JSON, as it is typed. */
  outputSchema: string
  keepsMemory: boolean
}

export const emptyForm: Form = {
  name: '',
  role: '',
  category: 'General',
  description: '',
  systemPrompt: '',
  model: '',
  fallbacks: [],
  maxTokens: '',
  capabilities: [],
  unused: [],
  outputSchema: '',
  keepsMemory: true,
}

export function formOf(agent: Agent): Form {
  const { name, role, category, systemPrompt, capabilities } = agent
  return {
    name,
    role,
    category,
    systemPrompt,
    capabilities,
    unused: agent.connectors.filter((id) => !connectorsOf(capabilities).has(id)),
    description: agent.description ?? '',
    model: agent.model ?? '',
    fallbacks: agent.fallbacks,
    maxTokens: agent.maxTokens === null ? '' : String(agent.maxTokens),
    outputSchema: textOf(agent.output_schema),
    keepsMemory: agent.memory_enabled,
  }
}

const connectorsOf = (capabilities: string[]): Set<string> =>
  new Set(capabilities.map((id) => id.slice(0, id.indexOf('.'))))

export function bodyOf(form: Form): CreateAgent {
  const { name, role, category, systemPrompt, capabilities, maxTokens } = form
  return {
    name: name.trim(),
    role: role.trim(),
    systemPrompt,
    capabilities,
    connectors: [...connectorsOf(capabilities).union(new Set(form.unused))],
    category: category.trim() === '' ? 'General' : category.trim(),
    description: form.description.trim() === '' ? null : form.description,
    model: form.model === '' ? null : form.model,
    fallbacks: form.fallbacks.filter((id) => id !== ''),
    maxTokens: maxTokens === '' ? null : numberOf(maxTokens),
    output_schema: objectOf(form.outputSchema),
    memory_enabled: form.keepsMemory,
  }
}
