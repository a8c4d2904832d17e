import { createHash } from 'node:crypto'
import { freezeRules, type FrozenRules, type Rule } from './rule.ts'
import type { StepStart } from './step.ts'

/**
 * What a run executes, frozen when it begins and kept by its hash, so that all runs of the same content share
 * it. What is read or stored here is so for a batch.
 */
export interface Definition {
  crew: Agent[]
  humanInTheLoop: HumanInTheLoop
  limits: Limits
  /** Left out until a person lets a run cost more. */
  approved?: ApprovedCost
}

/** What a person let one run cost in all. A fork has the definition of its run, but not this. */
export interface ApprovedCost {
  runId: string
  /** In place of `limits.max_cost_usd`. */
  maxCostUsd?: number
  /** Until then budgets that ask do not stop it. */
  beyondBudgetsUsd?: number
}

/** One agent of a frozen crew, its model resolved. */
export interface Agent {
  role: string
  instructions: string
  model: string
  /** Models that are tried while its provider is not there; left out for none. */
  fallbacks?: string[]
  /** The standing agent that was linked. */
  agentId: string | null
  /** Its version; left out where none was linked, and before there were versions. */
  agentVersion?: number
  /** Output tokens of a turn, at most. */
  maxTokens: number | null
  /** The actions that it may use. */
  capabilities: string[]
  /** Whether it keeps memory between runs. */
  memory: boolean
  /** JSON text of the schema that its answer must fit; left out where it answers as it likes. */
  outputSchema?: string
  /** Left out where it has none. */
  rules?: FrozenRules
  /** What runs in its place when the standing agent is deleted. */
  fallback: Plain | null
}

type Plain = Pick<Agent, 'role' | 'instructions' | 'model' | 'fallbacks' | 'outputSchema' | 'rules'>

/** When a run waits for people. */
export interface HumanInTheLoop {
  enabled: boolean
  allow_input: boolean
  approvals: 'sensitive' | 'all' | 'never'
  /** Null for a pause without end. */
  timeout_seconds: number | null
  on_timeout: 'fail' | 'reject'
  approvers: { users: string[]; roles: ('approver' | 'member' | 'admin')[] }
  required_approvals: number
}

/** Least approvals of an account, whatever its workflows say. */
export type ApprovalsFloor = 'none' | 'sensitive' | 'all'

/** Bounds of a run; null for none. */
export interface Limits {
  max_turns_per_step: number
  max_run_seconds: number
  max_outage_seconds: number
  max_cost_usd: number | null
  /** Left out in what the version before froze. */
  on_cost?: 'fail' | 'ask'
}

/** A workflow as far as its runs are concerned. */
export interface Source {
  model: string
  fallbacks: string[]
  human_in_the_loop: HumanInTheLoop
  limits: Limits
  memory_enabled: boolean
  crew: StoredEntry[]
}

/** A crew entry as it is stored: its schema is a text. */
interface StoredEntry {
  role: string
  systemPrompt: string
  model?: string | undefined
  agentId?: string | undefined
  capabilities?: string[] | undefined
  maxTokens?: number | null | undefined
  output_schema?: string | null
  rules?: Rule[] | undefined
}

/** A standing agent as far as runs are concerned. */
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
}

/** `agents` are the standing agents of the workflow's account that its crew links. */
export function defineRun(workflow: Source, agents: AgentForRun[] = []): Definition {
  return {
    crew: workflow.crew.map((entry) => {
      const agent = agents.find(({ id }) => id === entry.agentId)
      if (agent !== undefined) return linkedAgent(workflow, entry, agent)
      // The entry of an agent that was deleted keeps no memory.
      const memory = workflow.memory_enabled && entry.agentId === undefined
      const tools = entry.agentId === undefined ? toolsOf(entry) : {}
      return { ...plainAgent(toPlain(workflow, entry)), memory, ...tools }
    }),
    humanInTheLoop: workflow.human_in_the_loop,
    limits: workflow.limits,
  }
}

function toolsOf({ maxTokens = null, capabilities = [] }: StoredEntry): Partial<Agent> {
  return { maxTokens, capabilities: [...new Set(capabilities)] }
}

/** An agent that has nothing but its role, its prompt and a model. */
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

/** The agent of a step that has begun. */
export function agentOf(
  definition: Definition,
  step: Pick<StepStart, 'position' | 'agentId'>,
): Agent {
  const agent = definition.crew[step.position]
  if (agent === undefined) throw new Error(`The crew has no position ${step.position}`)
  return asInStep(agent, step)
}

/** A frozen agent as a step has it: its standing agent may have been deleted before the step. */
export function asInStep(agent: Agent, step: Pick<StepStart, 'agentId'>): Agent {
  return agent.agentId !== null && step.agentId === null ? withoutStanding(agent) : agent
}

/** What runs in place of a standing agent that was deleted. */
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
    memory: agent.memoryEnabled,
    ...(outputSchema !== null && { outputSchema }),
    ...(rules !== undefined && { rules }),
    fallback: toPlain(workflow, entry),
  }
}

/** Most have none, and their definitions stay as they were. */
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

/** Address of a definition by its content. */
export function hashDefinition(definition: Definition): Buffer {
  return createHash('sha256').update(JSON.stringify(definition)).digest()
}

export interface StoredDefinition {
  accountId: string
  /** Hexadecimal. */
  hash: string
  body: Definition
}
