import { addUsage, noUsage, type ModelWarning, type Usage } from '../../models/contract.ts'
import { siblingId, derivedId } from '../../ids.ts'

/** A step of a run, pure: as it begins, what it is asked, how it ends, and what is said of that. */
export interface StepStart {
  id: string
  position: number
  role: string
  model: string
  agentId: string | null
  /** Of the standing agent; left out where there is none. */
  agentVersion?: number | undefined
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
  /** Actions that its agent asked for and that were refused by a policy. */
  refusedTools?: string[]
  /** What its agent sets; null for the model's own limit. */
  maxTokens?: number | null
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
  code: 'answer_cut' | 'action_refused' | ModelWarning['code']
  message: string
  step_order: number
}

/** A finished step as those after it read it. */
export interface PriorStep {
  role: string
  output: string
  /** The model reached its limit of output tokens: the output is incomplete. */
  isCut?: boolean | null
}

/** What a run gives its agents: the input, and the data where that is not the input itself. */
export function promptOf(input: string, data: object | null): string {
  const text = data === null ? input : JSON.stringify(data)
  return text === input ? input : `${input}\n\n## Data\n\n${text}`
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

/** Of a run that begins with this step. */
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
  const { position, role, modelWarnings = [], refusedTools = [] } = step
  const refused = refusedTools.map((tool) => ({
    code: 'action_refused' as const,
    message: `${tool} was refused and not done`,
  }))
  return [
    ...(isCut(step) ? [cutWarning(step)] : []),
    ...[...refused, ...modelWarnings].map(({ code, message }) => ({
      code,
      message: `${stepLabel({ position, role })}: ${message}`,
      step_order: position,
    })),
  ]
}

function cutWarning({ position, role, maxTokens = null }: EndingStep): RunWarning {
  const limit = maxTokens === null ? "the model's own limit" : `maxTokens of ${maxTokens}`
  const message = `${stepLabel({ position, role })}: the answer was cut off at ${limit} and is incomplete`
  return { code: 'answer_cut', message, step_order: position }
}

/** How people read of a step: they count from 1, the API's `order` from 0. */
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

/** All that the step has used. */
function counted({ recorded = noUsage }: EndingStep, usage: Usage): Record<string, number> {
  const { tokensIn, tokensOut, costUsd } = addUsage(recorded, usage)
  return { tokens_in: tokensIn, tokens_out: tokensOut, cost_usd: Number(costUsd.toFixed(10)) }
}

/** An entry of a run's event log. */
export interface RunEvent {
  id: string
  type: string
  data: Record<string, unknown>
}

/**
 * `what` tells it from others of this type in the run: the position of a step, or an id. Its id follows from
 * these, not from the data.
 */
export function runEvent(
  runId: string,
  type: string,
  data: Record<string, unknown> = {},
  what: string | number = '',
): RunEvent {
  const isOfMany = typeof what === 'string' && what !== ''
  const id = isOfMany
    ? derivedId('evt', runId, type, what)
    : siblingId('evt', runId, `${type} ${what}`)
  return { id, type, data }
}
