import type { LanguageModelV4 } from '@ai-sdk/provider'
import { anthropic } from './anthropic.ts'
import type { ModelFactory, ProviderName, ProviderSettings } from './contract.ts'
import { google } from './google.ts'
import { mistral } from './mistral.ts'
import type { ModelsFile } from './models-file.ts'
import { openaiCompatible } from './openai-compatible.ts'
import { openai } from './openai.ts'
import { createTransport } from './transport.ts'

/** A provider of this deployment: its models behind its own transport. */
export interface Provider extends AsyncDisposable {
  id: string
  label: string
  available: boolean
  /** The variable that would make it available. */
  keyName: string
  /** Texts that no message may repeat. */
  secrets: readonly string[]
  model(upstreamId: string): LanguageModelV4
}

interface BuiltIn {
  label: string
  keyName: string
  create: (settings: ProviderSettings) => ModelFactory
}

const builtIns: Record<ProviderName, BuiltIn> = {
  openai: { label: 'OpenAI', keyName: 'OPENAI_API_KEY', create: openai },
  anthropic: { label: 'Anthropic', keyName: 'ANTHROPIC_API_KEY', create: anthropic },
  google: { label: 'Google', keyName: 'GOOGLE_GENERATIVE_AI_API_KEY', create: google },
  mistral: { label: 'Mistral', keyName: 'MISTRAL_API_KEY', create: mistral },
}

const maxModels = 1_000

export interface ProvidersConfig {
  providers: Record<ProviderName, { apiKey: string | undefined; baseUrl: string | undefined }>
  /** A provider takes as many calls at once, unless the models file says otherwise. */
  runConcurrency: number
}

export function createProviders(
  config: ProvidersConfig,
  file: ModelsFile,
  env: Record<string, string | undefined>,
): Map<string, Provider> {
  const providers: Provider[] = []
  for (const [name, { label, keyName, create }] of Object.entries(builtIns)) {
    const { apiKey, baseUrl } = config.providers[name as ProviderName]
    const limits = file.providers.find(({ id }) => id === name)
    const available = apiKey !== undefined
    const settings = { id: name, apiKey, baseUrl, label, keyName, available, create }
    providers.push(createProvider({ ...settings, ...limitsOf(limits, config.runConcurrency) }))
  }
  for (const entry of file.providers) {
    if (entry.base_url === undefined) continue
    const { api_key_env: keyName } = entry
    const apiKey = keyName === undefined ? undefined : env[keyName]?.trim() || undefined
    providers.push(
      createProvider({
        id: entry.id,
        label: entry.label ?? entry.id,
        keyName: keyName ?? '',
        apiKey,
        baseUrl: entry.base_url,
        headers: entry.headers ?? {},
        // A key is optional here, but one that the file names has to be there.
        available: keyName === undefined || apiKey !== undefined,
        create: openaiCompatible,
        ...limitsOf(entry, config.runConcurrency),
      }),
    )
  }
  return new Map(providers.map((provider) => [provider.id, provider]))
}

type Settings = Omit<ProviderSettings, 'fetch'> &
  BuiltIn & { available: boolean; maxConcurrency: number; timeoutMs?: number }

function createProvider(settings: Settings): Provider {
  const { id, label, keyName, available, apiKey, headers = {} } = settings
  const transport = createTransport(settings)
  const create = settings.create({ ...settings, fetch: transport.fetch })
  return {
    id,
    label,
    keyName,
    available,
    secrets: [apiKey, ...Object.values(headers)].filter((secret) => secret !== undefined),
    model: memoise(create),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

/** The SDKs compile schemas whenever a model is made, which costs more than a call. */
function memoise(create: ModelFactory): ModelFactory {
  const made = new Map<string, LanguageModelV4>()
  return (upstreamId) => {
    let model = made.get(upstreamId)
    if (model === undefined) {
      model = create(upstreamId)
      made.set(upstreamId, model)
      // Tuned ids come from users, so there is no end to them.
      if (made.size > maxModels) made.delete(made.keys().next().value as string)
    }
    return model
  }
}

function limitsOf(
  limits: ModelsFile['providers'][number] | undefined,
  runConcurrency: number,
): { maxConcurrency: number; timeoutMs?: number } {
  const { max_concurrency: maxConcurrency = runConcurrency, timeout_seconds: seconds } =
    limits ?? {}
  return { maxConcurrency, ...(seconds === undefined ? {} : { timeoutMs: seconds * 1_000 }) }
}
