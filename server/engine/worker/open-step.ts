import { readAgentsForRuns, type AgentForRun } from '../../agents/read-for-runs.ts'
import type { Database } from '../../db/client.ts'
import { derivedId } from '../../ids.ts'
import { recallMemory } from '../../memory/recall.ts'
import type { MemoryScope } from '../../memory/scope.ts'
import { withoutStanding, type Agent, type Definition } from '../state/definition.ts'
import type { RunFailure } from '../state/run.ts'
import type { ShownEntry, StepStart } from '../state/step.ts'

/** The run that a step is opened for. */
export interface Opening {
  runId: string
  accountId: string
  workflowId: string
  definition: Definition
  /** Whether any of its agents may have something to recall. */
  remembers: boolean
}

export type Opened = { kind: 'open'; step: StepStart } | { kind: 'refused'; failure: RunFailure }

/**
 * Begins the step at a position. Two things are read as they are now: a standing agent that is paused
 * ends the run, one that is deleted leaves the step to the crew's own entry. Undefined behind the last
 * step.
 */
export async function openStep(
  database: Database,
  run: Opening,
  position: number,
  input: () => string,
  standing?: Map<string, AgentForRun>,
): Promise<Opened | undefined> {
  const frozen = run.definition.crew[position]
  if (frozen === undefined) return undefined
  let agent = frozen
  if (frozen.agentId !== null) {
    const now = await findStanding(database, run.accountId, frozen.agentId, standing)
    if (now?.status === 'paused') {
      const message = `step ${position} (${frozen.role}): agent ${frozen.agentId} (${now.name}) is paused`
      return { kind: 'refused', failure: { code: 'agent_paused', message } }
    }
    if (now === undefined) agent = withoutStanding(frozen)
  }
  const scope = run.remembers ? scopeOf(run.workflowId, agent) : undefined
  const memory: ShownEntry[] =
    scope === undefined ? [] : await recallMemory(database, run.accountId, scope, input())
  const { role, model, agentId } = agent
  const id = derivedId('step', run.runId, position)
  return { kind: 'open', step: { id, position, role, model, agentId, memory } }
}

/** Whose memory an agent writes and reads; undefined when it keeps none. */
export function scopeOf(workflowId: string, agent: Agent): MemoryScope | undefined {
  if (!agent.memory) return undefined
  return agent.agentId === null
    ? { kind: 'role', workflowId, role: agent.role }
    : { kind: 'agent', agentId: agent.agentId }
}

async function findStanding(
  database: Database,
  accountId: string,
  id: string,
  known: Map<string, AgentForRun> | undefined,
): Promise<AgentForRun | undefined> {
  if (known !== undefined) return known.get(id)
  const [agent] = await readAgentsForRuns(database, [{ accountId, id }])
  return agent
}
