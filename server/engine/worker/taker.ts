import { setImmediate as turn } from 'node:timers/promises'
import type { AgentForRun, Definition } from '../run/definition.ts'
import type { Dispatch } from '../queue/dispatch.ts'
import { releaseJobs } from '../queue/jobs.ts'
import { logFailure } from '../../db/outage.ts'
import { openBatcher, runEach } from '../../db/run.ts'
import type { MemoryScope, WorkerPort, WorkerServices } from '../port.ts'
import { noUsage, type Usage } from '../../models/contract.ts'
import * as store from '../journal/take.ts'
import type { Candidate } from '../journal/take.ts'
import { failRun, failStep, isIdle, type Change, type Fence, type RunFailure } from '../run/run.ts'
import { promptOf, startEvents, stepInput, type StepStart, runEvent } from '../run/step.ts'
import { freeze, openStep, scopeOf, type Frozen } from './freeze.ts'
import { hasCrashed, type Isolation } from './isolation.ts'

/**
 * Takes a batch of runs: freezes their definitions, raises their fences, starts their next steps.
 */
export interface TakenRun extends Pick<
  Candidate,
  | ('workflowId' | 'threadId' | 'context' | 'tags' | 'prior')
  | ('costUsd' | 'toolBytes' | 'hasFiles' | 'isDoubted')
> {
  fence: Fence
  /** Text of the input and data. */
  prompt: string
  definition: Definition
  step: StepStart
  /** Failed model calls of this step so far. */
  tries: number
  /** Number of stored turns of this step. */
  storedTurns: number
  /** Usage of stored turns and of earlier, delayed calls. */
  recorded: Usage
  /** Run time so far. */
  elapsedMs: number
  /** How long it has been held because its provider is unavailable. */
  heldMs: number
  /** Whether an agent of the run may have memory entries. */
  remembers: boolean
}

/**
 * Takes the runs of jobs. Returns those that were taken: not runs that ended, wait, moved meanwhile
 * or could not be taken, nor those that are already executed here.
 */
export type Taker = (
  jobs: Dispatch[],
  isExecutedHere: (fence: Fence) => boolean,
) => Promise<Map<string, TakenRun>>

type Write = (change: Change) => Promise<boolean>

export function createTaker(
  services: Pick<WorkerServices, 'database' | 'queue' | 'log' | 'acknowledged' | 'definitions'>,
  port: WorkerPort,
  write: Write,
  isolation: Isolation,
): Taker {
  const { database, queue, log, acknowledged } = services
  // If PostgreSQL rejects a batch because of one run, the others are taken individually.
  const takes = openBatcher(
    database,
    (batch: store.Take[]) => store.takeRuns(database, queue.worker, batch),
    { maxFlushes: 4 },
  )

  /** A failed write here must not stop the other runs of the batch. */
  const failCrashingRun = async (run: Candidate): Promise<void> => {
    const fence = fenceOf(run)
    const change =
      run.begun === null ? failRun(fence, crashed) : failStep(fence, run.begun, crashed)
    await write(change).catch((error: unknown) => {
      logFailure(log, error, 'a run that crashes its worker cannot be failed', { runId: run.id })
    })
  }

  const takeAll: Taker = async (jobs, isExecutedHere) => {
    const answer = new Map<string, TakenRun>()
    const candidates = await store.readCandidates(database, jobs)
    const open = candidates.filter((run) => !isIdle(run.status) && !isExecutedHere(fenceOf(run)))
    const { admitted, crashing, waiting } = isolation.admit(open)
    if (waiting.length > 0) {
      const jobs = waiting.map(({ run, delayMs }) => ({ ...fenceOf(run), delayMs }))
      await releaseJobs(database, queue.worker, jobs)
    }
    await Promise.all(crashing.map(failCrashingRun))
    const frozen = await freeze(services, port, admitted)
    const surroundings = await readSurroundings(port, admitted, frozen)
    const takeOne = async (run: Candidate): Promise<void> => {
      const planned = await plan(port, run, frozen, surroundings, write)
      if (planned === undefined) return
      const taken = await takes.add(planned.take)
      if (taken === undefined) return
      acknowledged.add(fenceOf(run), planned.take.events)
      answer.set(run.id, toTakenRun(planned, taken))
    }
    await Promise.all(
      admitted.map((run) =>
        takeOne(run).catch((error: unknown) => {
          // The other runs continue; this one is retried when its lease expires.
          logFailure(log, error, 'a run cannot be taken', { runId: run.id })
        }),
      ),
    )
    return answer
  }
  return async (jobs, isExecutedHere) => {
    const started = jobs.filter((job) => job.kind === 'started')
    const others = jobs.filter((job) => job.kind !== 'started')
    // The requests that triggered them are answered first.
    if (started.length > 0) await turn()
    const begun = started.map((job) => [job.runId, toStartedRun(job)] as const)
    if (others.length === 0) return new Map(begun)
    const take = async (part: Dispatch[]) => [...(await takeAll(part, isExecutedHere))]
    const taken = await runEach(database, others, take, { isPartial: true })
    return new Map([...begun, ...taken])
  }
}

/** A run that the triggering statement has taken already. */
function toStartedRun(job: Extract<Dispatch, { kind: 'started' }>): TakenRun {
  const { attempt, start } = job
  const run = store.triggeredCandidate(job)
  const plan = { run, definition: start.definition.body, step: start.step, remembers: false }
  return toTakenRun(plan, { attempt, elapsedMs: 0, heldMs: 0 })
}

function toTakenRun(
  { run, definition, step, remembers }: Omit<Plan, 'take'>,
  { attempt, elapsedMs, heldMs }: store.Taken,
): TakenRun {
  const { input, data, context, threadId, tags, prior, costUsd, toolBytes, hasFiles } = run
  return {
    fence: { ...fenceOf(run), attempt },
    prompt: promptOf(input, data),
    context,
    threadId,
    tags,
    definition,
    prior,
    step,
    tries: run.begun?.tries ?? 0,
    storedTurns: run.begun?.turns ?? 0,
    recorded: run.begun?.recorded ?? noUsage,
    elapsedMs,
    heldMs,
    costUsd,
    toolBytes,
    hasFiles,
    workflowId: run.workflowId,
    isDoubted: run.isDoubted,
    remembers,
  }
}

interface Plan {
  run: Candidate
  definition: Definition
  step: StepStart
  take: store.Take
  remembers: boolean
}

const crashed: RunFailure = {
  code: 'internal',
  message: 'its worker process crashed repeatedly, the last time while it was running alone',
}

/** What the first steps of a batch need to know, read together. */
interface Surroundings {
  /** Current state of the standing agents of steps that start. */
  standing: Map<string, AgentForRun>
  /** Runs whose agents have memory entries. */
  remembering: Set<string>
}

async function readSurroundings(
  port: WorkerPort,
  runs: Candidate[],
  frozen: Map<string, Frozen>,
): Promise<Surroundings> {
  const crewOf = (run: Candidate) => frozen.get(run.id)?.body.crew.slice(run.prior.length) ?? []
  const linked = runs.flatMap((run) => {
    const id = run.begun === null ? crewOf(run)[0]?.agentId : undefined
    return typeof id === 'string' ? [{ accountId: run.accountId, id }] : []
  })
  const scopes = runs.flatMap((run) =>
    crewOf(run).flatMap((agent) => {
      const scope = scopeOf(run.workflowId, agent)
      return scope === undefined ? [] : [{ runId: run.id, accountId: run.accountId, scope }]
    }),
  )
  const distinct = [...new Map(scopes.map((one) => [scopeKey(one), one])).values()]
  const [agents, present] = await Promise.all([port.readAgents(linked), port.haveMemory(distinct)])
  const inUse = new Set(distinct.filter((_, place) => present[place]).map(scopeKey))
  return {
    standing: new Map(agents.map((agent) => [agent.id, agent])),
    remembering: new Set(scopes.flatMap((one) => (inUse.has(scopeKey(one)) ? [one.runId] : []))),
  }
}

function scopeKey({ accountId, scope }: { accountId: string; scope: MemoryScope }): string {
  return JSON.stringify([accountId, scope])
}

/** Plans what taking a run writes. A run that cannot continue is ended and left out. */
async function plan(
  port: WorkerPort,
  run: Candidate,
  frozen: Map<string, Frozen>,
  { standing, remembering }: Surroundings,
  write: Write,
): Promise<Plan | undefined> {
  const definition = frozen.get(run.id)
  if (definition === undefined) return failStart('its workflow is gone')
  const { accountId, workflowId } = run
  const remembers = remembering.has(run.id)
  const opening = { runId: run.id, accountId, workflowId, definition: definition.body, remembers }
  const input = (): string => stepInput(promptOf(run.input, run.data), run.prior)
  const opened =
    run.begun === null
      ? await openStep(port, opening, run.prior.length, input, standing)
      : { kind: 'open' as const, step: { ...run.begun, memory: run.begun.memory ?? [] } }
  if (opened === undefined) return failStart('its crew became shorter')
  if (opened.kind === 'refused') return end(opened.failure)
  const { step } = opened
  const events = run.status === 'queued' ? startEvents(run.id, step) : []
  const take = {
    runId: run.id,
    accountId,
    attempt: run.attempt,
    lastSequence: run.lastSequence,
    definitionHash: definition.hash,
    workflowVersion: definition.workflowVersion,
    probationSize: hasCrashed(run) ? run.probationSize : null,
    // Retries of a failing model count as run time, unlike an outage of the service. Work since the
    // last event before a crash is lost, and counts as a wait too.
    hasWaited: run.isHeld || run.begun?.tries === 0,
    step,
    events,
  }
  return { run, definition: definition.body, step, take, remembers }

  function failStart(why: string): Promise<undefined> {
    return end({ code: 'internal', message: `cannot begin: ${why}` })
  }
  async function end(failure: RunFailure): Promise<undefined> {
    const begun = run.status === 'queued' ? [runEvent(run.id, 'run.started')] : []
    await write(failRun(fenceOf(run), failure, begun))
  }
}

function fenceOf(run: Candidate): Fence {
  const { id: runId, accountId, attempt } = run
  return { runId, accountId, attempt, ...(run.threadId !== null && { isTurn: true }) }
}
