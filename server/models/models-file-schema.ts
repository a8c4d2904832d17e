import type { ProviderName } from '../start/config.ts'
import {
  fields,
  headers,
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
} from './models-file-fields.ts'

export interface ModelsFile {
  providers: FileProvider[]
  models: FileModel[]
}

interface FileProvider {
  id: string
  label: string | undefined
  /** Undefined for a built-in provider, whose address comes from the environment. */
  baseUrl: string | undefined
  /** Name of the environment variable that holds the key. */
  apiKeyEnv: string | undefined
  headers: Record<string, string>
  maxConcurrency: number | undefined
  timeoutMs: number | undefined
}

export interface FileModel {
  id: string
  provider: string
  /** The provider's own id; the same as `id` when not given. */
  model: string
  label: string | undefined
  contextWindow: number | undefined
  priceIn: number | undefined
  priceOut: number | undefined
}

export const builtInProviders: readonly ProviderName[] = [
  'openai',
  'anthropic',
  'google',
  'mistral',
]

/** Checks the parsed file strictly: what is not known is refused, with the nearest known name. */
export function parseModelsFile(value: unknown): ModelsFile {
  if (value === null || value === undefined) return { providers: [], models: [] }
  const file = fields(value, '', ['providers', 'models'])
  const providers = list(file['providers'], 'providers').map((entry, index) =>
    parseProvider(entry, `providers[${index}]`),
  )
  const models = list(file['models'], 'models').map((entry, index) =>
    parseModel(entry, `models[${index}]`, providers),
  )
  refuseRepeated(providers, 'providers')
  refuseRepeated(models, 'models')
  return { providers, models }
}

function parseProvider(value: unknown, path: string): FileProvider {
  const known = [
    'id',
    'label',
    'base_url',
    'api_key_env',
    'headers',
    'max_concurrency',
    'timeout_seconds',
  ]
  const entry = fields(value, path, known)
  const id = required(
    entry['id'],
    `${path}.id`,
    matching(/^[a-z0-9][a-z0-9_-]{0,39}$/, providerIdForm),
  )
  if (id === 'muster') throw new ModelsFileProblem(`${path}.id is "muster", which is taken`)
  const builtIn = (builtInProviders as readonly string[]).includes(id)
  if (builtIn) {
    const allowed = ['id', 'max_concurrency', 'timeout_seconds']
    const surplus = Object.keys(entry).find((name) => !allowed.includes(name))
    if (surplus !== undefined) {
      throw new ModelsFileProblem(
        `${path}.${surplus} cannot be set for the built-in provider ${id}, expected ${allowed.join(', ')}`,
      )
    }
  }
  const timeoutSeconds = optional(
    entry['timeout_seconds'],
    `${path}.timeout_seconds`,
    number(0.1, 3_600, false),
  )
  return {
    id,
    label: optional(entry['label'], `${path}.label`, text(120)),
    baseUrl: builtIn ? undefined : required(entry['base_url'], `${path}.base_url`, httpUrl),
    apiKeyEnv: optional(
      entry['api_key_env'],
      `${path}.api_key_env`,
      matching(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'the name of an environment variable'),
    ),
    headers: optional(entry['headers'], `${path}.headers`, headers) ?? {},
    maxConcurrency: optional(
      entry['max_concurrency'],
      `${path}.max_concurrency`,
      number(1, 10_000, true),
    ),
    timeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1_000,
  }
}

const providerIdForm = '1 to 40 characters of a-z 0-9 _ -, a letter or digit first'

function parseModel(value: unknown, path: string, providers: FileProvider[]): FileModel {
  const known = ['id', 'provider', 'model', 'label', 'context_window', 'price_in', 'price_out']
  const entry = fields(value, path, known)
  const modelId = matching(
    /^[\w@][\w.:/@+-]{0,79}$/,
    '1 to 80 characters of A-Z a-z 0-9 . : / @ _ + -',
  )
  const id = required(entry['id'], `${path}.id`, modelId)
  if (id.startsWith('muster/'))
    throw new ModelsFileProblem(`${path}.id is ${show(id)}, which is taken`)
  const provider = required(entry['provider'], `${path}.provider`, text(40))
  const routable = [...new Set([...builtInProviders, ...providers.map(({ id }) => id)])]
  if (!routable.includes(provider)) {
    throw new ModelsFileProblem(
      `${path}.provider is ${show(provider)}, expected ${routable.join(', ')}`,
    )
  }
  return {
    id,
    provider,
    model: optional(entry['model'], `${path}.model`, text(200)) ?? id,
    label: optional(entry['label'], `${path}.label`, text(120)),
    contextWindow: optional(
      entry['context_window'],
      `${path}.context_window`,
      number(1, 1_000_000_000, true),
    ),
    priceIn: optional(entry['price_in'], `${path}.price_in`, number(0, 1_000_000, false)),
    priceOut: optional(entry['price_out'], `${path}.price_out`, number(0, 1_000_000, false)),
  }
}
