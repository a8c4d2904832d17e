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
import { ownModelId, ownModelInfo, type OwnModel } from './own-model.ts'
import {
  createOwnProvider,
  createProviders,
  findBuiltIn,
  type OwnProviderSettings,
  type Provider,
  type ProvidersConfig,
} from './providers.ts'
import { callModel } from './turn.ts'

/**
 * The models of a deployment: the catalog, the models file and the offline stand-in, each behind the
 * provider that runs it. A model of a provider without a key is listed and cannot be run. A turn is
 * one call, resolved from the id to the provider's own object; nothing is retried and nothing kept.
 * An account sees the same with its own providers: its key for a built-in provider goes before the server's,
 * and the models of its compatible servers are `<provider>/<model>`.
 */
export interface Models {
  /** Model of workflows that name none; always one that can be run. */
  defaultModel: string
  list(): ModelInfo[]
  find(id: string): ModelInfo | undefined
  /** Whether the server's provider, which runs fine-tunes, can run models here; undefined where there is no such provider. */
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

/** The models with the keys of the environment alone, and those of accounts beside them. */
export interface ServerModels extends Models, AsyncDisposable {
  /** The server's providers that accounts may use: none where its keys are not shared. */
  shared: readonly Pick<Provider, 'id' | 'label' | 'available'>[]
  /** Of its own providers. */
  labelOf(providerId: string): string | undefined
  /** Whether the models file names a provider by this id. */
  hasProvider(id: string): boolean
  createOwn(settings: OwnProviderSettings): Provider
  /** Without providers of its own, an account has the models of the server that are shared. */
  forAccount(own: readonly OwnModels[]): Models
}

/** A provider of an account, and its models where it is a compatible server. */
export interface OwnModels {
  provider: Provider
  models: readonly OwnModel[]
}

export interface ModelsConfig extends ProvidersConfig {
  defaultModel: string | undefined
  modelsFile: string | undefined
  /** Whether accounts run models on the keys of the environment and the models file. */
  sharesModelKeys: boolean
}

/** `env` serves the keys that the models file names; `onNotice` hears what an operator should know, once. */
export async function createModels(
  config: ModelsConfig,
  env: Record<string, string | undefined> = process.env,
  clock?: BreakerClock,
  onNotice: (message: string) => void = () => {},
): Promise<ServerModels> {
  const file: ModelsFile =
    config.modelsFile === undefined
      ? { providers: [], models: [] }
      : await readModelsFile(config.modelsFile)
  const providers = createProviders(config, file, env, clock)
  const routes = createRoutes(file, providers)
  const defaultModel = chooseDefault(config, file, providers, routes)
  const server = createView({ providers, routes, defaultModel, onNotice })

  const isShared = config.sharesModelKeys
  const shared = isShared ? providers : withoutKeys(providers)
  const forAccount = (own: readonly OwnModels[]): Models => {
    if (own.length === 0 && isShared) return server
    const ownRoutes = routesWith(own, routes, shared)
    const wanted = config.defaultModel ?? (defaultModel === demoModel.id ? undefined : defaultModel)
    const isThere = wanted !== undefined && ownRoutes.get(wanted)?.info.available === true
    return createView({
      providers: shared,
      routes: ownRoutes,
      defaultModel: isThere ? wanted : firstModelOf(own),
      onNotice,
    })
  }
  return {
    ...server,
    shared: isShared ? [...providers.values()] : [],
    labelOf: (id) => providers.get(id)?.label,
    hasProvider: (id) => providers.has(id) && findBuiltIn(id) === undefined,
    createOwn: (settings) => {
      const own = createOwnProvider(settings, config, clock)
      for (const id of providers.get(settings.id)?.wholeOnly ?? []) own.wholeOnly.add(id)
      return own
    },
    forAccount,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...providers.values()].map((provider) => provider[Symbol.asyncDispose]()))
    },
  }
}

interface View {
  /** The server's, by which fine-tuned models run. */
  providers: ReadonlyMap<string, Provider>
  routes: ReadonlyMap<string, Route>
  defaultModel: string
  onNotice: (message: string) => void
}

function createView({ providers, routes, defaultModel, onNotice }: View): Models {
  const list = (): ModelInfo[] => [...routes.values()].map(({ info }) => info)
  const nearest = (id: string, count = 3, others: readonly string[] = []): string[] =>
    nearestOf(
      id,
      [...list().flatMap((info) => (info.available ? [info.id] : [])), ...others],
      count,
    )

  async function runTurn(modelId: string, request: ModelTurnRequest): Promise<ModelTurn> {
    const { tuned } = request
    if (modelId === demoModel.id) return runDemoTurn(request)
    const tunedRoute = tuned && {
      info: tuned,
      upstreamId: modelId,
      provider: providers.get(tuned.provider),
    }
    const route = routes.get(modelId) ?? tunedRoute
    const provider = route?.provider
    if (route === undefined || provider === undefined) {
      const near = nearest(modelId).join(', ')
      throw new ModelError(
        'not_available',
        `Cannot run ${modelId}: no such model, or its provider was removed or its fine-tune was deleted; near are ${near}`,
      )
    }
    if (!provider.available) {
      const why = `${provider.label} needs a key (${provider.keyName}) or one of the account`
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
    return noteUse(provider, modelId, behindBreaker(provider, upstreamId, modelId, request, call))
  }

  return {
    defaultModel,
    list,
    find: (id) => routes.get(id)?.info,
    isAvailable: (provider) => providers.get(provider)?.available,
    keyNameOf: (provider) => providers.get(provider)?.keyName,
    nearest,
    warningsOf: (ids) => {
      const hasKey = [...routes.values()].some(({ provider }) => provider?.hasKey === true)
      return [...new Set(ids)].flatMap((id) => warningOf(routes.get(id), hasKey) ?? [])
    },
    runTurn,
  }
}

/** Tells the owner of a provider what a real call showed: that it answers, or that its key or address is no good. */
async function noteUse(
  provider: Provider,
  modelId: string,
  call: Promise<ModelTurn>,
): Promise<ModelTurn> {
  if (provider.noteUse === undefined) return call
  try {
    const turn = await call
    provider.noteUse({ ok: true, message: `${modelId} answered a call` })
    return turn
  } catch (error) {
    if (error instanceof ModelError && isFaultOfAccess(error))
      provider.noteUse({ ok: false, message: error.reason })
    throw error
  }
}

/** Whether a failure is of the key, its credit or the address: all models of the provider would fail. */
function isFaultOfAccess({ kind, status = 0, isUnreachable }: ModelError): boolean {
  if (isUnreachable) return true
  return kind === 'rejected' && [401, 402, 403, 429].includes(status)
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

function warningOf(route: Route | undefined, hasKey: boolean): ModelWarning | undefined {
  if (route === undefined) return undefined
  const { info, provider } = route
  const { id, shutdownDate } = info
  if (id === demoModel.id && hasKey) {
    const message = `${id} is in use although a provider has a key: it is an offline stand-in, not a language model`
    return { code: 'demo_model', message }
  }
  if (!info.available) {
    const message = `${id} cannot be run: ${provider?.label ?? info.provider} has no key here`
    return { code: 'model_unavailable', message }
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
  /** Undefined for the offline stand-in. */
  provider: Provider | undefined
}

function createRoutes(file: ModelsFile, providers: Map<string, Provider>): Map<string, Route> {
  const isAvailable = (provider: string): boolean => providers.get(provider)?.available === true
  const routes = new Map<string, Route>()
  for (const known of catalog) {
    const info = { ...known, available: isAvailable(known.provider) }
    routes.set(info.id, { info, upstreamId: info.id, provider: providers.get(known.provider) })
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
    routes.set(id, { info, upstreamId: model ?? id, provider: providers.get(provider) })
  }
  routes.set(demoModel.id, { info: demoModel, upstreamId: demoModel.id, provider: undefined })
  return routes
}

/** As an account has them: its own key for a built-in provider goes first, then the server's where it is shared. */
function routesWith(
  own: readonly OwnModels[],
  routes: ReadonlyMap<string, Route>,
  shared: ReadonlyMap<string, Provider>,
): Map<string, Route> {
  const builtIns = new Map(
    own.flatMap(({ provider }) =>
      findBuiltIn(provider.id) === undefined ? [] : [[provider.id, provider] as const],
    ),
  )
  const result = new Map<string, Route>()
  for (const [id, route] of routes) {
    const { info, upstreamId } = route
    const provider = builtIns.get(info.provider) ?? shared.get(info.provider)
    const available = provider?.available ?? info.available
    result.set(id, { info: { ...info, available }, upstreamId, provider })
  }
  for (const { provider, models } of own) {
    for (const model of models) {
      const info = ownModelInfo(provider, model)
      result.set(info.id, { info, upstreamId: model.id, provider })
    }
  }
  return result
}

/** The server's providers for accounts that may not use their keys. */
function withoutKeys(providers: ReadonlyMap<string, Provider>): Map<string, Provider> {
  return new Map(
    [...providers].map(([id, provider]) => [id, { ...provider, available: false, hasKey: false }]),
  )
}

/** The default of an account for which the server has none: of the provider that it connected first. */
function firstModelOf(own: readonly OwnModels[]): string {
  for (const { provider, models } of own) {
    if (!provider.available) continue
    const small = providerNames.find((name) => name === provider.id)
    if (small !== undefined) return smallModels[small]
    const [first] = models
    if (first !== undefined) return ownModelId(provider.id, first.id)
  }
  return demoModel.id
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
  const usable = [...routes.values()].filter((route) => route.info.available)
  const near = nearestOf(
    wanted,
    usable.map((route) => route.info.id),
  ).join(', ')
  throw badSetting('MUSTER_DEFAULT_MODEL', shown, `a model with a provider key such as ${near}`)
}
