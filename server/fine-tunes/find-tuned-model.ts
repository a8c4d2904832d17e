import type { Services } from '../context.ts'
import type { ModelInfo } from '../models/contract.ts'
import { findByModel, type JobRow } from './store.ts'

type TunedServices = Pick<Services, 'database' | 'fineTunes' | 'models'>

/** The model of a fine-tune of this account; undefined for any other id, and after its deletion. */
export async function findTunedModel(
  services: TunedServices,
  accountId: string,
  modelId: string,
): Promise<ModelInfo | undefined> {
  const job = await findByModel(services.database, accountId, modelId)
  return job && toModelInfo(services, job, modelId)
}

export function toModelInfo(
  { fineTunes, models }: TunedServices,
  job: JobRow,
  id: string,
): ModelInfo {
  const provider = fineTunes.modelsProviderOf(job.provider) ?? job.provider
  return {
    id,
    provider,
    label: `${job.name} (${job.base_model_label}, fine-tuned)`,
    contextWindow: models.find(job.base_model)?.contextWindow ?? null,
    priceIn: job.inference_rate_in,
    priceOut: job.inference_rate_out,
    available: models.isAvailable(provider) === true,
    kind: 'fine_tuned',
  }
}
