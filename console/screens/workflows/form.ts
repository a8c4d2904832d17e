import type { CrewEntry, UpdateWorkflow, Workflow } from '../../../sdk/generated.ts'
import { toolsFrom } from '../../parts/agents/caller-tools.tsx'
import { connectorsWith, toolsOf } from '../../parts/agents/form.ts'
import { rulesOf, textOfRules } from '../../parts/rules/rules-text.ts'
import { numberOf } from '../../ui/form/fields.ts'
import { objectOf, jsonText } from '../../ui/form/object-field.tsx'

/** A workflow in the form: values as typed text, and a stable key for each entry. */
export interface Form {
  name: string
  description: string
  model: string
  /** Ids; an empty one has not been chosen yet. */
  fallbacks: string[]
  /** JSON text in the field. */
  inputSchema: string
  crew: Entry[]
  pauses: boolean
  asks: boolean
  approvals: 'sensitive' | 'all' | 'never'
  timeoutHours: string
  onTimeout: 'fail' | 'reject'
  /** Roles that may answer. */
  roles: ApproverRole[]
  users: string[]
  /** How many approvals are required. */
  required: string
  /** Minutes; empty to disable. */
  remindAfter: string
  escalateAfter: string
  escalateRoles: ApproverRole[]
  escalateUsers: string[]
  keepsMemory: boolean
  isTool: boolean
  toolName: string
  toolDescription: string
  maxTurns: string
  maxSeconds: string
  maxOutageHours: string
  maxCost: string
  onCost: 'fail' | 'ask'
}

export const approverRoles = ['approver', 'member', 'admin'] as const
type ApproverRole = (typeof approverRoles)[number]

export interface Entry {
  key: string
  role: string
  systemPrompt: string
  model: string
  agentId: string
  /** JSON text in the field. */
  outputSchema: string
  /** For entries without a standing agent, which has its own. */
  capabilities: string[]
  /** JSON text in the field. */
  tools: string
  /** Connectors without a capability; kept unchanged. */
  unused: string[]
  maxTokens: string
  /** JSON text in the field. */
  rules: string
}

export function newEntry(): Entry {
  return {
    key: crypto.getRandomValues(new Uint32Array(2)).join(),
    role: '',
    systemPrompt: '',
    model: '',
    agentId: '',
    outputSchema: '',
    capabilities: [],
    tools: '',
    unused: [],
    maxTokens: '',
    rules: '',
  }
}

export const emptyForm: Form = {
  name: '',
  description: '',
  model: '',
  fallbacks: [],
  inputSchema: '',
  crew: [
    {
      ...newEntry(),
      role: 'planner',
      systemPrompt: 'You are a planner. List the points that a good answer has to make, in order.',
    },
    {
      ...newEntry(),
      role: 'writer',
      systemPrompt: 'You are a writer. Write the answer from the plan, in plain words.',
    },
  ],
  pauses: true,
  asks: true,
  approvals: 'sensitive',
  timeoutHours: '',
  onTimeout: 'fail',
  roles: [...approverRoles],
  users: [],
  required: '1',
  remindAfter: '',
  escalateAfter: '',
  escalateRoles: [],
  escalateUsers: [],
  keepsMemory: true,
  isTool: false,
  toolName: '',
  toolDescription: '',
  maxTurns: '25',
  maxSeconds: '3600',
  maxOutageHours: '24',
  maxCost: '',
  onCost: 'fail',
}

export function workflowForm(workflow: Workflow): Form {
  const { human_in_the_loop: people, limits } = workflow
  return {
    name: workflow.name,
    description: workflow.description ?? '',
    model: workflow.model_inherited ? '' : workflow.model,
    fallbacks: workflow.fallbacks,
    inputSchema: jsonText(workflow.input_schema),
    crew: workflow.crew.map(
      ({ role, systemPrompt, model = '', agentId = '', ...entry }, index) => ({
        key: String(index),
        role,
        systemPrompt,
        model,
        agentId,
        outputSchema: jsonText(entry.output_schema),
        ...toolsOf(entry),
        rules: textOfRules(entry.rules),
      }),
    ),
    pauses: people.enabled,
    asks: people.allow_input,
    approvals: people.approvals,
    timeoutHours: people.timeout_seconds === null ? '' : String(people.timeout_seconds / 3600),
    onTimeout: people.on_timeout,
    roles: approverRoles.filter((role) => people.approvers.roles.includes(role)),
    users: people.approvers.users,
    required: String(people.required_approvals),
    remindAfter: String(people.remind_after_minutes ?? ''),
    escalateAfter: String(people.escalate_after_minutes ?? ''),
    escalateRoles: approverRoles.filter((role) => people.escalate_to.roles.includes(role)),
    escalateUsers: people.escalate_to.users,
    keepsMemory: workflow.memory_enabled,
    isTool: workflow.expose_mcp !== null,
    toolName: workflow.expose_mcp?.name ?? '',
    toolDescription: workflow.expose_mcp?.description ?? '',
    maxTurns: String(limits.max_turns_per_step),
    maxSeconds: String(limits.max_run_seconds),
    maxOutageHours: String(limits.max_outage_seconds / 3600),
    maxCost: limits.max_cost_usd === null ? '' : String(limits.max_cost_usd),
    onCost: limits.on_cost,
  }
}

/** The body for the API. */
export function bodyOf(form: Form): UpdateWorkflow & { name: string } {
  return {
    name: form.name.trim(),
    description: form.description.trim() === '' ? null : form.description,
    model: form.model === '' ? null : form.model,
    fallbacks: form.fallbacks.filter((id) => id !== ''),
    input_schema: objectOf(form.inputSchema),
    crew: form.crew.map(entryOf),
    human_in_the_loop: {
      enabled: form.pauses,
      allow_input: form.asks,
      approvals: form.approvals,
      timeout_seconds: form.timeoutHours === '' ? null : secondsOf(form.timeoutHours),
      on_timeout: form.onTimeout,
      approvers: {
        users: form.users,
        roles: approverRoles.filter((role) => form.roles.includes(role)),
      },
      required_approvals: numberOf(form.required),
      remind_after_minutes: form.remindAfter === '' ? null : numberOf(form.remindAfter),
      escalate_after_minutes: form.escalateAfter === '' ? null : numberOf(form.escalateAfter),
      escalate_to: { users: form.escalateUsers, roles: form.escalateRoles },
    },
    memory_enabled: form.keepsMemory,
    expose_mcp: form.isTool ? toolOf(form) : null,
    limits: {
      max_turns_per_step: numberOf(form.maxTurns),
      max_run_seconds: numberOf(form.maxSeconds),
      max_outage_seconds: secondsOf(form.maxOutageHours),
      max_cost_usd: form.maxCost === '' ? null : numberOf(form.maxCost),
      on_cost: form.onCost,
    },
  }
}

function toolOf({ toolName, toolDescription }: Form): NonNullable<UpdateWorkflow['expose_mcp']> {
  return {
    ...(toolName.trim() !== '' && { name: toolName.trim() }),
    description: toolDescription.trim() === '' ? null : toolDescription.trim(),
  }
}

function entryOf(entry: Entry): CrewEntry {
  const { role, systemPrompt, model, agentId, outputSchema, maxTokens, capabilities } = entry
  const schema = objectOf(outputSchema)
  const connectors = connectorsWith(entry)
  return {
    role: role.trim(),
    systemPrompt,
    ...(model === '' ? {} : { model }),
    ...(agentId === '' ? {} : { agentId }),
    ...(schema === null ? {} : { output_schema: schema }),
    ...(connectors.length === 0 ? {} : { connectors }),
    ...(capabilities.length === 0 ? {} : { capabilities }),
    ...(entry.tools.trim() === '' ? {} : { tools: toolsFrom(entry.tools) }),
    ...(maxTokens === '' ? {} : { maxTokens: numberOf(maxTokens) }),
    ...(entry.rules.trim() === '' ? {} : { rules: rulesOf(entry.rules) }),
  }
}

function secondsOf(hours: string): number {
  const value = numberOf(hours)
  return typeof value === 'number' ? Math.round(value * 3600) : value
}
