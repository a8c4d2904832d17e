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

/** Of a verb that lists or checks models. */
interface Asked extends TunedServices {
  accountId: string
  reads: Database
  action: string
}

/** The newest of an account, so that the list stays one answer. */
const maxTuned = 1_000

/** The models of the deployment, then those that the account tuned, newest first. */
export async function listModels(ctx: Asked): Promise<ModelInfo[]> {
  const tuned = await listTuned(ctx.reads, ctx.accountId, maxTuned)
  return [...ctx.models.list(), ...tuned.map((job) => toModelInfo(ctx, job))]
}

/** Refuses a model that this account cannot run: neither one of the deployment nor one it tuned. */
export async function checkModel(ctx: Asked, param: string, id: string): Promise<void> {
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

/** Refuses fallbacks that this account cannot run; undefined ones may stay. */
export async function checkFallbacks(
  ctx: Asked,
  fallbacks: readonly (string | undefined)[],
): Promise<void> {
  for (const [place, id] of fallbacks.entries()) {
    if (id !== undefined) await checkModel(ctx, `fallbacks[${place}]`, id)
  }
}

/** The model of a fine-tune of this account; undefined for any other id, and after its deletion. */
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
    // What is tuned here is what these providers offer it for.
    structuredOutput: true,
    available: models.isAvailable(provider) === true,
    kind: 'fine_tuned',
  }
}
