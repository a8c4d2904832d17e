import {
  addUsage,
  noUsage,
  type AnswerWarning,
  type ModelWarning,
  type Usage,
} from '../../models/contract.ts'
import { siblingId, derivedId } from '../../ids.ts'
import type { CallWarning } from './undone-calls.ts'

/** A step of a run, pure: its start, its prompt, its end, and the events about it. */
export interface StepStart {
  id: string
  position: number
  role: string
  model: string
  agentId: string | null
  /** Version of the standing agent; left out if there is none. */
  agentVersion?: number | undefined
  /** Memory entries in the agent's prompt, as they were when the step started. */
  memory: ShownEntry[]
}

export interface ShownEntry {
  id: string
  content: string
  pinned: boolean
}

/** A step at its end. */
export type EndingStep = Pick<StepStart, 'position' | 'role' | 'model'> & {
  /** Usage that its turns have recorded already. */
  recorded?: Usage
  /** Facts of the turn that ended it. */
  facts?: TurnFacts
  /** JSON text of its structured answer, if the agent has a schema. */
  outputJson?: string | undefined
  /** Warnings of the model that answered. */
  modelWarnings?: ModelWarning[]
  /** Its calls whose action was not done, or may not have been. */
  callWarnings?: CallWarning[]
  /** The agent's limit; null for the model's own. */
  maxTokens?: number | null
}

/** How a turn was made, for later inspection. */
export interface TurnFacts {
  /** Duration of the model call that answered. */
  durationMs: number
  /** The provider's id of the request. */
  requestId: string | null
  /** Hash under which the offered tools are stored, hexadecimal; null if none were offered. */
  toolsHash: string | null
  finishReason: FinishReason
  /** The model that answered: the step's own or a fallback. */
  model: string
  warning?: AnswerWarning | undefined
}

/** Why a model stopped: it was done, or it reached the limit of output tokens. */
export const finishReasons = ['stop', 'length', 'other'] as const
export type FinishReason = (typeof finishReasons)[number]

export function toFinishReason(reason: string): FinishReason {
  return finishReasons.find((known) => known === reason) ?? 'other'
}

/** A problem that does not stop the run. */
export interface RunWarning {
  code: 'answer_cut' | CallWarning['code'] | AnswerWarning['code'] | ModelWarning['code']
  message: string
  step_order: number
}

/** A finished step, as input for later ones. */
export interface PriorStep {
  role: string
  output: string
  /** The output is incomplete, because the model reached its limit of output tokens. */
  isCut?: boolean | null
}

/** The prompt that a run's agents get: the input, and the data unless that is the input itself. */
export function promptOf(input: string, data: object | null): string {
  const text = data === null ? input : JSON.stringify(data)
  return text === input ? input : `${input}\n\n## Data\n\n${text}`
}

/**
 * The prompt of a step: the run's input, then each prior output under its role's name. The first step of a turn of a
 * thread has the earlier turns before it, which are the run's `context`.
 */
export function stepInput(
  runInput: string,
  prior: readonly PriorStep[],
  context: string | null = null,
): string {
  if (prior.length === 0 && context !== null) return `${context}\n\n## New message\n\n${runInput}`
  const sections = prior.map(
    ({ role, output, isCut }, position) =>
      `## Output of ${role} (step ${position})\n\n${output}${isCut ? cutNote : ''}`,
  )
  return [runInput, ...sections].join('\n\n')
}

const cutNote =
  '\n\n[Incomplete: this output was cut off here, at the limit of output tokens of its model.]'

export function beginStep(
  runId: string,
  position: number,
  {
    role,
    model,
    agentId,
    agentVersion,
  }: Pick<StepStart, 'role' | 'model' | 'agentId' | 'agentVersion'>,
  memory: ShownEntry[] = [],
): StepStart {
  const id = siblingId('step', runId, String(position))
  const version = agentVersion === undefined ? {} : { agentVersion }
  return { id, position, role, model, agentId, ...version, memory }
}

/** Events of a run that starts with this step. */
export function startEvents(runId: string, step: StepStart): RunEvent[] {
  return [runEvent(runId, 'run.started'), stepStarted(runId, step)]
}

export function stepStarted(runId: string, step: StepStart): RunEvent {
  return runEvent(runId, 'step.started', named(step), step.position)
}

export function stepCompleted(runId: string, step: EndingStep, usage: Usage): RunEvent[] {
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

export function stepFailed(runId: string, step: EndingStep, usage: Usage, error: string): RunEvent {
  const data = { ...named(step), ...counted(step, usage), error }
  return runEvent(runId, 'step.failed', data, step.position)
}

export function isCut({ facts }: Pick<EndingStep, 'facts'>): boolean {
  return facts?.finishReason === 'length'
}

export function warningsOf(step: EndingStep): RunWarning[] {
  const { position, role, facts, modelWarnings = [], callWarnings = [] } = step
  return [
    ...(isCut(step) ? [cutWarning(step)] : []),
    ...[...callWarnings, ...modelWarnings, ...(facts?.warning ? [facts.warning] : [])].map(
      ({ code, message }) => ({
        code,
        message: `${stepLabel({ position, role })}: ${message}`,
        step_order: position,
      }),
    ),
  ]
}

function cutWarning({ position, role, maxTokens = null }: EndingStep): RunWarning {
  const limit = maxTokens === null ? "the model's own limit" : `maxTokens of ${maxTokens}`
  const message = `${stepLabel({ position, role })}: the answer was cut off at ${limit} and is incomplete`
  return { code: 'answer_cut', message, step_order: position }
}

/** A step in messages to people, who count from 1; the API's `order` counts from 0. */
export function stepLabel({ position, role }: Pick<StepStart, 'position' | 'role'>): string {
  return `step ${position + 1} (${role})`
}

/** Data of a `step.*` event. */
function named(step: Pick<StepStart, 'position' | 'role' | 'model'>): {
  order: number
  role: string
  model: string
} {
  return { order: step.position, role: step.role, model: step.model }
}

/** The step's total usage. */
function counted({ recorded = noUsage }: EndingStep, usage: Usage): Record<string, number> {
  const { tokensIn, tokensOut, costUsd, callsWithoutPrice } = addUsage(recorded, usage)
  return {
    tokens_in: tokensIn,
    tokens_out: tokensOut,
    cost_usd: Number(costUsd.toFixed(10)),
    ...(callsWithoutPrice > 0 && { calls_without_price: callsWithoutPrice }),
  }
}

/** The types of events; `wire/events.ts` has the data of each. */
export type RunEventType =
  | 'run.queued'
  | 'run.started'
  | 'step.started'
  | 'step.cut'
  | 'step.completed'
  | 'step.failed'
  | 'tool.started'
  | 'tool.requested'
  | 'tool.completed'
  | 'file.written'
  | 'memory.evicted'
  | 'run.waiting_input'
  | 'run.approval_given'
  | 'run.resumed'
  | 'run.completed'
  | 'run.failed'

/** An entry of a run's event log. */
export interface RunEvent {
  id: string
  type: RunEventType
  data: Record<string, unknown>
}

/**
 * `what` distinguishes events of the same type in a run: the position of a step, or an id. The
 * event id is derived from these, not from the data.
 */
export function runEvent(
  runId: string,
  type: RunEventType,
  data: Record<string, unknown> = {},
  what: string | number = '',
): RunEvent {
  const isOfMany = typeof what === 'string' && what !== ''
  const id = isOfMany
    ? derivedId('evt', runId, type, what)
    : siblingId('evt', runId, `${type} ${what}`)
  return { id, type, data }
}
