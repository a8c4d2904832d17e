import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'

/** Refuses a model that cannot be routed. */
export async function checkModel(
  ctx: Context,
  action: string,
  param: string,
  id: string,
): Promise<void> {
  if (ctx.models.find(id)?.available === true) return
  const nearest = ctx.models.nearest(id).join(', ')
  throw new DomainError(
    'unknown_model',
    `Cannot ${action}: ${param} is ${id}, not a model that this deployment can run, nearest are ${nearest}`,
    { param },
  )
}
