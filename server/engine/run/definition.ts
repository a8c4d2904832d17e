import { createHash } from 'node:crypto'
import type { CallerTool } from '../../tools/caller-tools.ts'
import type { StepStart } from './step.ts'

/**
 * What a run executes: frozen when it starts, and stored by its hash so that runs with the same
 * content share it.
 */
export interface Definition {
  crew: Agent[]
  humanInTheLoop: HumanInTheLoop
  limits: Limits
  /** Left out until a person allows the run to cost more. */
  approved?: ApprovedCost
}

/**
 * The total cost that a person allowed one run. A fork shares the definition of its run, but not
 * this.
 */
export interface ApprovedCost {
  runId: string
  /** Replaces `limits.max_cost_usd`. */
  maxCostUsd?: number
  /** Budgets that ask do not stop the run below this cost. */
  beyondBudgetsUsd?: number
}

/** One agent of a frozen crew, its model resolved. */
export interface Agent {
  role: string
  instructions: string
  model: string
  /** Models to use while the agent's own provider is unavailable; left out for none. */
  fallbacks?: string[]
  /** The linked standing agent; null for an inline one. */
  agentId: string | null
  /**
   * The standing agent's version; left out for an inline agent, and in definitions from before
   * agents had versions.
   */
  agentVersion?: number
  /** Maximum output tokens of a turn; null for the model's own limit. */
  maxTokens: number | null
  /** The actions that it may use. */
  capabilities: string[]
  /** Tools that processes of the account execute; left out for none. */
  tools?: CallerTool[]
  /** Whether it keeps memory between runs. */
  memory: boolean
  /** JSON text of the schema that its answer must fit; left out for free text. */
  outputSchema?: string
  /** Left out if there are no rules. */
  rules?: FrozenRules
  /** The inline agent that runs instead if the standing agent is deleted. */
  fallback: Plain | null
}

type Plain = Pick<Agent, 'role' | 'instructions' | 'model' | 'fallbacks' | 'outputSchema' | 'rules'>

/** When a run waits for people. */
export interface HumanInTheLoop {
  enabled: boolean
  allow_input: boolean
  approvals: 'sensitive' | 'all' | 'never'
  /** Null for no timeout. */
  timeout_seconds: number | null
  on_timeout: 'fail' | 'reject'
  approvers: { users: string[]; roles: ('approver' | 'member' | 'admin')[] }
  required_approvals: number
}

/** The account's minimum of approvals; workflows cannot go below it. */
export type ApprovalsFloor = 'none' | 'sensitive' | 'all'

/** How long a provider may be unavailable before runs fail, unless the workflow says otherwise. */
export const defaultOutageSeconds = 86_400

/** Limits of a run; null for none. */
export interface Limits {
  max_turns_per_step: number
  max_run_seconds: number
  max_outage_seconds: number
  max_cost_usd: number | null
  /** Left out in definitions that an earlier version of Muster froze. */
  on_cost?: 'fail' | 'ask'
}

/** The part of a workflow that matters to its runs. */
export interface Source {
  model: string
  fallbacks: string[]
  human_in_the_loop: HumanInTheLoop
  limits: Limits
  memory_enabled: boolean
  crew: StoredEntry[]
}

/** A crew entry as it is stored, with its schema as text. */
interface StoredEntry {
  role: string
  systemPrompt: string
  model?: string | undefined
  agentId?: string | undefined
  capabilities?: string[] | undefined
  maxTokens?: number | null | undefined
  tools?: StoredTool[] | undefined
  output_schema?: string | null
  rules?: Rule[] | undefined
}

/** A tool as it is stored, with its schema as text. */
export interface StoredTool {
  name: string
  description: string
  input_schema: string
  timeout_seconds: number
  sensitive: boolean
}

/** The part of a standing agent that matters to runs. */
export interface AgentForRun {
  accountId: string
  id: string
  version: number
  name: string
  role: string
  systemPrompt: string
  model: string | null
  fallbacks: string[]
  maxTokens: number | null
  capabilities: string[]
  status: 'active' | 'paused'
  memoryEnabled: boolean
  /** JSON text. */
  outputSchema: string | null
  rules: Rule[]
  tools: StoredTool[]
}

/** `agents` are the standing agents of the workflow's account that its crew links. */
export function defineRun(workflow: Source, agents: AgentForRun[] = []): Definition {
  return {
    crew: workflow.crew.map((entry) => {
      const agent = agents.find(({ id }) => id === entry.agentId)
      if (agent !== undefined) return linkedAgent(workflow, entry, agent)
      // An entry whose linked agent was deleted has no memory.
      const memory = workflow.memory_enabled && entry.agentId === undefined
      const tools = entry.agentId === undefined ? toolsOf(entry) : {}
      return { ...plainAgent(toPlain(workflow, entry)), memory, ...tools }
    }),
    humanInTheLoop: workflow.human_in_the_loop,
    limits: workflow.limits,
  }
}

function toolsOf({ maxTokens = null, capabilities = [], tools }: StoredEntry): Partial<Agent> {
  return { maxTokens, capabilities: [...new Set(capabilities)], ...freezeTools(tools) }
}

/** Left out if there are none, so that the hashes of most definitions stay the same. */
export function freezeTools(tools: StoredTool[] = []): Pick<Agent, 'tools'> {
  if (tools.length === 0) return {}
  return {
    tools: tools.map(({ input_schema: inputSchema, timeout_seconds: timeoutSeconds, ...tool }) => ({
      ...tool,
      inputSchema,
      timeoutSeconds,
    })),
  }
}

/** An agent without tools, memory or limits: a role, instructions and a model. */
export function plainAgent(plain: Plain): Agent {
  const { role, instructions, model, fallbacks, outputSchema, rules } = plain
  return {
    role,
    instructions,
    model,
    ...(fallbacks !== undefined && { fallbacks }),
    agentId: null,
    maxTokens: null,
    capabilities: [],
    memory: false,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(rules !== undefined && { rules }),
    fallback: null,
  }
}

/** The agent of a step that has started. */
export function agentOf(
  definition: Definition,
  step: Pick<StepStart, 'position' | 'agentId'>,
): Agent {
  const agent = definition.crew[step.position]
  if (agent === undefined) throw new Error(`The crew has no position ${step.position}`)
  return asInStep(agent, step)
}

/**
 * A frozen agent as it applies to a step: its standing agent may have been deleted before the step
 * started.
 */
export function asInStep(agent: Agent, step: Pick<StepStart, 'agentId'>): Agent {
  return agent.agentId !== null && step.agentId === null ? withoutStanding(agent) : agent
}

/** The inline agent that runs instead of a deleted standing agent. */
export function withoutStanding(agent: Agent): Agent {
  return plainAgent(agent.fallback ?? agent)
}

function linkedAgent(workflow: Source, entry: StoredEntry, agent: AgentForRun): Agent {
  const outputSchema = entry.output_schema ?? agent.outputSchema
  const rules = freezeRules(agent.rules, entry.rules)
  return {
    role: agent.role,
    instructions: agent.systemPrompt,
    model: agent.model ?? workflow.model,
    ...withFallbacks(agent.fallbacks.length > 0 ? agent.fallbacks : workflow.fallbacks),
    agentId: agent.id,
    agentVersion: agent.version,
    maxTokens: agent.maxTokens,
    capabilities: agent.capabilities,
    ...freezeTools(agent.tools),
    memory: agent.memoryEnabled,
    ...(outputSchema !== null && { outputSchema }),
    ...(rules !== undefined && { rules }),
    fallback: toPlain(workflow, entry),
  }
}

/** Left out if empty, so that the hashes of existing definitions stay the same. */
function withFallbacks(fallbacks: string[]): Pick<Agent, 'fallbacks'> {
  return fallbacks.length === 0 ? {} : { fallbacks }
}

function toPlain(workflow: Source, entry: StoredEntry): Plain {
  const outputSchema = entry.output_schema ?? undefined
  const rules = freezeRules([], entry.rules)
  return {
    role: entry.role,
    instructions: entry.systemPrompt,
    model: entry.model ?? workflow.model,
    ...withFallbacks(workflow.fallbacks),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(rules !== undefined && { rules }),
  }
}

/** Content hash of a definition, under which it is stored. */
export function hashDefinition(definition: Definition): Buffer {
  return createHash('sha256').update(JSON.stringify(definition)).digest()
}

export interface StoredDefinition {
  accountId: string
  /** Hexadecimal. */
  hash: string
  body: Definition
}

/** Decisions of a rule about a call, the strictest last. */
export const ruleDecisions = ['allow', 'ask', 'block'] as const
export type RuleDecision = (typeof ruleDecisions)[number]

/**
 * Where a rule is defined. Account rules apply in their current form, the others as the run froze
 * them.
 */
export const ruleLevels = ['account', 'agent', 'crew_entry'] as const
type RuleLevel = (typeof ruleLevels)[number]

/** A rule about calls of agents; `server/policies/rules.ts` judges by it. */
export interface Rule {
  action: string
  when?: string | null
  decision: RuleDecision
  fixed?: Record<string, unknown> | null
  reason?: string | null
  expires_at?: string | null
}

/** The rules of a frozen agent; a level without rules is left out. */
export type FrozenRules = Partial<Record<Exclude<RuleLevel, 'account'>, Rule[]>>

/** Undefined if there are no rules, so that the hashes of most definitions stay the same. */
export function freezeRules(agent: Rule[] = [], entry: Rule[] = []): FrozenRules | undefined {
  if (agent.length === 0 && entry.length === 0) return undefined
  return {
    ...(agent.length > 0 && { agent }),
    ...(entry.length > 0 && { crew_entry: entry }),
  }
}
