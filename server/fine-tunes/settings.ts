import { ConfigError } from '../start/config.ts'
import {
  fields,
  httpUrl,
  list,
  matching,
  ModelsFileProblem,
  number,
  optional,
  refuseRepeated,
  required,
  show,
  text,
} from '../models/models-file-fields.ts'
import type { BaseModel } from './providers/contract.ts'

export const providerIds = ['openai', 'mistral'] as const
export type ProviderId = (typeof providerIds)[number]

/** What the operator may say of a provider; what is left out has its default. */
export interface ProviderSettings {
  id: ProviderId
  label: string | undefined
  baseUrl: string | undefined
  apiKeyEnv: string | undefined
  /** The provider, of the environment or of the models file, that runs the tuned models. */
  modelsProvider: string | undefined
  baseModels: BaseModel[] | undefined
}

const rate = number(0, 1_000_000, false)
const maxBaseModels = 20

/** Checks the parsed file strictly, as the models file is. */
export function parseFineTunesFile(value: unknown): ProviderSettings[] {
  const file = fields(value, '', ['providers'])
  const settings = list(file['providers'], 'providers').map((entry, index) =>
    parseProvider(entry, `providers[${index}]`),
  )
  refuseRepeated(settings, 'providers')
  const models = settings.flatMap(({ baseModels }) => baseModels ?? [])
  refuseRepeated(models, 'base_models')
  return settings
}

function parseProvider(value: unknown, path: string): ProviderSettings {
  const known = ['id', 'label', 'base_url', 'api_key_env', 'models_provider', 'base_models']
  const entry = fields(value, path, known)
  const id = providerIds.find((one) => one === entry['id'])
  if (id === undefined) {
    const accepted = providerIds.join(', ')
    throw new ModelsFileProblem(`${path}.id is ${show(entry['id'])}, expected ${accepted}`)
  }
  return {
    id,
    label: optional(entry['label'], `${path}.label`, text(120)),
    baseUrl: optional(entry['base_url'], `${path}.base_url`, httpUrl),
    apiKeyEnv: optional(
      entry['api_key_env'],
      `${path}.api_key_env`,
      matching(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'the name of an environment variable'),
    ),
    modelsProvider: optional(entry['models_provider'], `${path}.models_provider`, text(40)),
    baseModels: optional(entry['base_models'], `${path}.base_models`, parseBaseModels),
  }
}

function parseBaseModels(value: unknown, path: string): BaseModel[] {
  const entries = list(value, path)
  if (entries.length === 0 || entries.length > maxBaseModels) {
    throw new ModelsFileProblem(
      `${path} has ${entries.length} entries, expected 1 to ${maxBaseModels}`,
    )
  }
  return entries.map((one, index) => {
    const place = `${path}[${index}]`
    const entry = fields(one, place, ['id', 'label', 'training_rate', 'inference_rate'])
    const id = required(entry['id'], `${place}.id`, text(200))
    return {
      id,
      label: optional(entry['label'], `${place}.label`, text(120)) ?? id,
      trainingRate: optional(entry['training_rate'], `${place}.training_rate`, rate) ?? null,
      inferenceRate:
        optional(entry['inference_rate'], `${place}.inference_rate`, (value, path) => {
          const rates = fields(value, path, ['in', 'out'])
          return {
            in: required(rates['in'], `${path}.in`, rate),
            out: required(rates['out'], `${path}.out`, rate),
          }
        }) ?? null,
    }
  })
}

export function settingsProblem(why: string): ConfigError {
  return new ConfigError(`Cannot start: MUSTER_FINE_TUNES_FILE: ${why}`)
}
