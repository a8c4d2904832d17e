import {
  WorkflowDefinition,
  type Workflow,
  type CrewEntry,
  type HumanInTheLoop,
  type Limits,
  type UpdateWorkflow,
} from './schema.ts'
import { defaultOutageSeconds } from '../engine/run/definition.ts'

/** The content of a workflow version: without the status and read-only fields. */
export function definitionOf(
  workflow: Omit<WorkflowDefinition, 'model'> & Pick<Workflow, 'model' | 'model_inherited'>,
): Record<string, unknown> {
  const { model, model_inherited: inherits } = workflow
  const all: Record<string, unknown> = { ...workflow, model: inherits ? null : model }
  return Object.fromEntries(
    Object.keys(WorkflowDefinition.properties).map((name) => [name, all[name]]),
  )
}

/** Reads a stored definition; settings that it lacks were added later and get their defaults. */
export function readDefinition(stored: Record<string, unknown>): WorkflowDefinition {
  const definition = stored as WorkflowDefinition
  return {
    ...defaultDefinition,
    ...definition,
    human_in_the_loop: { ...defaultHumanInTheLoop, ...definition.human_in_the_loop },
    limits: { ...defaultLimits, ...definition.limits },
  }
}

/** Defaults of a new workflow. */
const defaultCrew: CrewEntry[] = [
  {
    role: 'planner',
    systemPrompt:
      'You are a planner. Read the task or text that you are given and write a short, numbered plan ' +
      'for an answer: the points to make, in the best order, each with the facts from the input that ' +
      'support it. Do not write the answer itself.',
  },
  {
    role: 'writer',
    systemPrompt:
      'You are a writer. Write the final answer from the original input and the plan of the planner. ' +
      'Follow the plan point by point, keep to the facts of the input, and write clear, plain prose. ' +
      'Give the finished text only, without remarks about the plan.',
  },
]

export const defaultHumanInTheLoop: HumanInTheLoop = {
  enabled: false,
  allow_input: true,
  approvals: 'sensitive',
  timeout_seconds: null,
  on_timeout: 'fail',
  approvers: { users: [], roles: ['approver', 'member', 'admin'] },
  required_approvals: 1,
  remind_after_minutes: null,
  escalate_after_minutes: null,
  escalate_to: { users: [], roles: [] },
}

export const defaultLimits: Limits = {
  max_turns_per_step: 25,
  max_run_seconds: 3600,
  max_outage_seconds: defaultOutageSeconds,
  max_cost_usd: null,
  on_cost: 'fail',
}

/** Defaults of the other fields of a definition. */
export const defaultDefinition = {
  description: null,
  fallbacks: [],
  crew: defaultCrew,
  input_schema: null,
  memory_enabled: true,
  expose_mcp: null,
  thread: null,
}

/** The settings of threads with their defaults; nothing if they are not given. */
export function readThread({
  thread,
}: Pick<UpdateWorkflow, 'thread'>): Partial<Pick<WorkflowDefinition, 'thread'>> {
  if (thread === undefined) return {}
  return { thread: thread === null ? null : { ...defaultThread, ...thread } }
}

const defaultThread = {
  context: 'transcript',
  max_tokens: 16_000,
  summary_model: null,
} as const
