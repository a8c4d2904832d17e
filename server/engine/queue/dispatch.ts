import { LRUCache } from 'lru-cache'
import type { StoredDefinition } from '../run/definition.ts'
import { type StepStart, beginStep, startEvents, type RunEvent } from '../run/step.ts'
import type { Job } from './jobs.ts'

/**
 * How a run reaches the worker of a process, in one of three ways. A `fetched` job was taken from
 * the queue: its run is read, then taken. A `local` job was claimed by the statement that triggered
 * its run in this process: the run is known, and only has to be taken. A `started` run was taken by
 * that statement as well, and starts at once.
 */
export type Dispatch = Job &
  (
    | { kind: 'fetched' }
    | { kind: 'local'; run: TriggeredFacts }
    | { kind: 'started'; run: TriggeredFacts; start: Start; attempt: number }
  )

/** A run as it was triggered. */
interface TriggeredFacts {
  workflowId: string
  /** The version that the trigger named, if it did. */
  workflowVersion: number | undefined
  input: string
  data: object | null
  tags: Record<string, string> | undefined
  /** The turn of a thread that it is, if it is one. */
  turn: { threadId: string; context: string | null } | undefined
}

/** The take of a new run, as part of the statement that triggers it. */
export interface Start {
  /**
   * State of the workflow's row when it was read. If the row has changed, or the workflow has
   * memory to recall, the run is not started and a worker takes it later.
   */
  state: string
  version: number
  definition: StoredDefinition
  step: StepStart
  events: RunEvent[]
}

export function fetched(job: Job): Dispatch {
  return { ...job, kind: 'fetched' }
}

/** What runs of a workflow execute while its row is in this state. */
interface KnownWorkflow {
  state: string
  version: number
  definition: StoredDefinition
  /**
   * The account's default model that the definition uses; undefined if the workflow names its
   * model.
   */
  inheritedModel: string | undefined
}

/**
 * Caches definitions that are known to be stored (the newest few hundred), and which workflow has
 * which.
 */
export class DefinitionCache {
  readonly #entries: LRUCache<string, StoredDefinition>
  readonly #workflows: LRUCache<string, KnownWorkflow>

  constructor(max = 500) {
    this.#entries = new LRUCache({ max })
    this.#workflows = new LRUCache({ max })
  }

  get(key: Key): StoredDefinition | undefined {
    return this.#entries.get(definitionKey(key))
  }

  add(definition: StoredDefinition): void {
    this.#entries.set(definitionKey(definition), definition)
  }

  addWorkflow(id: string, known: KnownWorkflow): void {
    this.#workflows.set(`${known.definition.accountId} ${id}`, known)
  }

  /**
   * The start of a run that is about to be triggered; undefined if something has to be read first.
   */
  startOf(run: {
    id: string
    accountId: string
    workflowId: string
    workflowVersion?: number | undefined
    defaultModel: string
  }): Start | undefined {
    if (run.workflowVersion !== undefined) return undefined
    const known = this.#workflows.get(`${run.accountId} ${run.workflowId}`)
    const crew = known?.definition.body.crew ?? []
    const [first] = crew
    if (known === undefined || first === undefined) return undefined
    const { inheritedModel = run.defaultModel } = known
    // The account connected or removed a provider in the meantime.
    if (inheritedModel !== run.defaultModel) return undefined
    // Standing agents are not cached: they are read when the run starts.
    if (crew.some(({ agentId }) => agentId !== null)) return undefined
    const step = beginStep(run.id, 0, first)
    return { ...known, step, events: startEvents(run.id, step) }
  }
}

type Key = Pick<StoredDefinition, 'accountId' | 'hash'>

export function definitionKey({ accountId, hash }: Key): string {
  return `${accountId} ${hash}`
}
