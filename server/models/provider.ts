import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { buildConnector } from 'undici'
import { LRUCache } from 'lru-cache'
import type { EgressProxy } from '../outbound/egress-proxy.ts'
import { Breakers, type BreakerClock } from './breaker.ts'
import { mendAnswer } from './mend-answer.ts'
import { readHeaders, type ModelsFile } from './models-file.ts'
import {
  builtInProviders,
  findBuiltInProvider,
  keyNameOf,
  type ProviderName,
} from './providers/built-ins.ts'
import { compatible } from './providers/compatible.ts'
import type { Dialect, ModelFactory } from './providers/definition.ts'
import { createTransport, withDefaultPath } from './transport.ts'

/** A provider with a key and an address: its dialect over its own connections and breakers. */
export interface Provider extends AsyncDisposable {
  id: string
  label: string
  dialect: Dialect
  available: boolean
  /** A key is set, whether or not it is valid. */
  hasKey: boolean
  /** The variable that would make it available. */
  keyName: string
  /** Texts that no message may repeat. */
  secrets: readonly string[]
  model(upstreamId: string): LanguageModelV4
  breakers: Breakers
  /** Models that are asked for whole answers only, even if a client watches the run. */
  wholeOnly: LRUCache<string, true>
  /** Fetches the list of its models; most providers check the key for it. */
  listModels(signal: AbortSignal): Promise<Response>
  /** Called after a real call that showed whether the provider accepts the key; for accounts' own providers. */
  noteUse?: NoteUse | undefined
}

type NoteUse = (finding: { ok: boolean; message: string }) => void

/** Models of a provider that are cached. Bounded, because ids of fine-tuned models come from users. */
const maxModels = 200

export interface ProvidersConfig {
  providers: Record<ProviderName, { apiKey: string | undefined; baseUrl: string | undefined }>
  /** Calls at once to each provider, unless the models file says otherwise. */
  runConcurrency: number
  egressProxy?: EgressProxy | undefined
}

/** The providers of the deployment: built-in ones, then those of the models file. */
export function createProviders(
  config: ProvidersConfig,
  file: ModelsFile,
  env: Record<string, string | undefined>,
  clock?: BreakerClock,
): Map<string, Provider> {
  const limitsOf = ({ max_concurrency, timeout_seconds }: Partial<FileProvider> = {}) => ({
    maxConcurrency: max_concurrency ?? config.runConcurrency,
    proxy: config.egressProxy,
    timeoutSeconds: timeout_seconds,
  })
  const known = builtInProviders.map((builtIn) => {
    const { id, label, defaultUrl } = builtIn
    const { apiKey, baseUrl } = config.providers[id]
    const limits = limitsOf(file.providers.find((entry) => entry.id === id))
    const keyName = keyNameOf(builtIn)
    const available = apiKey !== undefined
    const address = { apiKey, baseUrl, defaultUrl, keyName, available }
    return createProvider({ id, label, dialect: builtIn, ...address, ...limits }, clock)
  })
  const configured = file.providers.filter(({ base_url: url }) => url !== undefined)
  const others = configured.map(({ id, label = id, api_key_env: keyName, ...entry }) => {
    const apiKey = keyName === undefined ? undefined : env[keyName]?.trim() || undefined
    return createProvider(
      {
        id,
        label,
        dialect: compatible,
        keyName: keyName ?? '',
        apiKey,
        baseUrl: entry.base_url,
        ...readHeaders(entry.headers),
        // A key is optional here, but one that the file names has to be set.
        available: keyName === undefined || apiKey !== undefined,
        ...limitsOf(entry),
      },
      clock,
    )
  })
  return new Map([...known, ...others].map((provider) => [provider.id, provider]))
}

/** An account's own key for a built-in provider, or its own compatible server. */
export interface OwnProviderSettings {
  id: string
  label: string
  apiKey: string | undefined
  /** Undefined for the usual address of a built-in provider. */
  baseUrl: string | undefined
  timeoutSeconds: number | undefined
  connect: (url: string) => buildConnector.connector
  noteUse?: NoteUse
}

/** A user chose the address, so connections to it are guarded. */
export function createOwnProvider(
  { connect, ...settings }: OwnProviderSettings,
  { runConcurrency }: ProvidersConfig,
  clock?: BreakerClock,
): Provider {
  const builtIn = findBuiltInProvider(settings.id)
  const { baseUrl = builtIn?.defaultUrl ?? '' } = settings
  return createProvider(
    {
      ...settings,
      dialect: builtIn ?? compatible,
      // A server without a path gets the one that clients of OpenAI's API expect.
      defaultUrl: builtIn?.defaultUrl ?? 'https://localhost/v1',
      keyName: '',
      available: builtIn === undefined || settings.apiKey !== undefined,
      maxConcurrency: runConcurrency,
      proxy: undefined,
      connect: connect(baseUrl),
    },
    clock,
  )
}

type FileProvider = ModelsFile['providers'][number]

interface Settings {
  id: string
  label: string
  dialect: Dialect
  keyName: string
  available: boolean
  apiKey: string | undefined
  baseUrl: string | undefined
  defaultUrl?: string
  headers?: Record<string, string>
  /** Values of headers that are secrets. */
  secrets?: string[]
  maxConcurrency: number
  timeoutSeconds: number | undefined
  proxy: EgressProxy | undefined
  connect?: buildConnector.connector
  noteUse?: NoteUse
}

function createProvider(settings: Settings, clock?: BreakerClock): Provider {
  const { id, label, dialect, keyName, available, apiKey, headers = {}, secrets = [] } = settings
  const { baseUrl, defaultUrl = baseUrl ?? '', timeoutSeconds: seconds } = settings
  const baseURL = withDefaultPath(baseUrl, defaultUrl)
  const transport = createTransport({
    ...settings,
    ...(seconds !== undefined && { timeoutMs: seconds * 1_000 }),
    mend: (bytes) => mendAnswer(bytes, dialect.emptyUsage),
  })
  const { fetch } = transport
  return {
    id,
    label,
    dialect,
    keyName,
    available,
    hasKey: apiKey !== undefined,
    secrets: apiKey === undefined ? secrets : [apiKey, ...secrets],
    model: memoise(dialect.create({ name: id, apiKey: apiKey ?? '', baseURL, headers, fetch })),
    breakers: new Breakers(settings.maxConcurrency, clock),
    wholeOnly: new LRUCache({ max: maxModels }),
    listModels: (signal) =>
      fetch(`${baseURL}/models`, {
        headers: { ...dialect.authHeaders(apiKey ?? ''), ...headers },
        signal,
      }),
    noteUse: settings.noteUse,
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

/** The SDKs compile schemas for each new model object, which costs more than a call. */
function memoise(create: ModelFactory): ModelFactory {
  const made = new LRUCache<string, LanguageModelV4>({ max: maxModels, memoMethod: create })
  return (upstreamId) => made.memo(upstreamId)
}
