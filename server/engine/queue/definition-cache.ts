import type { StoredDefinition } from '../run/definition.ts'
import type { Start } from './dispatch.ts'
import { beginStep, startEvents } from '../run/step.ts'

/** What the runs of a workflow execute while it has this version. */
interface KnownWorkflow {
  version: string
  definition: StoredDefinition
  /** The account's default that it was made with; undefined for a workflow that names its model. */
  inheritedModel: string | undefined
}

/** Definitions that are known to be stored, the newest few hundred, and the workflows that have them. */
export class DefinitionCache {
  readonly #entries = new Map<string, StoredDefinition>()
  readonly #workflows = new Map<string, KnownWorkflow>()
  readonly #maxEntries: number

  constructor(maxEntries = 500) {
    this.#maxEntries = maxEntries
  }

  get(key: Key): StoredDefinition | undefined {
    return this.#entries.get(definitionKey(key))
  }

  add(definition: StoredDefinition): void {
    this.#add(this.#entries, definitionKey(definition), definition)
  }

  addWorkflow(id: string, known: KnownWorkflow): void {
    this.#add(this.#workflows, `${known.definition.accountId} ${id}`, known)
  }

  /** The start of a run that is about to be triggered; undefined if something has to be read for it. */
  startOf(run: {
    id: string
    accountId: string
    workflowId: string
    defaultModel: string
  }): Start | undefined {
    const known = this.#workflows.get(`${run.accountId} ${run.workflowId}`)
    const crew = known?.definition.body.crew ?? []
    const [first] = crew
    if (known === undefined || first === undefined) return undefined
    const { inheritedModel = run.defaultModel } = known
    // The account has connected or removed a provider meanwhile.
    if (inheritedModel !== run.defaultModel) return undefined
    // Standing agents are read as they are when the run begins.
    if (crew.some(({ agentId }) => agentId !== null)) return undefined
    const step = beginStep(run.id, 0, first)
    return { ...known, step, events: startEvents(run.id, step) }
  }

  #add<T>(map: Map<string, T>, key: string, value: T): void {
    map.set(key, value)
    if (map.size > this.#maxEntries) map.delete(map.keys().next().value as string)
  }
}

type Key = Pick<StoredDefinition, 'accountId' | 'hash'>

export function definitionKey({ accountId, hash }: Key): string {
  return `${accountId} ${hash}`
}
