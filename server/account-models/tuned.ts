import type { Database } from '../db/client.ts'
import { cannot } from '../errors.ts'
import type { ModelInfo } from '../models/contract.ts'
import type { Models } from '../models/models.ts'
import { findByModel, listTuned, type TunedRow } from './store.ts'

interface TunedServices {
  database: Database
  models: Models
  fineTunes: { modelsProviderOf(providerId: string): string | undefined }
}

/** Context of a verb that lists or checks models. */
interface ListContext extends TunedServices {
  accountId: string
  reads: Database
  action: string
}

/** Newest fine-tuned models of an account that are listed, to keep the list one answer. */
const maxTuned = 1_000

/** The models that the account can use without tuning, then its fine-tuned models, newest first. */
export async function listModels(ctx: ListContext): Promise<ModelInfo[]> {
  const tuned = await listTuned(ctx.reads, ctx.accountId, maxTuned)
  return [...ctx.models.list(), ...tuned.map((job) => toModelInfo(ctx, job))]
}

/** Refuses a model that this account cannot run. */
export async function checkModel(ctx: ListContext, param: string, id: string): Promise<void> {
  const model = ctx.models.find(id) ?? (await findTunedModel(ctx, ctx.accountId, id))
  if (model?.available === true) return
  const own = (await listModels(ctx)).filter((one) => one.kind === 'fine_tuned' && one.available)
  const ids = own.map((one) => one.id)
  const near = ctx.models.nearest(id, 3, ids).join(', ')
  const key = model === undefined ? undefined : ctx.models.keyNameOf(model.provider)
  const needs = key === undefined ? '' : ` without ${key}`
  const why = `${param} is ${id}, not a model that this deployment can run${needs}, nearest are ${near}`
  throw cannot(ctx, 'unknown_model', why, { param })
}

/** Refuses fallbacks that this account cannot run; skips undefined ones, which are stored already. */
export async function checkFallbacks(
  ctx: ListContext,
  fallbacks: readonly (string | undefined)[],
): Promise<void> {
  for (const [index, id] of fallbacks.entries()) {
    if (id !== undefined) await checkModel(ctx, `fallbacks[${index}]`, id)
  }
}

/** The fine-tuned model with this id, if it is the account's and not deleted. */
export async function findTunedModel(
  services: TunedServices,
  accountId: string,
  modelId: string,
): Promise<ModelInfo | undefined> {
  const job = await findByModel(services.database, accountId, modelId)
  return job && toModelInfo(services, job)
}

function toModelInfo({ fineTunes, models }: TunedServices, job: TunedRow): ModelInfo {
  const provider = fineTunes.modelsProviderOf(job.provider) ?? job.provider
  return {
    id: job.fine_tuned_model as string,
    provider,
    label: `${job.name} (${job.base_model_label}, fine-tuned)`,
    contextWindow: models.find(job.base_model)?.contextWindow ?? null,
    priceIn: job.inference_rate_in,
    priceOut: job.inference_rate_out,
    shutdownDate: models.find(job.base_model)?.shutdownDate ?? null,
    // The providers enforce schemas for every model that they let users tune.
    structuredOutput: true,
    available: models.isAvailable(provider) === true,
    kind: 'fine_tuned',
  }
}
