import type { Services } from '../context.ts'
import { newId } from '../ids.ts'
import { defineRun, hashDefinition, type Definition } from '../runs/definition.ts'
import * as store from '../runs/execution-store.ts'
import {
  failRun,
  failStep,
  isAtRest,
  maxTakesWithoutProgress,
  named,
  runEvent,
  type Change,
  type Fence,
  type RunFailure,
  type StepStart,
} from '../runs/run.ts'

/** Takes a batch of runs: freezes what they execute, raises their fence, starts their next step. */
export interface TakenRun {
  fence: Fence
  input: string
  definition: Definition
  /** Outputs of the finished steps, in order. */
  prior: { role: string; output: string }[]
  step: StepStart
  /** Model calls of this step that failed before. */
  tries: number
  /** Since the run began. */
  elapsedMs: number
  costUsd: number
}

/** Runs that another worker took meanwhile are not in the answer. */
export type Taker = (runIds: string[]) => Promise<Map<string, TakenRun | 'at-rest'>>

type Write = (change: Change) => Promise<boolean>

export function createTaker({ database }: Pick<Services, 'database'>, write: Write): Taker {
  const definitions = new DefinitionCache()

  return async (runIds) => {
    const candidates = await store.readCandidates(database, runIds)
    const open = candidates.filter((candidate) => !isAtRest(candidate.status))
    const alive = await giveUpHopeless(open, write)
    const frozen = await freeze(database, definitions, alive)
    const planned = (await Promise.all(alive.map((run) => plan(run, frozen, write)))).filter(
      (one) => one !== undefined,
    )
    const plans = new Map(planned.map((one) => [one.run.id, one]))
    // What rested already or was ended here, and runs that are gone, have nothing to do.
    const answer = new Map<string, TakenRun | 'at-rest'>(
      runIds.filter((id) => !plans.has(id)).map((id) => [id, 'at-rest']),
    )
    if (planned.length === 0) return answer
    const taken = await store.takeRuns(
      database,
      planned.map(({ take }) => take),
    )
    for (const one of taken) answer.set(one.id, toTakenRun(plans.get(one.id) as Plan, one))
    return answer
  }
}

function toTakenRun(
  { run, definition, take }: Plan,
  { attempt, elapsedMs }: { attempt: number; elapsedMs: number },
): TakenRun {
  const { input, prior, costUsd } = run
  const tries = run.begun?.tries ?? 0
  return {
    fence: { ...fenceOf(run), attempt },
    input,
    definition,
    prior,
    step: take.step,
    tries,
    elapsedMs,
    costUsd,
  }
}

interface Plan {
  run: store.Candidate
  definition: Definition
  take: store.Take
}

/** Ends the runs that were taken too often without moving; returns the others. */
async function giveUpHopeless(
  candidates: store.Candidate[],
  write: Write,
): Promise<store.Candidate[]> {
  const isHopeless = (run: store.Candidate) => run.takesWithoutProgress >= maxTakesWithoutProgress
  const failure: RunFailure = {
    code: 'internal',
    message: `the worker stopped ${maxTakesWithoutProgress} times in this step`,
  }
  await Promise.all(
    candidates
      .filter(isHopeless)
      .map((run) =>
        write(
          run.begun === null
            ? failRun(fenceOf(run), failure)
            : failStep(fenceOf(run), run.begun, failure),
        ),
      ),
  )
  return candidates.filter((run) => !isHopeless(run))
}

/** The definition of each run: the one it froze before, or its workflow as it is now. */
async function freeze(
  database: Services['database'],
  cache: DefinitionCache,
  runs: store.Candidate[],
): Promise<Map<string, store.StoredDefinition>> {
  const begun = runs.filter((run) => run.definitionHash !== null)
  const wanted = begun
    .map((run) => ({ accountId: run.accountId, hash: run.definitionHash as string }))
    .filter((one) => !cache.has(one))
  if (wanted.length > 0) {
    for (const one of await store.readDefinitions(database, wanted)) cache.add(one)
  }

  const fresh = runs.filter((run) => run.definitionHash === null)
  const workflowIds = [...new Set(fresh.map((run) => run.workflowId))]
  const workflows = workflowIds.length === 0 ? [] : await store.readWorkflows(database, workflowIds)
  const ofWorkflow = new Map(
    workflows.map((workflow) => {
      const body = defineRun(workflow)
      const hash = hashDefinition(body).toString('hex')
      return [workflow.id, { accountId: workflow.accountId, hash, body }]
    }),
  )
  const unsaved = [...ofWorkflow.values()].filter((one) => !cache.has(one))
  if (unsaved.length > 0) {
    await store.saveDefinitions(database, unsaved)
    for (const one of unsaved) cache.add(one)
  }

  return new Map(
    runs.flatMap((run) => {
      const definition =
        run.definitionHash === null
          ? ofWorkflow.get(run.workflowId)
          : cache.get({ accountId: run.accountId, hash: run.definitionHash })
      return definition === undefined || definition.accountId !== run.accountId
        ? []
        : [[run.id, definition] as const]
    }),
  )
}

/** What taking a run will write; a run that cannot go on is ended and left out. */
async function plan(
  run: store.Candidate,
  frozen: Map<string, store.StoredDefinition>,
  write: Write,
): Promise<Plan | undefined> {
  const definition = frozen.get(run.id)
  const position = run.prior.length
  const agent = definition?.body.crew[position]
  if (definition === undefined || agent === undefined) {
    const why = definition === undefined ? 'its workflow is gone' : 'its crew became shorter'
    await write(failRun(fenceOf(run), { code: 'internal', message: `cannot begin: ${why}` }))
    return undefined
  }
  const { role, model, agentId } = agent
  const step = { id: run.begun?.id ?? newId('step'), position, role, model, agentId }
  const events =
    run.status === 'queued' ? [runEvent('run.started'), runEvent('step.started', named(step))] : []
  const take = {
    runId: run.id,
    attempt: run.attempt,
    definitionHash: definition.hash,
    step,
    events,
  }
  return { run, definition: definition.body, take }
}

function fenceOf(run: store.Candidate): Fence {
  return { runId: run.id, accountId: run.accountId, attempt: run.attempt }
}

/** Definitions that are known to be stored, the newest few hundred. */
class DefinitionCache {
  readonly #entries = new Map<string, store.StoredDefinition>()
  readonly #maxEntries = 500

  has(key: Key): boolean {
    return this.#entries.has(keyOf(key))
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
