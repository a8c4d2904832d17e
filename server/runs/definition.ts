import { createHash } from 'node:crypto'
import type { HumanInTheLoop, Limits, Workflow } from '../workflows/schema.ts'

/** What a run executes, frozen when it begins and shared by all runs of the same content. */
export interface Definition {
  crew: Agent[]
  humanInTheLoop: HumanInTheLoop
  limits: Limits
}

/** One agent of a frozen crew, its model resolved. */
export interface Agent {
  role: string
  instructions: string
  model: string
  agentId: string | null
}

export function defineRun(
  workflow: Pick<Workflow, 'crew' | 'model' | 'human_in_the_loop' | 'limits'>,
): Definition {
  return {
    crew: workflow.crew.map((entry) => ({
      role: entry.role,
      instructions: entry.systemPrompt,
      model: entry.model ?? workflow.model,
      agentId: entry.agentId ?? null,
    })),
    humanInTheLoop: workflow.human_in_the_loop,
    limits: workflow.limits,
  }
}

/** Address of a definition by its content. */
export function hashDefinition(definition: Definition): Buffer {
  return createHash('sha256').update(JSON.stringify(definition)).digest()
}
