import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import { chooseProvider } from './choose-provider.ts'
import { dropUpload, makeJob } from './make.ts'
import { ProviderError } from './providers/contract.ts'
import { requireJob } from './retrieve.ts'
import type { CreateFineTune, FineTune } from './schema.ts'
import { findJob, insertJob, type JobRow } from './store.ts'
import { toFineTune } from './to-wire.ts'
import { forgetJob } from './tracking-store.ts'
import { findProblems, readSource, type Uploaded } from './training/read-source.ts'
import { uploadSlots } from './training/slots.ts'

const action = 'create fine-tune'

/**
 * Checks and uploads the training set and creates the job. Where the provider cannot be reached before
 * it has the file, nothing is stored; what it says afterwards is on the job.
 */
export async function createFineTune(
  ctx: Context,
  id: string,
  input: CreateFineTune,
  uploaded: Uploaded,
): Promise<FineTune> {
  const { provider, baseModel } = chooseProvider(ctx, action, input)
  if (provider.client === undefined) {
    throw new DomainError(
      'provider_not_configured',
      `Cannot ${action}: ${provider.label} is not configured on this deployment (${provider.keyName})`,
    )
  }
  const set = await readSource(ctx, action, input, uploaded)
  const [problem] = findProblems(set)
  if (problem !== undefined) {
    throw new DomainError(
      problem.line === null ? 'too_few_examples' : 'invalid_training_data',
      `Cannot ${action}: ${problem.message}`,
      {
        param: input.source === 'upload' ? 'training_data' : 'workflow_id',
        ...(problem.line === null ? {} : { line: problem.line }),
      },
    )
  }
  using _slot = await uploadSlots.take(ctx.accountId, action)
  const newJob = {
    id,
    name: input.name,
    provider: provider.id,
    providerLabel: provider.label,
    baseModel: baseModel.id,
    baseModelLabel: baseModel.label,
    suffix: input.suffix ?? null,
    source: input.source,
    sourceWorkflowId: input.workflow_id ?? null,
    sourceRole: input.role ?? null,
    exampleCount: set.exampleCount,
    trainingBytes: set.bytes,
    hyperparameters: input.hyperparameters ?? {},
    trainingRate: baseModel.trainingRate,
    inferenceRate: baseModel.inferenceRate,
  }
  const { accountId, fineTunes } = ctx
  const job = await ctx.database.transaction().execute(async (transaction) => {
    const max = fineTunes.maxPerAccount
    const inserted = await insertJob(transaction, accountId, newJob, set.gzip, max)
    if (inserted !== undefined) {
      await recordAudit(transaction, ctx, { objectId: id, after: toFineTune(inserted) })
    }
    return inserted
  })
  if (job === undefined && (await findJob(ctx.database, ctx.accountId, id)) === undefined) {
    throw new DomainError(
      'too_many_fine_tunes',
      `Cannot ${action}: the account has ${ctx.fineTunes.maxPerAccount} fine-tunes that have not ended, the maximum`,
    )
  }
  if (job !== undefined) {
    const { client } = provider
    await makeJob(ctx, client, job, set.gzip).catch(async (error: unknown) => {
      if (!(error instanceof ProviderError)) throw error
      // What was taken over by the background is its to finish.
      if (!(await forget(ctx, job))) return
      // The file may have arrived all the same.
      if (error.kind === 'unknown') await dropUpload(client, job).catch(() => {})
      throw new DomainError(
        'provider_unavailable',
        `Cannot ${action}: ${provider.label} did not accept the training file: ${error.message}`,
        { retryAfterSeconds: 5, cause: error },
      )
    })
  }
  return toFineTune(await requireJob(ctx, action, id))
}

/** It never got to its provider: for the audit it was made and is gone. */
function forget(ctx: Context, job: JobRow): Promise<boolean> {
  return ctx.database.transaction().execute(async (transaction) => {
    if (!(await forgetJob(transaction, job))) return false
    const audit = { ...ctx.audit, id: newId('aud'), action: 'fine_tune.discarded' }
    await recordAudit(transaction, { ...ctx, audit }, { objectId: job.id, before: toFineTune(job) })
    return true
  })
}
