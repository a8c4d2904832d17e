import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { memorySection } from '../memory/prompt-section.ts'
import { agentOf } from '../engine/state/definition.ts'
import { stepInput } from '../engine/state/run.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { pickUsage, toToolCall } from './rows.ts'
import type { Turn } from './step-schema.ts'
import * as store from './turns-store.ts'

const defaultLimit = 50

/**
 * The turns of a step, put together from what is stored: all but the last from their own rows, the last
 * from the step, the first messages from the frozen definition. A step that a retry took over has those of
 * the run that did it, and none where that run is gone.
 */
export async function listTurns(
  ctx: Context,
  { id, order }: { id: string; order: string },
  { limit = defaultLimit, after }: PageRequest,
): Promise<Page<Turn>> {
  const position = /^\d{1,4}$/.test(order) ? Number(order) : -1
  const step = await store.findStep(ctx.reads, ctx.accountId, id, position)
  if (step === undefined) {
    throw new DomainError('not_found', `Cannot list turns of step: run ${id} has no step ${order}`)
  }
  if (step.isGone) return { items: [], next: undefined }
  const hasAnswer = step.output !== null
  const count = step.turns + (hasAnswer ? 1 : 0)
  // The cursor of a list without times: the number stands in for one.
  const from = after === undefined ? 0 : after.at.getTime() + 1
  const to = Math.min(count, from + limit)
  const stored = await store.readTurns(ctx.reads, ctx.accountId, step, { from, to })
  const items = stored.map((row) => toTurn(step, row))
  if (hasAnswer && from < count && to === count) items.push(lastTurn(step))
  const next = to < count ? { at: new Date(to - 1), id } : undefined
  return { items, next }
}

function toTurn(step: store.StepOfTurns, row: store.TurnRow): Turn {
  const parts = row.message?.content ?? []
  const textOf = (type: string) =>
    parts.flatMap((part) => (part.type === type ? [part.text ?? ''] : [])).join('')
  return {
    number: row.number,
    model: step.model,
    messages: row.number === 0 ? firstMessages(step) : [],
    tools: row.tools ?? [],
    text: row.message === null ? null : textOf('text'),
    reasoning: textOf('reasoning') || null,
    calls: (row.calls ?? []).map(toToolCall),
    ...pickUsage(row),
    duration_ms: row.duration_ms,
    request_id: row.request_id,
  }
}

/** What it used is what the turns before it have not. */
function lastTurn(step: store.StepOfTurns): Turn {
  return {
    number: step.turns,
    model: step.model,
    messages: step.turns === 0 ? firstMessages(step) : [],
    tools: step.tools ?? [],
    text: step.output,
    reasoning: null,
    calls: [],
    ...step.last,
    duration_ms: step.duration_ms,
    request_id: step.request_id,
  }
}

function firstMessages(step: store.StepOfTurns): Turn['messages'] {
  const { position, agent_id: agentId } = step
  const { instructions } = agentOf(step.definition, { position, agentId })
  const notes = memorySection(step.memory ?? [])
  const system = notes === '' ? instructions : `${instructions}\n\n${notes}`
  return [
    { role: 'system', text: system },
    { role: 'user', text: stepInput(step.input, step.prior ?? []) },
  ]
}
