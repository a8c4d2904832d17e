import type { Context } from '../context.ts'
import type { ModelInfo } from '../models/contract.ts'
import { toModelInfo } from './find-tuned-model.ts'
import { listTuned } from './store.ts'

/** The newest of an account, so that the list stays one answer. */
const maxTuned = 1_000

/** The models of the deployment, then those that the account tuned, newest first. */
export async function listModels(ctx: Context): Promise<ModelInfo[]> {
  const tuned = await listTuned(ctx.reads, ctx.accountId, maxTuned)
  return [
    ...ctx.models.list(),
    ...tuned.flatMap((job) =>
      job.fine_tuned_model === null ? [] : [toModelInfo(ctx, job, job.fine_tuned_model)],
    ),
  ]
}
