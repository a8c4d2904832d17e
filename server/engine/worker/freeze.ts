import {
  type AgentForRun,
  defineRun,
  hashDefinition,
  withoutStanding,
  type Agent,
  type Definition,
  type StoredDefinition,
} from '../run/definition.ts'
import type { MemoryScope, WorkerPort, WorkerServices } from '../port.ts'
import type { RunFailure } from '../run/run.ts'
import { beginStep, stepLabel, type ShownEntry, type StepStart } from '../run/step.ts'
import type { Candidate } from '../journal/take.ts'
import {
  readDefinitions,
  readVersions,
  readWorkflows,
  saveDefinitions,
} from '../journal/definitions.ts'
import { definitionKey } from '../queue/dispatch.ts'

/**
 * Freezes what a run executes, at two moments: its definition when the run starts, and the memory
 * and the state of the standing agent when each step starts.
 */

/** A run's definition with its workflow version; null if that is not known. */
export interface Frozen extends StoredDefinition {
  workflowVersion: number | null
}

type FreezeServices = Pick<WorkerServices, 'database' | 'definitions'>

/**
 * The definition of each run: the one it froze earlier, that of the version it was triggered with,
 * or that of its workflow's current state.
 */
export async function freeze(
  { database, definitions: cache }: FreezeServices,
  port: Pick<WorkerPort, 'modelsOf' | 'readAgents'>,
  runs: Candidate[],
): Promise<Map<string, Frozen>> {
  const begun = runs.flatMap(({ accountId, definitionHash: hash }) =>
    hash === null ? [] : [{ accountId, hash }],
  )
  // Held here, because adding to the cache evicts older entries.
  const found = new Map(begun.map((key) => [definitionKey(key), cache.get(key)]))
  const wanted = begun.filter((key) => found.get(definitionKey(key)) === undefined)
  if (wanted.length > 0) {
    for (const one of await readDefinitions(database, wanted)) {
      found.set(definitionKey(one), one)
      cache.add(one)
    }
  }
  const unfrozen = runs.filter((run) => run.definitionHash === null)
  const ofWorkflow = await freezeWorkflows({ database, definitions: cache }, port, unfrozen)
  return new Map(
    runs.flatMap((run) => {
      const { accountId, definitionHash: hash, workflowVersion } = run
      if (hash === null) {
        const fixed = ofWorkflow.get(workflowKey(run))
        return fixed?.accountId === accountId ? [[run.id, fixed] as const] : []
      }
      const stored = found.get(definitionKey({ accountId, hash }))
      return stored === undefined ? [] : [[run.id, { ...stored, workflowVersion }] as const]
    }),
  )
}

type ToFreeze = Pick<Candidate, 'accountId' | 'workflowId' | 'workflowVersion'>

function workflowKey({ workflowId, workflowVersion }: ToFreeze): string {
  return `${workflowId} ${workflowVersion ?? ''}`
}

/** Makes and stores the definitions of workflows or of their versions. */
async function freezeWorkflows(
  { database, definitions: cache }: FreezeServices,
  port: Pick<WorkerPort, 'modelsOf' | 'readAgents'>,
  runs: ToFreeze[],
): Promise<Map<string, Frozen>> {
  if (runs.length === 0) return new Map()
  const needed = new Map(runs.map((run) => [workflowKey(run), run]))
  const live = [...needed.values()].flatMap(({ accountId, workflowId: id, workflowVersion }) =>
    workflowVersion === null ? [{ accountId, id }] : [],
  )
  const others = [...needed.values()].flatMap(({ accountId, workflowId: id, workflowVersion }) =>
    workflowVersion === null ? [] : [{ accountId, id, version: workflowVersion }],
  )
  const workflows = live.length === 0 ? [] : await readWorkflows(database, live)
  const versions = others.length === 0 ? [] : await readVersions(database, others)
  const all = [
    ...workflows.map((one) => ({
      ...one,
      key: workflowKey({ ...one, workflowId: one.id, workflowVersion: null }),
    })),
    ...versions.map((one) => ({
      ...one,
      key: workflowKey({ ...one, workflowId: one.id, workflowVersion: one.version }),
    })),
  ]
  const linked = all.flatMap(({ accountId, crew }) =>
    crew.flatMap(({ agentId }) => (agentId === undefined ? [] : [{ accountId, id: agentId }])),
  )
  const agents = await port.readAgents(linked)
  const accounts = new Set(all.map(({ accountId }) => accountId))
  const defaults = new Map(
    await Promise.all(
      [...accounts].map(async (id) => [id, (await port.modelsOf(id)).defaultModel] as const),
    ),
  )
  const frozen = new Map(
    all.map((stored) => {
      const { accountId, version } = stored
      const inherited = defaults.get(accountId)
      const model = stored.modelInherited && inherited !== undefined ? inherited : stored.model
      const own = agents.filter((agent) => agent.accountId === accountId)
      const body = defineRun({ ...stored, model }, own)
      const hash = hashDefinition(body).toString('hex')
      return [stored.key, { accountId, hash, body, workflowVersion: version }]
    }),
  )
  const unsaved = [...frozen.values()].filter((one) => cache.get(one) === undefined)
  if (unsaved.length > 0) {
    await saveDefinitions(database, unsaved)
    for (const one of unsaved) cache.add(one)
  }
  for (const { id, state, version, accountId, modelInherited } of workflows) {
    const definition = frozen.get(workflowKey({ accountId, workflowId: id, workflowVersion: null }))
    const inheritedModel = modelInherited ? defaults.get(accountId) : undefined
    if (definition !== undefined)
      cache.addWorkflow(id, { state, version, definition, inheritedModel })
  }
  return frozen
}

/** The run that a step is started for. */
export interface Opening {
  runId: string
  accountId: string
  workflowId: string
  definition: Definition
  /** Whether any of its agents may have memory entries. */
  remembers: boolean
}

export type Opened = { kind: 'open'; step: StepStart } | { kind: 'refused'; failure: RunFailure }

/**
 * Starts the step at a position; undefined after the last one. The standing agent is read in its
 * current state: if it is paused the run ends, if it is deleted the crew entry's own instructions
 * are used.
 */
export async function openStep(
  port: Pick<WorkerPort, 'readAgents' | 'recallMemory'>,
  run: Opening,
  position: number,
  input: () => string,
  standing?: Map<string, AgentForRun>,
): Promise<Opened | undefined> {
  const frozen = run.definition.crew[position]
  if (frozen === undefined) return undefined
  let agent = frozen
  if (frozen.agentId !== null) {
    const now = await findStanding(port, run.accountId, frozen.agentId, standing)
    if (now?.status === 'paused') {
      const message = `${stepLabel({ position, role: frozen.role })}: agent ${frozen.agentId} (${now.name}) is paused`
      return { kind: 'refused', failure: { code: 'agent_paused', message } }
    }
    if (now === undefined) agent = withoutStanding(frozen)
  }
  const scope = run.remembers ? scopeOf(run.workflowId, agent) : undefined
  const memory: ShownEntry[] =
    scope === undefined ? [] : await port.recallMemory(run.accountId, scope, input())
  return { kind: 'open', step: beginStep(run.runId, position, agent, memory) }
}

/** Whether an agent after a position has memory entries now. */
export async function hasMemoryBehind(
  port: Pick<WorkerPort, 'haveMemory'>,
  { accountId, workflowId, definition }: Pick<Opening, 'accountId' | 'workflowId' | 'definition'>,
  position: number,
): Promise<boolean> {
  const wanted = definition.crew.slice(position + 1).flatMap((agent) => {
    const scope = scopeOf(workflowId, agent)
    return scope === undefined ? [] : [{ accountId, scope }]
  })
  return (await port.haveMemory(wanted)).includes(true)
}

/** The memory that an agent reads and writes; undefined if it has none. */
export function scopeOf(workflowId: string, agent: Agent): MemoryScope | undefined {
  if (!agent.memory) return undefined
  return agent.agentId === null
    ? { kind: 'role', workflowId, role: agent.role }
    : { kind: 'agent', agentId: agent.agentId }
}

async function findStanding(
  port: Pick<WorkerPort, 'readAgents'>,
  accountId: string,
  id: string,
  known: Map<string, AgentForRun> | undefined,
): Promise<AgentForRun | undefined> {
  if (known !== undefined) return known.get(id)
  const [agent] = await port.readAgents([{ accountId, id }])
  return agent
}
