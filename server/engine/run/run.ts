import { noUsage, type Usage } from '../../models/contract.ts'
import { storable } from '../../safe-text.ts'
import { requestsOf } from './case.ts'
import type { PendingRequest, Wait } from './pending.ts'
import {
  stepCompleted,
  stepFailed,
  stepLabel,
  stepStarted,
  warningsOf,
  type EndingStep,
  type RunWarning,
  type StepStart,
  type TurnFacts,
  runEvent,
  type RunEvent,
} from './step.ts'

/**
 * The state machine of a run. This room is pure: it knows runs, steps, calls, requests to people
 * and definitions, and what each may become, but no database. The worker asks it what an outcome
 * makes of a run; the journal writes the result.
 *
 *     queued → running → completed | failed
 *       ↓         ↕
 *     failed  waiting_input → failed
 *
 * A `Change` is everything that one step boundary writes: the finished step, the counters, the next
 * step or the run's end, and the events. `boundary.ts` applies it in one statement, behind the
 * fence `attempt`: a worker that lost its run changes nothing.
 */
export const runStatuses = ['queued', 'running', 'waiting_input', 'completed', 'failed'] as const
export type RunStatus = (typeof runStatuses)[number]

export const runErrorCodes = [
  'step_failed',
  'agent_paused',
  'wait_expired',
  'cancelled',
  'budget_exceeded',
  'internal',
  'output_invalid',
] as const
export type RunErrorCode = (typeof runErrorCodes)[number]

export function isTerminal(status: RunStatus): boolean {
  return status === 'completed' || status === 'failed'
}

/** The run does not move until a person or a program acts. */
export function isIdle(status: RunStatus): boolean {
  return isTerminal(status) || status === 'waiting_input'
}

export interface RunFailure {
  code: RunErrorCode
  message: string
}

/** What a step boundary writes; see above. */
export interface Change extends Fence {
  status: 'running' | 'waiting_input' | 'completed' | 'failed'
  /** The step that ends here; null when none was in progress. */
  ended: {
    position: number
    model: string
    output: string | null
    /** JSON text of the structured output, if the agent has a schema. */
    outputJson?: string
    error: string | null
    usage: Usage
    /** Facts of the turn that answered, if there was one. */
    facts?: TurnFacts
  } | null
  error: string | null
  errorCode: RunErrorCode | null
  next: StepStart | null
  /** What the run waits for from here on. */
  wait: Wait | null
  warnings?: RunWarning[]
  events: RunEvent[]
}

export interface RunKey {
  accountId: string
  runId: string
}

/** A run, and the take that is allowed to write it. */
export interface Fence extends RunKey {
  attempt: number
  /** The run is a turn of a thread, which is told of its end. */
  isTurn?: boolean | undefined
}

/** Defaults of a change: no step ends or starts, nothing fails, nothing waits. */
const unchanged = { ended: null, error: null, errorCode: null, next: null, wait: null } as const

/** A step finished: the next one starts, or the run is complete. */
export function finishStep(
  fence: Fence,
  step: EndingStep,
  output: string,
  usage: Usage,
  next: StepStart | null,
): Change {
  const text = storable(output)
  return {
    ...unchanged,
    ...fence,
    status: next === null ? 'completed' : 'running',
    ended: {
      position: step.position,
      model: step.facts?.model ?? step.model,
      output: text,
      error: null,
      usage,
      ...(step.outputJson !== undefined && { outputJson: step.outputJson }),
      ...(step.facts && { facts: step.facts }),
    },
    next,
    warnings: warningsOf(step),
    events: [
      ...stepCompleted(fence.runId, step, usage),
      next === null ? runEvent(fence.runId, 'run.completed') : stepStarted(fence.runId, next),
    ],
  }
}

/** A step failed, and with it the run. The error starts with the step's name. */
export function failStep(
  fence: Fence,
  step: EndingStep,
  failure: RunFailure,
  usage: Usage = noUsage,
): Change {
  const message = storable(failure.message)
  const error = `${stepLabel(step)}: ${message}`
  return {
    ...unchanged,
    ...fence,
    status: 'failed',
    ended: { position: step.position, model: step.model, output: null, error: message, usage },
    error,
    errorCode: failure.code,
    events: [stepFailed(fence.runId, step, usage, message), runFailed(fence, error, failure)],
  }
}

/** A step finished, but the run cannot continue: its output is kept, the run fails. */
export function finishStepAndFail(
  fence: Fence,
  step: EndingStep,
  output: string,
  usage: Usage,
  failure: RunFailure,
): Change {
  const error = storable(failure.message)
  return {
    ...finishStep(fence, step, output, usage, null),
    status: 'failed',
    error,
    errorCode: failure.code,
    events: [...stepCompleted(fence.runId, step, usage), runFailed(fence, error, failure)],
  }
}

/** The run waits for a person, its step still in progress. */
export function pauseRun(fence: Fence, wait: Wait): Change {
  return {
    ...unchanged,
    ...fence,
    status: 'waiting_input',
    wait,
    events: [waitingEvent(fence.runId, wait.pending)],
  }
}

export function waitingEvent(runId: string, pending: PendingRequest): RunEvent {
  const requests = requestsOf(pending).map(({ id, kind, tool, call_id }) => ({
    pending_id: id,
    kind,
    tool,
    call_id,
  }))
  const { step_order: order, role, kind, prompt } = pending
  const data = {
    ...requests[0],
    order,
    role,
    ...(requests.length > 1 && { calls: requests }),
    // The prompt of a budget request is stored only here; other prompts can be derived from their
    // tool call.
    ...(kind === 'budget' && { prompt }),
  }
  const what = requests.map((one) => one.pending_id).join(' ')
  return runEvent(runId, 'run.waiting_input', data, what)
}

/** The run ends between steps, or before the first. The events `before` are logged first. */
export function failRun(fence: Fence, failure: RunFailure, before: RunEvent[] = []): Change {
  return {
    ...unchanged,
    ...fence,
    status: 'failed',
    error: failure.message,
    errorCode: failure.code,
    events: [...before, runFailed(fence, failure.message, failure)],
  }
}

function runFailed({ runId }: Fence, error: string, { code }: RunFailure): RunEvent {
  return runEvent(runId, 'run.failed', { error, error_code: code })
}
