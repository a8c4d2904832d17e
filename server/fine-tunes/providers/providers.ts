import type { Models, ModelsConfig } from '../../models/models.ts'
import { createClient, type Dialect } from './api.ts'
import type { BaseModel, FineTuneClient } from './contract.ts'
import { mistral } from './mistral.ts'
import { openai } from './openai.ts'
import {
  providerIds,
  readFineTunesFile,
  type ProviderId,
  type ProviderSettings,
} from './settings.ts'

/**
 * Fine-tuning providers with their base models. A provider without a key is listed but cannot be
 * called.
 */
export interface FineTuneProviders extends AsyncDisposable {
  list: readonly FineTuneProvider[]
  /** Limit of unfinished jobs for an account. */
  maxPerAccount: number
  /** The client for a job's provider; undefined if the provider is no longer configured. */
  clientOf(providerId: string): FineTuneClient | undefined
  find(baseModel: string): { provider: FineTuneProvider; baseModel: BaseModel } | undefined
  /** The provider in `Models` that runs models tuned by this one. */
  modelsProviderOf(providerId: string): string | undefined
}

export interface FineTuneProvider {
  id: ProviderId
  label: string
  /** Names of the hyperparameters that it supports. */
  hyperparameters: readonly HyperparameterName[]
  baseModels: readonly BaseModel[]
  modelsProvider: string
  /** The environment variable with its key. */
  keyName: string
  /** Undefined without a key. */
  client: FineTuneClient | undefined
}

type HyperparameterName = 'epochs' | 'training_steps' | 'learning_rate'

interface BuiltIn extends Pick<
  FineTuneProvider,
  'label' | 'keyName' | 'hyperparameters' | 'baseModels'
> {
  dialect: Dialect
}

/** Prices as the providers published them, read on 2026-11-21; Mistral's are no longer public. */
const builtIns: Record<ProviderId, BuiltIn> = {
  openai: {
    label: 'OpenAI',
    keyName: 'OPENAI_API_KEY',
    hyperparameters: ['epochs'],
    dialect: openai,
    baseModels: [
      {
        id: 'gpt-4.1-2025-04-14',
        label: 'GPT-4.1',
        trainingRate: 25,
        inferenceRate: { in: 3, out: 12 },
      },
      {
        id: 'gpt-4.1-mini-2025-04-14',
        label: 'GPT-4.1 mini',
        trainingRate: 5,
        inferenceRate: { in: 0.8, out: 3.2 },
      },
    ],
  },
  mistral: {
    label: 'Mistral',
    keyName: 'MISTRAL_API_KEY',
    hyperparameters: ['training_steps', 'learning_rate'],
    dialect: mistral,
    baseModels: [
      {
        id: 'mistral-small-latest',
        label: 'Mistral Small',
        trainingRate: null,
        inferenceRate: null,
      },
      { id: 'codestral-latest', label: 'Codestral', trainingRate: null, inferenceRate: null },
    ],
  },
}

export interface FineTunesConfig {
  fineTunesFile: string | undefined
  /** Limit of unfinished fine-tunes for an account. */
  fineTunesPerAccount: number
}

/** `env` has the keys that the file names. */
export async function createFineTuneProviders(
  config: Pick<ModelsConfig, 'egressProxy' | 'sharesModelKeys'> &
    FineTunesConfig & { providers: Pick<ModelsConfig['providers'], ProviderId> },
  models: Pick<Models, 'isAvailable'>,
  env: Record<string, string | undefined> = process.env,
): Promise<FineTuneProviders> {
  const file =
    config.fineTunesFile === undefined
      ? []
      : await readFineTunesFile(config.fineTunesFile, (id) => models.isAvailable(id) !== undefined)
  const list = providerIds.map((id): FineTuneProvider => {
    const settings: Partial<ProviderSettings> = file.find((one) => one.id === id) ?? {}
    const { dialect, ...builtIn } = builtIns[id]
    const { api_key_env: ownKey, base_models: baseModels } = settings
    const shared = config.sharesModelKeys ? config.providers[id].apiKey : undefined
    const apiKey = ownKey === undefined ? shared : env[ownKey]?.trim() || undefined
    const baseUrl = settings.base_url ?? config.providers[id].baseUrl
    const { egressProxy: proxy } = config
    return {
      id,
      label: settings.label ?? builtIn.label,
      hyperparameters: builtIn.hyperparameters,
      baseModels: baseModels?.map(toBaseModel) ?? builtIn.baseModels,
      modelsProvider: settings.models_provider ?? id,
      keyName: ownKey ?? builtIn.keyName,
      client: apiKey === undefined ? undefined : createClient({ apiKey, baseUrl, proxy }, dialect),
    }
  })
  const byId = (id: string) => list.find((provider) => provider.id === id)
  return {
    list,
    maxPerAccount: config.fineTunesPerAccount,
    clientOf: (id) => byId(id)?.client,
    modelsProviderOf: (id) => byId(id)?.modelsProvider,
    find: (id) =>
      list
        .flatMap((provider) => provider.baseModels.map((baseModel) => ({ provider, baseModel })))
        .find(({ baseModel }) => baseModel.id === id),
    [Symbol.asyncDispose]: async () => {
      for (const { client } of list) await client?.[Symbol.asyncDispose]()
    },
  }
}

function toBaseModel(model: NonNullable<ProviderSettings['base_models']>[number]): BaseModel {
  const { id, label = id, training_rate: trainingRate = null, inference_rate: rate = null } = model
  return { id, label, trainingRate, inferenceRate: rate }
}
