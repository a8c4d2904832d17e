import { readAgentsForRuns } from '../../agents/read-for-runs.ts'
import type { AgentForRun } from '../run/definition.ts'
import type { Database } from '../../db/client.ts'
import { haveMemory, recallMemory } from '../../memory/recall.ts'
import type { MemoryScope } from '../../memory/scope.ts'
import {
  defineRun,
  hashDefinition,
  withoutStanding,
  type Agent,
  type Definition,
  type StoredDefinition,
} from '../run/definition.ts'
import type { RunFailure } from '../run/run.ts'
import { beginStep, stepLabel, type ShownEntry, type StepStart } from '../run/step.ts'
import type { Candidate } from '../journal/take.ts'
import { readDefinitions, readWorkflows, saveDefinitions } from '../journal/definitions.ts'
import { definitionKey, type DefinitionCache } from '../queue/dispatch.ts'

/**
 * What a run executes is fixed at two moments: its definition when it begins, and what a step needs beyond
 * that, its agent's memory and whether a standing one is still there, when the step does.
 */

/** The definition of each run: the one it froze before, or its workflow as it is now. */
export async function freeze(
  database: Database,
  cache: DefinitionCache,
  runs: Candidate[],
  defaultModelOf: (accountId: string) => Promise<string>,
): Promise<Map<string, StoredDefinition>> {
  const begun = runs.flatMap(({ accountId, definitionHash: hash }) =>
    hash === null ? [] : [{ accountId, hash }],
  )
  // Kept here, because what is added to the cache makes others leave it.
  const found = new Map(begun.map((key) => [definitionKey(key), cache.get(key)]))
  const wanted = begun.filter((key) => found.get(definitionKey(key)) === undefined)
  if (wanted.length > 0) {
    for (const one of await readDefinitions(database, wanted)) {
      found.set(definitionKey(one), one)
      cache.add(one)
    }
  }

  const fresh = runs.filter((run) => run.definitionHash === null)
  const needed = new Map(
    fresh.map(({ accountId, workflowId: id }) => [id, { accountId, id }] as const),
  )
  const workflows = needed.size === 0 ? [] : await readWorkflows(database, [...needed.values()])
  const linked = workflows.flatMap(({ accountId, crew }) =>
    crew.flatMap(({ agentId }) => (agentId === undefined ? [] : [{ accountId, id: agentId }])),
  )
  const agents = await readAgentsForRuns(database, linked)
  const accounts = new Set(workflows.map(({ accountId }) => accountId))
  const defaults = new Map(
    await Promise.all([...accounts].map(async (id) => [id, await defaultModelOf(id)] as const)),
  )
  const ofWorkflow = new Map(
    workflows.map((stored) => {
      const inherited = defaults.get(stored.accountId)
      const model = stored.modelInherited && inherited !== undefined ? inherited : stored.model
      const workflow = { ...stored, model }
      const own = agents.filter(({ accountId }) => accountId === workflow.accountId)
      const body = defineRun(workflow, own)
      const hash = hashDefinition(body).toString('hex')
      return [workflow.id, { accountId: workflow.accountId, hash, body }]
    }),
  )
  const unsaved = [...ofWorkflow.values()].filter((one) => cache.get(one) === undefined)
  if (unsaved.length > 0) {
    await saveDefinitions(database, unsaved)
    for (const one of unsaved) cache.add(one)
  }
  for (const { id, version, accountId, modelInherited } of workflows) {
    const definition = ofWorkflow.get(id)
    const inheritedModel = modelInherited ? defaults.get(accountId) : undefined
    if (definition !== undefined) cache.addWorkflow(id, { version, definition, inheritedModel })
  }

  return new Map(
    runs.flatMap((run) => {
      const definition =
        run.definitionHash === null
          ? ofWorkflow.get(run.workflowId)
          : found.get(definitionKey({ accountId: run.accountId, hash: run.definitionHash }))
      return definition === undefined || definition.accountId !== run.accountId
        ? []
        : [[run.id, definition] as const]
    }),
  )
}

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
      const message = `${stepLabel({ position, role: frozen.role })}: agent ${frozen.agentId} (${now.name}) is paused`
      return { kind: 'refused', failure: { code: 'agent_paused', message } }
    }
    if (now === undefined) agent = withoutStanding(frozen)
  }
  const scope = run.remembers ? scopeOf(run.workflowId, agent) : undefined
  const memory: ShownEntry[] =
    scope === undefined ? [] : await recallMemory(database, run.accountId, scope, input())
  return { kind: 'open', step: beginStep(run.runId, position, agent, memory) }
}

/** Whether an agent behind a position has something to recall now. */
export async function hasMemoryBehind(
  database: Database,
  { accountId, workflowId, definition }: Pick<Opening, 'accountId' | 'workflowId' | 'definition'>,
  position: number,
): Promise<boolean> {
  const wanted = definition.crew.slice(position + 1).flatMap((agent) => {
    const scope = scopeOf(workflowId, agent)
    return scope === undefined ? [] : [{ accountId, scope }]
  })
  return (await haveMemory(database, wanted)).includes(true)
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
