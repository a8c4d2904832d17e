import { readAgentsForRuns } from '../../agents/read-for-runs.ts'
import type { Services } from '../../context.ts'
import { defineRun, hashDefinition } from '../state/definition.ts'
import * as store from '../state/definition-store.ts'
import type { Candidate } from '../state/take-store.ts'

/** The definition of each run: the one it froze before, or its workflow as it is now. */
export async function freeze(
  database: Services['database'],
  cache: DefinitionCache,
  runs: Candidate[],
  defaultModel: string,
): Promise<Map<string, store.StoredDefinition>> {
  const begun = runs.flatMap(({ accountId, definitionHash: hash }) =>
    hash === null ? [] : [{ accountId, hash }],
  )
  // Kept here, because what is added to the cache makes others leave it.
  const found = new Map(begun.map((key) => [keyOf(key), cache.get(key)]))
  const wanted = begun.filter((key) => found.get(keyOf(key)) === undefined)
  if (wanted.length > 0) {
    for (const one of await store.readDefinitions(database, wanted)) {
      found.set(keyOf(one), one)
      cache.add(one)
    }
  }

  const fresh = runs.filter((run) => run.definitionHash === null)
  const needed = new Map(
    fresh.map(({ accountId, workflowId: id }) => [id, { accountId, id }] as const),
  )
  const workflows =
    needed.size === 0 ? [] : await store.readWorkflows(database, [...needed.values()])
  const linked = workflows.flatMap(({ accountId, crew }) =>
    crew.flatMap(({ agentId }) => (agentId === undefined ? [] : [{ accountId, id: agentId }])),
  )
  const agents = await readAgentsForRuns(database, linked)
  const ofWorkflow = new Map(
    workflows.map((stored) => {
      const model = stored.modelInherited ? defaultModel : stored.model
      const workflow = { ...stored, model }
      const own = agents.filter(({ accountId }) => accountId === workflow.accountId)
      const body = defineRun(workflow, own)
      const hash = hashDefinition(body).toString('hex')
      return [workflow.id, { accountId: workflow.accountId, hash, body }]
    }),
  )
  const unsaved = [...ofWorkflow.values()].filter((one) => cache.get(one) === undefined)
  if (unsaved.length > 0) {
    await store.saveDefinitions(database, unsaved)
    for (const one of unsaved) cache.add(one)
  }

  return new Map(
    runs.flatMap((run) => {
      const definition =
        run.definitionHash === null
          ? ofWorkflow.get(run.workflowId)
          : found.get(keyOf({ accountId: run.accountId, hash: run.definitionHash }))
      return definition === undefined || definition.accountId !== run.accountId
        ? []
        : [[run.id, definition] as const]
    }),
  )
}

/** Definitions that are known to be stored, the newest few hundred. */
export class DefinitionCache {
  readonly #entries = new Map<string, store.StoredDefinition>()
  readonly #maxEntries: number

  constructor(maxEntries = 500) {
    this.#maxEntries = maxEntries
  }

  get(key: Key): store.StoredDefinition | undefined {
    return this.#entries.get(keyOf(key))
  }

  add(definition: store.StoredDefinition): void {
    this.#entries.set(keyOf(definition), definition)
    if (this.#entries.size > this.#maxEntries) {
      this.#entries.delete(this.#entries.keys().next().value as string)
    }
  }
}

type Key = Pick<store.StoredDefinition, 'accountId' | 'hash'>

function keyOf({ accountId, hash }: Key): string {
  return `${accountId} ${hash}`
}
