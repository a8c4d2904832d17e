import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { CrewEntry } from './schema.ts'

/** Refuses models that cannot be routed and agents that are not of this account. */
export function checkReferences(
  ctx: Context,
  action: string,
  input: { model?: string; crew?: CrewEntry[] },
): void {
  if (input.model !== undefined) checkModel(ctx, action, 'model', input.model)
  input.crew?.forEach((entry, index) => {
    if (entry.model !== undefined) checkModel(ctx, action, `crew[${index}].model`, entry.model)
    if (entry.agentId !== undefined) {
      throw new DomainError(
        'unknown_agent',
        `Cannot ${action}: crew[${index}].agentId is ${entry.agentId}, not an agent of this account`,
        { param: `crew[${index}].agentId` },
      )
    }
  })
}

function checkModel(ctx: Context, action: string, param: string, id: string): void {
  if (ctx.models.find(id)?.available === true) return
  const nearest = ctx.models.nearest(id).join(', ')
  throw new DomainError(
    'unknown_model',
    `Cannot ${action}: ${param} is ${id}, not a model that this deployment can run, nearest are ${nearest}`,
    { param },
  )
}
