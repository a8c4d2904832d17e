import { noUsage, addUsage, type ModelWarning, type Usage } from '../../models/contract.ts'
import type { WorkerPort, WorkerServices } from '../port.ts'
import type { Bill } from '../journal/billed.ts'
import { readOpenCase } from '../journal/respond.ts'
import { waitFor } from '../run/case.ts'
import { pendingFor, pendingForCost } from '../run/pending.ts'
import {
  failStep,
  finishStep,
  finishStepAndFail,
  pauseRun,
  type Change,
  type RunFailure,
} from '../run/run.ts'
import {
  isCut,
  stepInput,
  stepLabel,
  type EndingStep,
  type StepStart,
  type RunEvent,
} from '../run/step.ts'
import type { AccountGate } from '../safety/quotas.ts'
import { defaultOutageSeconds, type Limits } from '../run/definition.ts'
import type { Hold, Postponed } from './model-turn.ts'
import { traceAgent } from '../../telemetry/gen-ai.ts'
import { whyFetchAsks } from '../safety/fetch-rule.ts'
import { hasMemoryBehind, openStep } from './freeze.ts'
import { givenTo, prepareStep, type OfferedTools } from './prepare-step.ts'
import { overCost, runStep, type StepOutcome } from './run-step.ts'
import type { TakenRun } from './taker.ts'
import type { KeyedMutex } from '../../keyed-mutex.ts'

/** Usage of a step's model calls that is not written yet. */
interface Unwritten {
  position: number
  model: string
  usage: Usage
  /** Its budget reservations. */
  bills?: Bill[] | undefined
}

/** The run no longer belongs to this worker. */
export interface Lost extends Unwritten {
  isLost: true
}

/** Releases a run on purpose: its job is delayed. */
export interface Release extends Unwritten {
  /** Failed model calls of the step so far. */
  tries: number
  delaySeconds: number
  /** Set if the run is held. */
  held?: Hold
}

export interface CrewDeps {
  services: WorkerServices
  port: WorkerPort
  /** Aborts when no further step may start here. */
  draining: AbortSignal
  /** Applies a change; false if the run no longer belongs to this worker. */
  write: (change: Change, bills?: Bill[]) => Promise<boolean>
  /** Counts usage that is written before the step ends. */
  countUsage: (model: string, usage: Usage) => void
  /** Serializes writers of one memory, over all runs of this process. */
  notes: KeyedMutex
  gate: AccountGate
  offers: OfferedTools
  /** Logs a warning about a model that runs use, once per process. */
  warn: (warning: ModelWarning) => void
}

/** Why execution is interrupted; the reason of its signal. */
export type Halt = 'lost' | 'stopping' | 'overtime'

/** The run ended or waits for a person, or no longer belongs to this worker, or is released. */
export type CrewEnd = 'idle' | Lost | Release

/** How long "this run has no memory to recall" is cached. Entries added meanwhile show up after at most this long. */
export const memoryFreshMs = 1_000

/**
 * Executes the remaining steps of a run.
 *
 * The next model call starts while the step boundary before it is still being written, so that a
 * step does not wait for a commit. If the write fails or shows that the run is lost, the call is
 * aborted. Only a model call may start early, never a tool call.
 */
export async function runCrew(
  { services, port, draining, write, countUsage, notes, gate, offers, warn }: CrewDeps,
  run: TakenRun,
  halt: AbortController,
): Promise<CrewEnd> {
  const { fence, definition } = run
  const { signal } = halt
  using _ = haltAfter(halt, definition.limits.max_run_seconds * 1000 - run.elapsedMs)
  const deps = {
    ...services,
    port,
    fence,
    signal,
    draining,
    isStopping: () => signal.reason === ('stopping' satisfies Halt),
    countUsage,
    notes,
    gate,
    subject: { workflowId: run.workflowId, threadId: run.threadId, tags: run.tags },
    collected: { bytes: run.toolBytes },
    changed: (events: RunEvent[]) => {
      services.feed.changed(fence.runId)
      services.acknowledged.add(fence, events)
    },
  }
  const prior = [...run.prior]
  let { costUsd, remembers } = run
  let current: CurrentStep = run
  let written = Promise.resolve(true)
  let unwritten: Unwritten = { ...whereIs(run.step), usage: noUsage }
  const lost = (ahead: Pick<StepOutcome, 'usage' | 'bills'> = { usage: noUsage }): Lost => ({
    isLost: true,
    ...unwritten,
    usage: addUsage(unwritten.usage, ahead.usage),
    bills: [...(unwritten.bills ?? []), ...(ahead.bills ?? [])],
  })
  let lookedAt = performance.now()
  const mayRemember = async (position: number): Promise<boolean> => {
    if (performance.now() - lookedAt < memoryFreshMs) return false
    lookedAt = performance.now()
    return hasMemoryBehind(port, { ...run, ...fence }, position)
  }
  for (;;) {
    const { step, tries, storedTurns } = current
    const work = await prepareStep(
      { services, port, offers },
      run,
      step,
      stepInput(run.prompt, prior, run.context),
      storedTurns,
    )
    const call = traceAgent({ ...fence, ...step }, () =>
      runStep({ ...deps, tokens: services.feed.tokens, written }, { ...work, tries, costUsd }),
    )
    if (!(await orHalt(written, call, halt))) {
      // The step of this call was not created, so its usage counts for the step before.
      return lost(await call.catch(() => undefined))
    }
    let outcome = await call
    costUsd += outcome.recorded.costUsd + outcome.usage.costUsd
    const recorded = addUsage(current.recorded, outcome.recorded)
    const where = whereIs(step)
    const { usage, bills } = outcome
    unwritten = { ...where, usage, bills }
    if (outcome.kind === 'lost') return lost()
    if (outcome.kind === 'postponed') {
      const heldMs = outcome.recorded === noUsage ? current.heldMs : 0
      const outage = outageOf(definition.limits, outcome, heldMs)
      if (outage.leftMs > 0) {
        const delaySeconds = Math.min(outcome.delaySeconds, outage.leftMs / 1_000)
        return { ...where, ...outcome, delaySeconds }
      }
      const { failure } = outage
      outcome = { kind: 'failed', failure, usage, recorded: outcome.recorded, bills }
    }
    if (outcome.kind === 'aborted' && signal.reason !== ('overtime' satisfies Halt)) {
      if (signal.reason === ('lost' satisfies Halt)) return lost()
      return { ...where, ...outcome, delaySeconds: 0 }
    }
    if (outcome.kind === 'finished') {
      prior.push({ role: step.role, output: outcome.output, isCut: isCut(outcome) })
      // The step's tools may have written a memory entry for a later step, and so may other runs.
      remembers ||= outcome.usedTools || (await mayRemember(step.position))
    }
    const ending = { ...step, recorded, maxTokens: work.maxTokens }
    const change = await toChange(
      { ...services, port, warn },
      { ...run, remembers },
      ending,
      outcome,
      prior,
      costUsd,
    )
    written = write(change, bills)
    // The failure is handled by the later `await`; this avoids an unhandled rejection until then.
    written.catch(() => {})
    if (change.next === null) return (await written) ? 'idle' : lost()
    current = { step: change.next, tries: 0, storedTurns: 0, heldMs: 0, recorded: noUsage }
    if (draining.aborted) {
      if (!(await written)) return lost()
      return { ...whereIs(current.step), tries: 0, usage: noUsage, delaySeconds: 0 }
    }
  }
}

/** The step in progress, and what earlier takes of the run have done for it. */
type CurrentStep = Pick<TakenRun, 'step' | 'tries' | 'storedTurns' | 'heldMs' | 'recorded'>

function whereIs({ position, model }: StepStart): Pick<Unwritten, 'position' | 'model'> {
  return { position, model }
}

/**
 * How long a run may still wait for its provider, held or between tries, and the failure after that.
 * `heldMs` is the time since its first call without an answer.
 */
function outageOf(
  limits: Partial<Limits>,
  { held, message: failure, isBack = false }: Postponed,
  heldMs: number,
): { leftMs: number; failure: RunFailure } {
  // Definitions frozen by an earlier version of Muster have no such limit.
  const { max_outage_seconds: seconds = defaultOutageSeconds } = limits
  const isHeld = held?.reason === 'provider_unavailable' && !isBack
  const isOutage = isHeld || failure !== undefined
  const leftMs = isOutage ? seconds * 1_000 - heldMs - (held?.lostMs ?? 0) : Infinity
  const message = `limits.max_outage_seconds of ${seconds} is exceeded: ${held?.message ?? failure}`
  return { leftMs, failure: { code: 'step_failed', message } }
}

type Resting = Extract<
  StepOutcome,
  { kind: 'finished' | 'failed' | 'waiting' | 'over-cost' | 'aborted' }
>

/** The change that the end of a step writes. */
async function toChange(
  { database, port, warn }: Pick<WorkerServices, 'database'> & Pick<CrewDeps, 'port' | 'warn'>,
  run: TakenRun,
  step: EndingStep & StepStart,
  outcome: Resting,
  prior: TakenRun['prior'],
  costUsd: number,
): Promise<Change> {
  const { fence, definition } = run
  const { limits, humanInTheLoop } = definition
  switch (outcome.kind) {
    case 'failed':
      return failStep(fence, step, outcome.failure, outcome.usage)
    case 'aborted': {
      const message = `limits.max_run_seconds of ${limits.max_run_seconds} is exceeded`
      return failStep(fence, step, { code: 'budget_exceeded', message }, outcome.usage)
    }
    case 'waiting': {
      const asked = []
      for (const { call, action } of outcome.calls) {
        const why = await whyFetchAsks(database, { ...fence, ...step }, call, givenTo(run, step))
        asked.push(pendingFor(fence.runId, step, { ...call, why }, action, humanInTheLoop))
      }
      const before = outcome.isContinued ? await readOpenCase(database, fence) : null
      return pauseRun(fence, waitFor(asked, humanInTheLoop.timeout_seconds, before))
    }
    case 'over-cost': {
      const { approved } = definition
      const pending = pendingForCost(fence.runId, step, outcome.cost, humanInTheLoop, approved)
      return pauseRun(fence, { pending, timeoutSeconds: humanInTheLoop.timeout_seconds })
    }
    case 'finished': {
      const { output, outputJson, usage, facts, callWarnings } = outcome
      const models = await port.modelsOf(fence.accountId)
      const modelWarnings = models.warningsOf([facts.model])
      const answered = { ...step, facts, outputJson, modelWarnings, callWarnings }
      modelWarnings.forEach(warn)
      const tooDear = overCost(limits, costUsd)
      if (tooDear !== undefined) {
        const message = `${stepLabel(step)}: ${tooDear}`
        const failure = { code: 'budget_exceeded' as const, message }
        return finishStepAndFail(fence, answered, output, usage, failure)
      }
      const input = (): string => stepInput(run.prompt, prior)
      const opening = { ...run, ...fence }
      const next = await openStep(port, opening, step.position + 1, input)
      return next?.kind === 'refused'
        ? finishStepAndFail(fence, answered, output, usage, next.failure)
        : finishStep(fence, answered, output, usage, next?.step ?? null)
    }
  }
}

/** Waits for a write while a call is in progress; aborts the call if the run is lost. */
async function orHalt(
  written: Promise<boolean>,
  call: Promise<unknown>,
  halt: AbortController,
): Promise<boolean> {
  // The failure is handled by the later `await`; this avoids an unhandled rejection until then.
  call.catch(() => {})
  const isOurs = await written.catch((error: unknown) => {
    halt.abort('lost' satisfies Halt)
    throw error
  })
  if (!isOurs) halt.abort('lost' satisfies Halt)
  return isOurs
}

/**
 * Interrupts when the run's time is over. A plain timer, because a composed signal stays in memory
 * for long.
 */
function haltAfter(halt: AbortController, leftMs: number): Disposable {
  const stop = (): void => halt.abort('overtime' satisfies Halt)
  if (leftMs <= 0) stop()
  const timer = setTimeout(stop, Math.max(0, leftMs))
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
