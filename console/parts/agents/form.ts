import type { Agent, CreateAgent, CrewEntry } from '../../../sdk/generated.ts'
import { numberOf } from '../../ui/form/fields.ts'
import { rulesOf, textOfRules } from '../rules/rules-text.ts'
import { textOfTools, toolsFrom } from './caller-tools.tsx'
import { objectOf, jsonText } from '../../ui/form/object-field.tsx'

/** The form of an agent. */
export interface Form {
  name: string
  role: string
  category: string
  description: string
  systemPrompt: string
  model: string
  /** Ids; an empty one has not been chosen yet. */
  fallbacks: string[]
  maxTokens: string
  capabilities: string[]
  /** Tools of processes of the account, as JSON text in the field. */
  tools: string
  /** Connectors of the agent without a capability; kept unchanged. */
  unused: string[]
  /** JSON text in the field. */
  outputSchema: string
  /** JSON text in the field. */
  rules: string
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
  tools: '',
  unused: [],
  outputSchema: '',
  rules: '',
  keepsMemory: true,
}

export function agentForm(agent: Agent): Form {
  const { name, role, category, systemPrompt } = agent
  return {
    name,
    role,
    category,
    systemPrompt,
    ...toolsOf(agent),
    description: agent.description ?? '',
    model: agent.model ?? '',
    fallbacks: agent.fallbacks,
    outputSchema: jsonText(agent.output_schema),
    rules: textOfRules(agent.rules),
    keepsMemory: agent.memory_enabled,
  }
}

/** Capabilities in the API's form, for agents and crew entries. */
export function toolsOf({
  connectors = [],
  capabilities = [],
  maxTokens,
  tools,
}: Pick<CrewEntry, 'connectors' | 'capabilities' | 'tools'> & { maxTokens?: number | null }): Pick<
  Form,
  'capabilities' | 'unused' | 'maxTokens' | 'tools'
> {
  const used = connectorsOf(capabilities)
  return {
    capabilities,
    unused: connectors.filter((id) => !used.has(id)),
    tools: textOfTools(tools),
    maxTokens: maxTokens == null ? '' : String(maxTokens),
  }
}

export function connectorsWith({
  capabilities,
  unused,
}: Pick<Form, 'capabilities' | 'unused'>): string[] {
  return [...connectorsOf(capabilities).union(new Set(unused))]
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
    connectors: connectorsWith(form),
    tools: toolsFrom(form.tools),
    category: category.trim() === '' ? 'General' : category.trim(),
    description: form.description.trim() === '' ? null : form.description,
    model: form.model === '' ? null : form.model,
    fallbacks: form.fallbacks.filter((id) => id !== ''),
    maxTokens: maxTokens === '' ? null : numberOf(maxTokens),
    output_schema: objectOf(form.outputSchema),
    rules: rulesOf(form.rules),
    memory_enabled: form.keepsMemory,
  }
}
