import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { findTunedModel } from './find-tuned-model.ts'
import { listModels } from './list-models.ts'

/** Refuses a model that this account cannot run: neither one of the deployment nor one it tuned. */
export async function checkModel(
  ctx: Context,
  action: string,
  param: string,
  id: string,
): Promise<void> {
  const model = ctx.models.find(id) ?? (await findTunedModel(ctx, ctx.accountId, id))
  if (model?.available === true) return
  const own = (await listModels(ctx)).filter(({ kind, available }) => {
    return kind === 'fine_tuned' && available
  })
  const nearest = ctx.models.nearest(
    id,
    3,
    own.map((one) => one.id),
  )
  throw new DomainError(
    'unknown_model',
    `Cannot ${action}: ${param} is ${id}, not a model that this deployment can run, nearest are ${nearest.join(', ')}`,
    { param },
  )
}
