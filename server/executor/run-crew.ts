import type { Models } from '../models/models.ts'
import {
  failStep,
  finishStep,
  finishStepOverBudget,
  noUsage,
  stepInput,
  type Change,
  type StepStart,
  type Usage,
} from '../runs/run.ts'
import { newId } from '../ids.ts'
import { runStep } from './run-step.ts'
import type { TakenRun } from './take.ts'

/** Lets go of a run on purpose: its job is put off. */
export interface Release {
  position: number
  /** Failed model calls of the step so far, and what they used. */
  tries: number
  usage: Usage
  delaySeconds: number
}

export interface CrewDeps {
  models: Models
  /** Aborts when no further step shall begin here. */
  draining: AbortSignal
  /** Applies a change; false when the run is not this worker's any more. */
  write: (change: Change) => Promise<boolean>
}

/** The run ended, or it is not this worker's any more, or it cannot go on now. */
export type CrewEnd = 'ended' | 'lost' | Release

/**
 * Carries a run through the rest of its crew.
 *
 * The next model call begins while the boundary before it is still being written: it needs nothing of
 * the database, and a step thus waits for no commit. Should the write fail or find the run lost, the
 * call is aborted; nothing but a model call ever runs ahead.
 */
export async function runCrew(
  { models, draining, write }: CrewDeps,
  run: TakenRun,
  lost: AbortSignal,
): Promise<CrewEnd> {
  const { fence, definition } = run
  const { limits, crew } = definition
  const leftMs = Math.max(0, Math.round(limits.max_run_seconds * 1000 - run.elapsedMs))
  const overtime = AbortSignal.timeout(leftMs)
  const halt = new AbortController()
  const signal = AbortSignal.any([lost, overtime, halt.signal])
  const prior = [...run.prior]
  let { step, tries, costUsd } = run
  let written = Promise.resolve(true)

  for (;;) {
    const agent = crew[step.position]
    if (agent === undefined) throw new Error(`Run ${fence.runId} has no step ${step.position}`)
    const input = stepInput(run.input, prior)
    const call = runStep(models, { agent, input, tries, signal })
    if (!(await orHalt(written, call, halt))) return 'lost'
    const outcome = await call
    costUsd += outcome.usage.costUsd
    let change: Change
    switch (outcome.kind) {
      case 'aborted': {
        if (overtime.aborted) {
          const message = `limits.max_run_seconds of ${limits.max_run_seconds} is exceeded`
          change = failStep(fence, step, { code: 'budget_exceeded', message }, outcome.usage)
          break
        }
        if (lost.reason === 'lost') return 'lost'
        return { position: step.position, ...outcome, delaySeconds: 0 }
      }
      case 'put-off':
        return { position: step.position, ...outcome }
      case 'failed': {
        const failure = { code: 'step_failed', message: outcome.message } as const
        change = failStep(fence, step, failure, outcome.usage)
        break
      }
      case 'finished': {
        const { output, usage } = outcome
        const limit = limits.max_cost_usd
        change =
          limit !== null && costUsd > limit
            ? finishStepOverBudget(fence, step, output, usage, overCost(limit, costUsd))
            : finishStep(fence, step, output, usage, nextStep(run, step))
        prior.push({ role: step.role, output })
      }
    }
    written = write(change)
    if (change.next === null) return (await written) ? 'ended' : 'lost'
    step = change.next
    tries = 0
    if (draining.aborted) {
      if (!(await written)) return 'lost'
      return { position: step.position, tries, usage: noUsage, delaySeconds: 0 }
    }
  }
}

/** Waits for a write while a call is under way; ends the call where the run may not go on. */
async function orHalt(
  written: Promise<boolean>,
  call: Promise<unknown>,
  halt: AbortController,
): Promise<boolean> {
  // Its failure is seen by whoever awaits it; here it must not count as nobody's.
  call.catch(() => {})
  const isOurs = await written.catch((error: unknown) => {
    halt.abort()
    throw error
  })
  if (!isOurs) halt.abort()
  return isOurs
}

function nextStep({ definition }: TakenRun, step: StepStart): StepStart | null {
  const position = step.position + 1
  const agent = definition.crew[position]
  if (agent === undefined) return null
  const { role, model, agentId } = agent
  return { id: newId('step'), position, role, model, agentId }
}

function overCost(limit: number, costUsd: number): string {
  return `limits.max_cost_usd of ${limit} is exceeded, the run has cost ${Number(costUsd.toFixed(6))}`
}
