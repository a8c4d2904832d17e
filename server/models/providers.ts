import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { buildConnector } from 'undici'
import type { EgressProxy } from '../outbound/egress-proxy.ts'
import { withDefaultPath } from './base-url.ts'
import { Breakers, type BreakerClock } from './breaker.ts'
import type { ProviderName } from './contract.ts'
import { mendAnswer } from './mend-answer.ts'
import { readHeaders, type ModelsFile } from './models-file.ts'
import { builtIns, openaiCompatible, type ModelFactory, type Sdk } from './sdks.ts'
import { createTransport } from './transport.ts'

/** A provider of this deployment: its models behind its own transport. */
export interface Provider extends AsyncDisposable {
  id: string
  label: string
  available: boolean
  /** A key is set, whether or not it is right. */
  hasKey: boolean
  /** The variable that would make it available. */
  keyName: string
  /** Texts that no message may repeat. */
  secrets: readonly string[]
  model(upstreamId: string): LanguageModelV4
  breakers: Breakers
  /** Ids of calls that it takes back. */
  callId: RegExp
  /** Models that are asked for whole answers, also for watched runs. */
  wholeOnly: Set<string>
  /** Asks for the list of its models, which proves the key of most. */
  listModels(signal: AbortSignal): Promise<Response>
  /** Is told whether a real call showed that the provider takes its key; of an account's own. */
  noteUse?: NoteUse | undefined
}

type NoteUse = (finding: { ok: boolean; message: string }) => void

const maxModels = 1_000

export interface ProvidersConfig {
  providers: Record<ProviderName, { apiKey: string | undefined; baseUrl: string | undefined }>
  /** A provider takes as many calls at once, unless the models file says otherwise. */
  runConcurrency: number
  egressProxy?: EgressProxy | undefined
}

export function createProviders(
  config: ProvidersConfig,
  file: ModelsFile,
  env: Record<string, string | undefined>,
  clock?: BreakerClock,
): Map<string, Provider> {
  const limitsOf = ({ max_concurrency, timeout_seconds: seconds }: Partial<FileProvider> = {}) => ({
    maxConcurrency: max_concurrency ?? config.runConcurrency,
    proxy: config.egressProxy,
    ...(seconds === undefined ? {} : { timeoutMs: seconds * 1_000 }),
  })
  const ours = Object.entries(builtIns).map(([id, builtIn]) => {
    const { apiKey, baseUrl } = config.providers[id as ProviderName]
    const limits = limitsOf(file.providers.find((entry) => entry.id === id))
    const available = apiKey !== undefined
    return createProvider({ ...builtIn, ...limits, id, apiKey, baseUrl, available }, clock)
  })
  const theirs = file.providers.filter(({ base_url: url }) => url !== undefined)
  const others = theirs.map(({ id, label = id, api_key_env: keyName, ...entry }) => {
    const apiKey = keyName === undefined ? undefined : env[keyName]?.trim() || undefined
    return createProvider(
      {
        id,
        label,
        keyName: keyName ?? '',
        apiKey,
        baseUrl: entry.base_url,
        ...readHeaders(entry.headers),
        ...openaiCompatible,
        // A key is optional here, but one that the file names has to be there.
        available: keyName === undefined || apiKey !== undefined,
        ...limitsOf(entry),
      },
      clock,
    )
  })
  return new Map([...ours, ...others].map((provider) => [provider.id, provider]))
}

/** What an account gave: its own key for a built-in provider, or a compatible server of its own. */
export interface OwnProviderSettings {
  id: string
  label: string
  apiKey: string | undefined
  /** Undefined for the usual address of a built-in provider. */
  baseUrl: string | undefined
  connect: (url: string) => buildConnector.connector
  noteUse?: NoteUse
}

/** Its address is a user's, so its connections are guarded. */
export function createOwnProvider(
  { connect, ...settings }: OwnProviderSettings,
  { runConcurrency }: ProvidersConfig,
  clock?: BreakerClock,
): Provider {
  const builtIn = findBuiltIn(settings.id)
  const { baseUrl = builtIn?.defaultUrl ?? '' } = settings
  return createProvider(
    {
      // A server without a path is meant to be the one that clients of OpenAI's API expect.
      ...(builtIn ?? { ...openaiCompatible, defaultUrl: 'https://localhost/v1' }),
      ...settings,
      keyName: '',
      available: builtIn === undefined || settings.apiKey !== undefined,
      maxConcurrency: runConcurrency,
      proxy: undefined,
      connect: connect(baseUrl),
    },
    clock,
  )
}

export function findBuiltIn(id: string): (typeof builtIns)[ProviderName] | undefined {
  return Object.entries(builtIns).find(([name]) => name === id)?.[1]
}

type FileProvider = ModelsFile['providers'][number]

interface Settings extends Sdk {
  id: string
  label: string
  keyName: string
  available: boolean
  apiKey: string | undefined
  baseUrl: string | undefined
  headers?: Record<string, string>
  /** Values of headers that are secrets. */
  secrets?: string[]
  maxConcurrency: number
  timeoutMs?: number
  proxy: EgressProxy | undefined
  connect?: buildConnector.connector
  noteUse?: NoteUse
}

function createProvider(settings: Settings, clock?: BreakerClock): Provider {
  const { id, label, keyName, available, apiKey, headers = {}, secrets = [], emptyUsage } = settings
  const { baseUrl, defaultUrl = baseUrl ?? '' } = settings
  const baseURL = withDefaultPath(baseUrl, defaultUrl)
  const mend = (bytes: Buffer): Buffer => mendAnswer(bytes, emptyUsage)
  const transport = createTransport({ ...settings, mend })
  return {
    id,
    label,
    keyName,
    available,
    hasKey: apiKey !== undefined,
    secrets: apiKey === undefined ? secrets : [apiKey, ...secrets],
    model: memoise(
      settings.create({
        name: id,
        apiKey: apiKey ?? '',
        baseURL,
        headers,
        fetch: transport.fetch,
      }),
    ),
    breakers: new Breakers(settings.maxConcurrency, clock),
    callId: settings.callId,
    wholeOnly: new Set(),
    listModels: (signal) => {
      const known = settings.headersOf(apiKey ?? '')
      return transport.fetch(`${baseURL}/models`, { headers: { ...known, ...headers }, signal })
    },
    noteUse: settings.noteUse,
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

/** The SDKs compile schemas whenever a model is made, which costs more than a call. */
function memoise(create: ModelFactory): ModelFactory {
  const made = new Map<string, LanguageModelV4>()
  return (upstreamId) => {
    const model = made.getOrInsertComputed(upstreamId, create)
    // Tuned ids come from users, so there is no end to them.
    if (made.size > maxModels) made.delete(made.keys().next().value as string)
    return model
  }
}
