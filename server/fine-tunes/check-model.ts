import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { findTunedModel } from './find-tuned-model.ts'
import { listModels } from './list-models.ts'

/** Refuses a model that this account cannot run: neither one of the deployment nor one it tuned. */
export async function checkModel(ctx: Context, param: string, id: string): Promise<void> {
  const model = ctx.models.find(id) ?? (await findTunedModel(ctx, ctx.accountId, id))
  if (model?.available === true) return
  const own = (await listModels(ctx)).filter((one) => one.kind === 'fine_tuned' && one.available)
  const ids = own.map((one) => one.id)
  const near = ctx.models.nearest(id, 3, ids).join(', ')
  const why = `${param} is ${id}, not a model that this deployment can run, nearest are ${near}`
  throw cannot(ctx, 'unknown_model', why, { param })
}
