import { derivedId } from '../../ids.ts'
import { noUsage, type ModelWarning, type TurnUsage } from '../../models/contract.ts'
import type { PendingRequest, Wait } from './pending-request.ts'

/**
 * The state machine of a run, pure: what a run may become, and the change that each outcome makes.
 *
 *     queued → running → completed | failed
 *       ↓         ↕
 *     failed  waiting_input → failed
 *
 * A `Change` is everything that one step boundary writes: the finished step, the counters, the next
 * step or the run's end, and the events. `run-store.ts` applies it in one statement, behind the
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

/** One that reads the run has nothing more to wait for until somebody acts. */
export function isAtRest(status: RunStatus): boolean {
  return isTerminal(status) || status === 'waiting_input'
}

export interface RunEvent {
  id: string
  type: string
  data: Record<string, unknown>
}

/** `what` tells it from others of this type in the run. Its id follows from these, not from the data. */
export function runEvent(
  runId: string,
  type: string,
  data: Record<string, unknown> = {},
  what: string | number = '',
): RunEvent {
  return { id: derivedId('evt', runId, type, what), type, data }
}

/** A step as it begins. */
export interface StepStart {
  id: string
  position: number
  role: string
  model: string
  agentId: string | null
  /** Memory entries that the agent is shown, as they are now. */
  memory: ShownEntry[]
}

export interface ShownEntry {
  id: string
  content: string
  pinned: boolean
}

/** A step as it ends. */
export type EndingStep = Pick<StepStart, 'position' | 'role' | 'model'> & {
  /** What its turns have written already. */
  recorded?: Usage
  /** Of the turn that ended it. */
  facts?: TurnFacts
  /** JSON text of its answer, where that is an object by a schema. */
  outputJson?: string | undefined
  /** Of the model that answered. */
  modelWarnings?: ModelWarning[]
  /** What its agent sets; null for the model's own limit. */
  maxTokens?: number | null
}

/** A finished step as those after it read it. */
export interface PriorStep {
  role: string
  output: string
  /** The model reached its limit of output tokens: the output is incomplete. */
  isCut?: boolean | null
}

/** What one or more model calls used. */
export type Usage = TurnUsage

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    costUsd: a.costUsd + b.costUsd,
    tokensCached: a.tokensCached + b.tokensCached,
    tokensCacheWritten: a.tokensCacheWritten + b.tokensCacheWritten,
    tokensReasoning: a.tokensReasoning + b.tokensReasoning,
    callsWithoutUsage: a.callsWithoutUsage + b.callsWithoutUsage,
  }
}

export interface RunFailure {
  code: RunErrorCode
  message: string
}

/** How a turn was made, for those who look at it later. */
export interface TurnFacts {
  /** Of the model call that answered. */
  durationMs: number
  /** The provider's name of it. */
  requestId: string | null
  /** Where the tools are kept that it was offered, hexadecimal; null for none. */
  toolsHash: string | null
  finishReason: FinishReason
  /** Which answered: the step's own or a fallback. */
  model: string
}

/** Why a model stopped: its answer was done, or cut at the limit of output tokens. */
export const finishReasons = ['stop', 'length', 'other'] as const
export type FinishReason = (typeof finishReasons)[number]

/** Worth knowing about a run that goes on all the same. */
export interface RunWarning {
  code: 'answer_cut' | ModelWarning['code']
  message: string
  step_order: number
}

/** What a boundary writes; see above. */
export interface Change {
  runId: string
  accountId: string
  attempt: number
  status: 'running' | 'waiting_input' | 'completed' | 'failed'
  /** The step that ends here; null when none was in progress. */
  ended: {
    position: number
    model: string
    output: string | null
    /** JSON text of the object that the output is, where the agent has a schema. */
    outputJson?: string
    error: string | null
    usage: Usage
    /** Of the turn that answered, where one did. */
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

/** The run that a change is for, and the take that may write it. */
export interface Fence {
  runId: string
  accountId: string
  attempt: number
}

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
    error: null,
    errorCode: null,
    next,
    wait: null,
    warnings: warningsOf(step),
    events: [
      ...completed(fence, step, usage),
      next === null ? runEvent(fence.runId, 'run.completed') : stepStarted(fence.runId, next),
    ],
  }
}

function completed({ runId }: Fence, step: EndingStep, usage: Usage): RunEvent[] {
  const { position, maxTokens = null, facts } = step
  const cut = runEvent(runId, 'step.cut', { ...named(step), max_tokens: maxTokens }, position)
  const reason = facts && { finish_reason: facts.finishReason }
  const data = {
    ...named(step),
    ...(facts && { model: facts.model }),
    ...counted(step, usage),
    ...reason,
  }
  return [...(isCut(step) ? [cut] : []), runEvent(runId, 'step.completed', data, position)]
}

export function isCut({ facts }: Pick<EndingStep, 'facts'>): boolean {
  return facts?.finishReason === 'length'
}

function warningsOf(step: EndingStep): RunWarning[] {
  const { position, role, modelWarnings = [] } = step
  return [
    ...(isCut(step) ? [cutWarning(step)] : []),
    ...modelWarnings.map(({ code, message }) => ({
      code,
      message: `step ${position} (${role}): ${message}`,
      step_order: position,
    })),
  ]
}

function cutWarning({ position, role, maxTokens = null }: EndingStep): RunWarning {
  const limit = maxTokens === null ? "the model's own limit" : `maxTokens of ${maxTokens}`
  const message = `step ${position} (${role}): the answer was cut off at ${limit} and is incomplete`
  return { code: 'answer_cut', message, step_order: position }
}

/** A step failed, and the run with it; the step's name is put before the message. */
export function failStep(
  fence: Fence,
  step: EndingStep,
  failure: RunFailure,
  usage: Usage = noUsage,
): Change {
  const message = storable(failure.message)
  const error = `step ${step.position} (${step.role}): ${message}`
  return {
    ...fence,
    status: 'failed',
    ended: { position: step.position, model: step.model, output: null, error: message, usage },
    error,
    errorCode: failure.code,
    next: null,
    wait: null,
    events: [
      runEvent(
        fence.runId,
        'step.failed',
        { ...named(step), ...counted(step, usage), error: message },
        step.position,
      ),
      runFailed(fence, error, failure),
    ],
  }
}

/** A step finished, but the run cannot go on behind it: its output is kept, the run fails. */
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
    events: [...completed(fence, step, usage), runFailed(fence, error, failure)],
  }
}

/** The run waits for a person, its step in progress. */
export function pauseRun(fence: Fence, wait: Wait): Change {
  return {
    ...fence,
    status: 'waiting_input',
    ended: null,
    error: null,
    errorCode: null,
    next: null,
    wait,
    events: [waitingEvent(fence.runId, wait.pending)],
  }
}

export function waitingEvent(runId: string, pending: PendingRequest): RunEvent {
  const { id, kind, step_order: order, role, tool, call_id } = pending
  const data = { pending_id: id, kind, order, role, tool, call_id }
  return runEvent(runId, 'run.waiting_input', data, id)
}

/** The run ends between steps, or before the first; `before` are events that come before that. */
export function failRun(fence: Fence, failure: RunFailure, before: RunEvent[] = []): Change {
  return {
    ...fence,
    status: 'failed',
    ended: null,
    error: failure.message,
    errorCode: failure.code,
    next: null,
    wait: null,
    events: [...before, runFailed(fence, failure.message, failure)],
  }
}

/** What a run gives its agents: the input, and the data where that is not the input itself. */
export function promptOf(input: string, data: object | null): string {
  const text = data === null ? input : JSON.stringify(data)
  return text === input ? input : `${input}\n\n## Data\n\n${text}`
}

export function stepStarted(runId: string, step: StepStart): RunEvent {
  return runEvent(runId, 'step.started', named(step), step.position)
}

function runFailed({ runId }: Fence, error: string, { code }: RunFailure): RunEvent {
  return runEvent(runId, 'run.failed', { error, error_code: code })
}

/** The prompt of a step: the run's input, then each prior output under its role's name. */
export function stepInput(runInput: string, prior: readonly PriorStep[]): string {
  const sections = prior.map(
    ({ role, output, isCut }, position) =>
      `## Output of ${role} (step ${position})\n\n${output}${isCut ? cutNote : ''}`,
  )
  return [runInput, ...sections].join('\n\n')
}

const cutNote =
  '\n\n[Incomplete: this output was cut off here, at the limit of output tokens of its model.]'

/** Data of a `step.*` event. */
function named(step: Pick<StepStart, 'position' | 'role' | 'model'>): {
  order: number
  role: string
  model: string
} {
  return { order: step.position, role: step.role, model: step.model }
}

/** All that the step has used. */
function counted({ recorded = noUsage }: EndingStep, usage: Usage): Record<string, number> {
  const { tokensIn, tokensOut, costUsd } = addUsage(recorded, usage)
  return { tokens_in: tokensIn, tokens_out: tokensOut, cost_usd: Number(costUsd.toFixed(10)) }
}

/** Text from outside as PostgreSQL can hold it: no NUL, no unpaired surrogate. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}
