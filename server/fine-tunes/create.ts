import { refuseEnded } from '../accounts/authenticate.ts'
import { whileLocked } from '../accounts/bounds.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { cannot, tooMany, type DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import { requireJob } from './jobs.ts'
import { makeJob } from './make.ts'
import type { FineTuneProvider } from './providers/providers.ts'
import { ProviderError, type BaseModel } from './providers/contract.ts'
import { toFineTune, type CreateFineTune, type FineTune, type FineTunePreview } from './schema.ts'
import { countUnfinished, insertJob, jobs, type JobRow } from './store.ts'
import { forgetJob } from './tracking-store.ts'
import { findProblems, readSource, type Uploaded } from './read-source.ts'

/**
 * Checks and uploads the training set and creates the job. If the provider cannot be reached before
 * it has the file, nothing is stored; later errors are recorded on the job.
 */
export async function createFineTune(
  ctx: Context,
  id: string,
  input: CreateFineTune,
  uploaded: Uploaded,
): Promise<FineTune> {
  const { provider, baseModel } = chooseProvider(ctx, input)
  const { client } = provider
  if (client === undefined) {
    const why = `${provider.label} is not configured on this deployment (${provider.keyName})`
    throw cannot(ctx, 'provider_not_configured', why)
  }
  const set = await readSource(ctx, input, uploaded)
  const [problem] = findProblems(set)
  if (problem !== undefined) {
    const { line, message } = problem
    throw cannot(ctx, line === null ? 'too_few_examples' : 'invalid_training_data', message, {
      param: input.source === 'upload' ? 'training_data' : 'workflow_id',
      ...(line === null ? {} : { line }),
    })
  }
  using _slot = await ctx.limits.trainingUploads.take(ctx.accountId, ctx.action)
  const row = {
    id,
    name: input.name,
    provider: provider.id,
    provider_label: provider.label,
    base_model: baseModel.id,
    base_model_label: baseModel.label,
    suffix: input.suffix ?? null,
    source: input.source,
    source_workflow_id: input.workflow_id ?? null,
    source_role: input.role ?? null,
    example_count: set.exampleCount,
    training_bytes: set.bytes,
    hyperparameters: input.hyperparameters ?? {},
    training_rate: baseModel.trainingRate,
    inference_rate_in: baseModel.inferenceRate?.in ?? null,
    inference_rate_out: baseModel.inferenceRate?.out ?? null,
  }
  const job = await store(ctx, row)
  if (job !== undefined) {
    await makeJob(ctx, client, job, set.gzip).catch(async (error: unknown) => {
      if (!(error instanceof ProviderError)) throw error
      if (!(await forget(ctx, job))) return
      throw notAccepted(ctx, provider.label, error)
    })
  }
  return toFineTune(await requireJob(ctx, id))
}

/** An error that says whether repeating the request may help. */
function notAccepted(ctx: Context, label: string, error: ProviderError): DomainError {
  const why = `${label} did not accept the training file: ${error.message}`
  if (error.kind !== 'rejected' || error.status === 429) {
    return cannot(ctx, 'provider_unavailable', why, { retryAfterSeconds: 5, cause: error })
  }
  const isKey = error.status === 401 || error.status === 403
  const hint = isKey ? "; the deployment's key for it is not valid, or may not do this" : ''
  return cannot(ctx, 'provider_refused', why + hint, { cause: error })
}

/** What a create with the same body would train on. Nothing is sent or stored. */
export async function previewFineTune(
  ctx: Context,
  input: CreateFineTune,
  uploaded: Uploaded,
): Promise<FineTunePreview> {
  const { baseModel } = chooseProvider(ctx, input)
  const set = await readSource(ctx, input, uploaded)
  return {
    example_count: set.exampleCount,
    token_count: set.tokenCount,
    training_bytes: set.bytes,
    estimated_cost_usd: estimate(baseModel, set.tokenCount, input),
    examples: set.examples,
    problems: findProblems(set),
  }
}

/** The providers' usual default. */
const usualEpochs = 3

/** Estimates tokens and cost; not possible if the job's length is given in steps. */
function estimate(
  { trainingRate }: BaseModel,
  tokens: number,
  { hyperparameters = {} }: CreateFineTune,
): number | null {
  if (trainingRate === null || hyperparameters.training_steps !== undefined) return null
  const epochs = hyperparameters.epochs ?? usualEpochs
  return Number(((tokens * epochs * trainingRate) / 1_000_000).toFixed(10))
}

/** The provider that trains the base model; throws for hyperparameters that it does not support. */
function chooseProvider(
  ctx: Context,
  { base_model: id, hyperparameters = {} }: CreateFineTune,
): { provider: FineTuneProvider; baseModel: BaseModel } {
  const found = ctx.fineTunes.find(id)
  if (found === undefined) {
    const all = ctx.fineTunes.list.flatMap(({ baseModels }) => baseModels.map((one) => one.id))
    const why = `base_model is ${id}, expected ${all.join(', ')}`
    throw cannot(ctx, 'unknown_base_model', why, { param: 'base_model' })
  }
  const { label, hyperparameters: accepted } = found.provider
  const foreign = Object.keys(hyperparameters).find((name) => !accepted.some((one) => one === name))
  if (foreign === undefined) return found
  const param = `hyperparameters.${foreign}`
  const why = `${label} does not accept ${param}, expected ${accepted.join(', ')}`
  throw cannot(ctx, 'invalid_value', why, { param })
}

/** Undefined if a crashed request stored the job before. */
function store(ctx: Context, row: Parameters<typeof insertJob>[2]): Promise<JobRow | undefined> {
  const { accountId, fineTunes } = ctx
  return whileLocked(ctx, async (transaction) => {
    await refuseEnded(transaction, ctx)
    if ((await jobs.find(transaction, accountId, { id: row.id })) !== undefined) return undefined
    if ((await countUnfinished(transaction, accountId)) >= fineTunes.maxPerAccount) {
      const what = 'fine-tunes that have not ended'
      throw tooMany(ctx, 'too_many_fine_tunes', fineTunes.maxPerAccount, what)
    }
    const job = await insertJob(transaction, accountId, row)
    await recordAudit(transaction, ctx, { objectId: job.id, after: toFineTune(job) })
    return job
  })
}

/** Deletes a job that never reached its provider; the audit shows its creation and deletion. */
function forget(ctx: Context, job: JobRow): Promise<boolean> {
  return ctx.database.transaction().execute(async (transaction) => {
    if (!(await forgetJob(transaction, job))) return false
    const audit = { ...ctx.audit, id: newId('aud'), action: 'fine_tune.discarded' } as const
    await recordAudit(transaction, { ...ctx, audit }, { objectId: job.id, before: toFineTune(job) })
    return true
  })
}
