import { closest } from 'fastest-levenshtein'
import type { ProviderName } from '../config.ts'

export interface ModelsFile {
  providers: FileProvider[]
  models: FileModel[]
}

export interface FileProvider {
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

/** A problem of the file's content; the message begins with the path inside the file. */
export class ModelsFileProblem extends Error {}

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
        `${path}.${surplus} cannot be set for the built-in provider ${id}, accepted are ${allowed.join(', ')}`,
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
      `${path}.provider is ${show(provider)}, accepted are ${routable.join(', ')}`,
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

type Parse<T> = (value: unknown, path: string) => T

function required<T>(value: unknown, path: string, parse: Parse<T>): T {
  if (value === undefined || value === null) throw new ModelsFileProblem(`${path} is required`)
  return parse(value, path)
}

function optional<T>(value: unknown, path: string, parse: Parse<T>): T | undefined {
  return value === undefined || value === null ? undefined : parse(value, path)
}

function fields(value: unknown, path: string, known: string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refused(path || 'the file', value, `a mapping with ${known.join(', ')}`)
  }
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue
    const place = path === '' ? name : `${path}.${name}`
    throw new ModelsFileProblem(
      `${place} is not a field, did you mean ${closest(name, known)}? Accepted are ${known.join(', ')}`,
    )
  }
  return value as Record<string, unknown>
}

function list(value: unknown, path: string): unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw refused(path, value, 'a list')
  return value
}

function refuseRepeated(entries: { id: string }[], path: string): void {
  const seen = new Map<string, number>()
  for (const [index, { id }] of entries.entries()) {
    const first = seen.get(id)
    if (first !== undefined) {
      throw new ModelsFileProblem(`${path}[${index}].id is ${show(id)}, as in ${path}[${first}]`)
    }
    seen.set(id, index)
  }
}

function text(maxLength: number): Parse<string> {
  return (value, path) => {
    if (typeof value !== 'string' || value.trim() === '' || value.length > maxLength) {
      throw refused(path, value, `a text of 1 to ${maxLength} characters`)
    }
    return value
  }
}

function matching(form: RegExp, accepted: string): Parse<string> {
  return (value, path) => {
    if (typeof value !== 'string' || !form.test(value)) throw refused(path, value, accepted)
    return value
  }
}

function number(min: number, max: number, whole: boolean): Parse<number> {
  return (value, path) => {
    const fits =
      typeof value === 'number' &&
      value >= min &&
      value <= max &&
      (!whole || Number.isInteger(value))
    if (!fits) throw refused(path, value, `a ${whole ? 'whole ' : ''}number from ${min} to ${max}`)
    return value
  }
}

const httpUrl: Parse<string> = (value, path) => {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw refused(path, value, 'an http:// or https:// URL')
  }
  return url.href.replace(/\/+$/, '')
}

const headers: Parse<Record<string, string>> = (value, path) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refused(path, value, 'a mapping of header names to texts')
  }
  for (const [name, content] of Object.entries(value)) {
    // The value may be a secret, so it is not shown.
    if (
      !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) ||
      typeof content !== 'string' ||
      /[^\t\x20-\x7e]/.test(content)
    ) {
      throw new ModelsFileProblem(
        `${path}.${name} is not a header, accepted are a header name and a text of visible ASCII characters`,
      )
    }
  }
  return value as Record<string, string>
}

function refused(path: string, value: unknown, accepted: string): ModelsFileProblem {
  return new ModelsFileProblem(`${path} is ${show(value)}, accepted is ${accepted}`)
}

function show(value: unknown): string {
  const shown = JSON.stringify(value) ?? String(value)
  return shown.length > 80 ? `${shown.slice(0, 79)}…` : shown
}
