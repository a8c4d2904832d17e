import { badSetting } from '../config-error.ts'
import { nearest as nearestOf } from '../nearest.ts'
import { askWatched } from './ask-watched.ts'
import type { BreakerClock, CallResult } from './breaker.ts'
import { catalog, smallModels } from './catalog.ts'
import {
  ModelError,
  providerNames,
  type ModelInfo,
  type ModelTurn,
  type ModelTurnRequest,
  type ModelWarning,
  type Prices,
} from './contract.ts'
import { demoModel, runDemoTurn } from './demo.ts'
import { readModelsFile, type ModelsFile } from './models-file.ts'
import { createProviders, type Provider, type ProvidersConfig } from './providers.ts'
import { callModel } from './turn.ts'

/**
 * The models of a deployment: the catalog, the models file and the offline stand-in, each behind the
 * provider that runs it. A model of a provider without a key is listed and cannot be run. A turn is
 * one call, resolved from the id to the provider's own object; nothing is retried and nothing kept.
 */
export interface Models extends AsyncDisposable {
  /** Model of workflows that name none; always one that can be run. */
  defaultModel: string
  list(): ModelInfo[]
  find(id: string): ModelInfo | undefined
  /** Whether the provider can run models here; undefined where there is no such provider. */
  isAvailable(provider: string): boolean | undefined
  /** The variable with the provider's key; undefined where there is no such provider. */
  keyNameOf(provider: string): string | undefined
  /** Ids that can be run, of the list and of `others`, nearest first. */
  nearest(id: string, count?: number, others?: readonly string[]): string[]
  /** What is worth knowing of those among these models, today. */
  warningsOf(ids: readonly string[]): ModelWarning[]
  /** Exactly one call; failures are `ModelError`s. */
  runTurn(modelId: string, request: ModelTurnRequest): Promise<ModelTurn>
}

export interface ModelsConfig extends ProvidersConfig {
  defaultModel: string | undefined
  modelsFile: string | undefined
}

/** `env` serves the keys that the models file names; `onNotice` hears what an operator should know, once. */
export async function createModels(
  config: ModelsConfig,
  env: Record<string, string | undefined> = process.env,
  clock?: BreakerClock,
  onNotice: (message: string) => void = () => {},
): Promise<Models> {
  const file: ModelsFile =
    config.modelsFile === undefined
      ? { providers: [], models: [] }
      : await readModelsFile(config.modelsFile)
  const providers = createProviders(config, file, env, clock)
  const routes = createRoutes(file, providers)

  const list = (): ModelInfo[] => [...routes.values()].map(({ info }) => info)
  const nearest = (id: string, count = 3, others: readonly string[] = []): string[] => {
    const ours = list().filter((info) => info.available)
    return nearestOf(id, [...ours.map((info) => info.id), ...others], count)
  }

  async function runTurn(modelId: string, request: ModelTurnRequest): Promise<ModelTurn> {
    const { tuned } = request
    if (modelId === demoModel.id) return runDemoTurn(request)
    const route = routes.get(modelId) ?? (tuned && { info: tuned, upstreamId: modelId })
    const provider = providers.get(route?.info.provider ?? '')
    if (route === undefined || provider === undefined) {
      const near = nearest(modelId).join(', ')
      throw new ModelError(
        'not_available',
        `Cannot run ${modelId}: no such model, or a fine-tuned one that was deleted; near are ${near}`,
      )
    }
    if (!provider.available) {
      const why = `${provider.label} needs a key (${provider.keyName})`
      throw new ModelError('not_available', `Cannot run ${modelId}: ${why}`)
    }
    const { label: providerLabel, secrets } = provider
    const subject = { modelId, providerLabel, secrets }
    const { upstreamId, info } = route
    const model = provider.model(upstreamId)
    const callOnce = (asked: ModelTurnRequest): Promise<ModelTurn> =>
      callModel(model, info, asked, subject, provider)
    const call = (): Promise<ModelTurn> => {
      if (request.onText === undefined) return callOnce(request)
      const onWhole = (why: string): void =>
        onNotice(`${modelId} at ${providerLabel} is asked for whole answers from now on: ${why}`)
      return askWatched(provider.wholeOnly, upstreamId, request, callOnce, onWhole)
    }
    return behindBreaker(provider, upstreamId, modelId, request, call)
  }

  return {
    defaultModel: chooseDefault(config, file, providers, routes, nearest),
    list,
    find: (id) => routes.get(id)?.info,
    isAvailable: (provider) => providers.get(provider)?.available,
    keyNameOf: (provider) => providers.get(provider)?.keyName,
    nearest,
    warningsOf: (ids) => {
      const hasKey = [...providers.values()].some((provider) => provider.hasKey)
      return [...new Set(ids)].flatMap((id) => warningOf(routes.get(id)?.info, hasKey) ?? [])
    },
    runTurn,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...providers.values()].map((provider) => provider[Symbol.asyncDispose]()))
    },
  }
}

/** Makes a call unless its model is away, and tells the model's breaker how the call ended. */
async function behindBreaker(
  { breakers, label }: Provider,
  upstreamId: string,
  modelId: string,
  { hasFallback = false }: ModelTurnRequest,
  call: () => Promise<ModelTurn>,
): Promise<ModelTurn> {
  const admission = breakers.admit(upstreamId, hasFallback)
  if (admission.kind === 'wait') {
    const { waitMs, words, isBack } = admission
    const why = isBack ? `it answers again, and this call waits for its turn (${words})` : words
    const message = `Cannot run ${modelId} at ${label}: ${why}`
    throw new ModelError('held', message, { retryAfterMs: waitMs, isBack })
  }
  try {
    const turn = await call()
    admission.done({ result: 'answered' })
    return turn
  } catch (error) {
    const known = error instanceof ModelError ? error : undefined
    const askedMs = known?.retryAfterMs ?? 0
    const isAsked = askedMs > longestLimitMs
    const wait = admission.done({
      result: resultOf(known),
      words: known?.reason ?? '',
      askedMs: isAsked ? askedMs : 0,
    })
    if (known === undefined || wait === undefined) throw error
    const { message, usage } = known
    const { waitMs, isBack } = wait
    throw new ModelError('held', message, {
      usage,
      isBack,
      retryAfterMs: Math.max(askedMs, waitMs),
    })
  }
}

/** A provider that limits for longer is not there. */
const longestLimitMs = 60_000

function resultOf(error: ModelError | undefined): CallResult {
  switch (error?.kind) {
    case 'unavailable':
    case 'timeout':
      return error.isUnreachable ? 'unreachable' : 'failed'
    case 'rate_limited':
      return (error.retryAfterMs ?? 0) > longestLimitMs ? 'failed' : 'answered'
    case 'rejected':
    case 'bad_answer':
      return 'answered'
    default:
      return 'unknown'
  }
}

const noticeDays = 90

function warningOf(info: ModelInfo | undefined, hasKey: boolean): ModelWarning | undefined {
  if (info === undefined) return undefined
  const { id, shutdownDate } = info
  if (id === demoModel.id && hasKey) {
    const message = `${id} is in use although a provider has a key: it is an offline stand-in, not a language model`
    return { code: 'demo_model', message }
  }
  if (shutdownDate == null) return undefined
  const days = (Date.parse(shutdownDate) - Date.now()) / 86_400_000
  if (days > noticeDays) return undefined
  const message = days > 0 ? `${id} ends on ${shutdownDate}` : `${id} has ended on ${shutdownDate}`
  return { code: 'model_ends', message: `${message} by its provider; choose another model` }
}

interface Route {
  info: ModelInfo
  /** The provider's own id. */
  upstreamId: string
}

function createRoutes(file: ModelsFile, providers: Map<string, Provider>): Map<string, Route> {
  const isAvailable = (provider: string): boolean => providers.get(provider)?.available === true
  const routes = new Map<string, Route>()
  for (const known of catalog) {
    const info = { ...known, available: isAvailable(known.provider) }
    routes.set(info.id, { info, upstreamId: info.id })
  }
  for (const { id, provider, model, ...given } of file.models) {
    if (given.stream === false) providers.get(provider)?.wholeOnly.add(model ?? id)
    // An entry with the id of a catalog model at the same provider corrects it: what it omits, stays.
    const listed = routes.get(id)?.info
    const base = listed?.provider === provider ? listed : undefined
    const info: ModelInfo = {
      id,
      provider,
      label: given.label ?? base?.label ?? id,
      contextWindow: given.context_window ?? base?.contextWindow ?? null,
      ...pricesOf(given, base),
      shutdownDate: given.shutdown_date ?? base?.shutdownDate ?? null,
      structuredOutput: given.structured_output ?? base?.structuredOutput ?? false,
      inputTypes: given.input_types ?? base?.inputTypes ?? [],
      available: isAvailable(provider),
      kind: 'catalog',
    }
    routes.set(id, { info, upstreamId: model ?? id })
  }
  routes.set(demoModel.id, { info: demoModel, upstreamId: demoModel.id })
  return routes
}

/** A file that says what input costs says so for long prompts and for the cache as well. */
function pricesOf(
  given: Pick<ModelsFile['models'][number], `price_${string}` & keyof ModelsFile['models'][number]>,
  base: ModelInfo | undefined,
): Prices & Pick<ModelInfo, 'source'> {
  const isOwn = given.price_in !== undefined || given.price_out !== undefined
  const { longPrompt, source } = isOwn ? {} : { ...base }
  return {
    priceIn: given.price_in ?? base?.priceIn ?? null,
    priceOut: given.price_out ?? base?.priceOut ?? null,
    priceCached: given.price_cached ?? (isOwn ? null : (base?.priceCached ?? null)),
    priceCacheWrite: given.price_cache_write ?? (isOwn ? null : (base?.priceCacheWrite ?? null)),
    ...(longPrompt && { longPrompt }),
    ...(source && { source }),
  }
}

function chooseDefault(
  config: ModelsConfig,
  file: ModelsFile,
  providers: Map<string, Provider>,
  routes: Map<string, Route>,
  nearest: (id: string) => string[],
): string {
  const wanted = config.defaultModel
  if (wanted === undefined) {
    const name = providerNames.find((provider) => config.providers[provider].apiKey !== undefined)
    const fromFile = file.models.find(({ id }) => routes.get(id)?.info.available === true)?.id
    return name === undefined ? (fromFile ?? demoModel.id) : smallModels[name]
  }
  const info = routes.get(wanted)?.info
  if (info?.available === true) return wanted
  const provider = info === undefined ? undefined : providers.get(info.provider)
  const why = provider === undefined ? 'no such model' : `needs ${provider.keyName}`
  const shown = `${JSON.stringify(wanted)} (${why})`
  const near = nearest(wanted).join(', ')
  throw badSetting('MUSTER_DEFAULT_MODEL', shown, `a model with a provider key such as ${near}`)
}
