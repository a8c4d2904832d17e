import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { memorySection } from '../engine/run/memory-section.ts'
import { describeFiles, planFiles } from '../files/for-agents/plan-files.ts'
import { readStepFiles } from '../files/for-agents/step-files.ts'
import { agentOf, type Agent } from '../engine/run/definition.ts'
import { promptOf, stepInput } from '../engine/run/step.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { pickUsage, toToolCall } from '../engine/reads/rows.ts'
import type { Turn } from '../engine/wire/step.ts'
import * as store from '../engine/reads/turns.ts'

const defaultLimit = 50
/** A turn that starts after this many bytes goes on the next page. */
const maxPageBytes = 4 * 1024 * 1024

/**
 * The turns of a step, assembled from what is stored: all but the last from their own rows, the
 * last from the step, the first messages from the frozen definition. A reused step has the turns of
 * the run that executed it, and none if that run is deleted.
 */
export async function listTurns(
  ctx: Context,
  { id, order }: { id: string; order: string },
  { limit = defaultLimit, after }: PageRequest,
): Promise<Page<Turn>> {
  const position = /^\d{1,4}$/.test(order) ? Number(order) : -1
  const step = await store.findStep(ctx.reads, ctx.accountId, id, position)
  if (step === undefined) {
    throw cannot(ctx, 'not_found', `run ${id} has no step ${order}`)
  }
  if (step.isGone) return { items: [], next: undefined }
  const found = { accountId: ctx.accountId, runId: step.run_id }
  const files = await readStepFiles(ctx.reads, found, position)
  const hasAnswer = step.output !== null
  const count = step.turns + (hasAnswer ? 1 : 0)
  // The cursor of a list sorted by time, with the number in place of the time. No turn comes after
  // the last.
  const from = after === undefined ? 0 : Math.min(after.at.getTime() + 1, count)
  const shown = describeFiles(planFiles(files, ctx.models.find(step.model)))
  const opening = from === 0 ? firstMessages(step, shown) : []
  const first = bytesOf(opening)
  const range = { from, to: Math.min(count, from + limit), maxBytes: maxPageBytes - first }
  const stored = await store.readTurns(ctx.reads, ctx.accountId, step, range)
  const items = stored.map((row) => toTurn(step, row, opening))
  const isLastNext = hasAnswer && from + items.length === step.turns && range.to === count
  const hasRoom = items.length === 0 || first + (stored.at(-1)?.bytes ?? 0) < maxPageBytes
  if (isLastNext && hasRoom) items.push(lastTurn(step, opening))
  const end = from + items.length
  return {
    items,
    next: items.length > 0 && end < count ? { at: new Date(end - 1), id } : undefined,
  }
}

function toTurn(step: store.StepOfTurns, row: store.TurnRow, opening: Turn['messages']): Turn {
  const parts = row.message?.content ?? []
  const joinParts = (type: string) =>
    parts.flatMap((part) => (part.type === type ? [part.text ?? ''] : [])).join('')
  return {
    number: row.number,
    model: row.model ?? step.model,
    messages: row.number === 0 ? opening : [],
    tools: row.tools ?? [],
    output_schema: schemaOf(step),
    text: row.message === null ? null : joinParts('text'),
    problem: row.problem,
    reasoning: joinParts('reasoning') || null,
    calls: (row.calls ?? []).map(toToolCall),
    ...pickUsage(row),
    duration_ms: row.duration_ms,
    request_id: row.request_id,
  }
}

/** Its usage is the step's minus that of the earlier turns. */
function lastTurn(step: store.StepOfTurns, opening: Turn['messages']): Turn {
  return {
    number: step.turns,
    model: step.model,
    messages: step.turns === 0 ? opening : [],
    tools: step.tools ?? [],
    output_schema: schemaOf(step),
    text: step.output,
    problem: null,
    reasoning: null,
    calls: [],
    ...step.last,
    duration_ms: step.duration_ms,
    request_id: step.request_id,
  }
}

function bytesOf(messages: Turn['messages']): number {
  return messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
}

/** Files appear as they were described to the model, without their contents. */
function firstMessages(step: store.StepOfTurns, files: string): Turn['messages'] {
  const { instructions } = agentOfStep(step)
  const notes = memorySection(step.memory ?? [])
  const system = notes === '' ? instructions : `${instructions}\n\n${notes}`
  const input = stepInput(promptOf(step.input, step.data), step.prior ?? [], step.context)
  return [
    { role: 'system', text: system },
    { role: 'user', text: files === '' ? input : `${input}\n\n${files}` },
  ]
}

function schemaOf(step: store.StepOfTurns): Turn['output_schema'] {
  const { outputSchema } = agentOfStep(step)
  return outputSchema === undefined ? null : (JSON.parse(outputSchema) as Record<string, unknown>)
}

function agentOfStep({ definition, position, agent_id: agentId }: store.StepOfTurns): Agent {
  return agentOf(definition, { position, agentId })
}
