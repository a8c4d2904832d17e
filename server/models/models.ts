import { badSetting } from '../config-error.ts'
import { nearest as nearestOf } from '../nearest.ts'
import type { BreakerClock } from './breaker.ts'
import {
  ModelError,
  type ModelInfo,
  type ModelTurn,
  type ModelTurnRequest,
  type ModelWarning,
} from './contract.ts'
import { demoModel, runDemoTurn } from './demo.ts'
import { callGuarded } from './guarded-call.ts'
import { readModelsFile, type ModelsFile } from './models-file.ts'
import {
  createOwnProvider,
  createProviders,
  type OwnProviderSettings,
  type Provider,
  type ProvidersConfig,
} from './provider.ts'
import { builtInProviders, findBuiltInProvider } from './providers/built-ins.ts'
import {
  createRoutes,
  ownModelId,
  routesWith,
  warningOf,
  type OwnModels,
  type Route,
} from './routing.ts'
import { streamWatched } from './stream-turn.ts'
import { callModel } from './turn.ts'

/**
 * Language models: which there are, and one call of one of them (`runTurn`). The executor calls it and decides about
 * retries, fallbacks and holding a run (`retry.ts`); this room retries nothing and stores nothing.
 *
 * A model id leads to a provider: `providers/<name>.ts` says how its API differs, `provider.ts` gives it a key, an
 * address and connections. Each provider, key and model has a circuit breaker in each process (`breaker.ts`): after
 * failures in a row it holds calls back but for a probe, and when the probe is answered it lets them out by slow start.
 *
 * A failure is charged to its cause (`turn-error.ts`): an outage of the provider and a shortage of this machine hold
 * the run, only what the model or the request itself did wrong fails a step. Tokens and cost of a call, also of one
 * that failed, count for the run that made it. An account's own key goes before the server's, so the call is billed
 * to the account; fine-tuned models always run on the server's keys.
 */
export interface Models {
  /** Model of workflows that name none; always one that can be run. */
  defaultModel: string
  list(): ModelInfo[]
  find(id: string): ModelInfo | undefined
  /** Whether the server's provider, which runs fine-tunes, has a key; undefined where there is no such provider. */
  isAvailable(provider: string): boolean | undefined
  /** The variable with the provider's key; undefined where there is no such provider. */
  keyNameOf(provider: string): string | undefined
  /** Ids that can be run, of the list and of `others`, nearest first. */
  nearest(id: string, count?: number, others?: readonly string[]): string[]
  /** Warnings about these models, as of today. */
  warningsOf(ids: readonly string[]): ModelWarning[]
  /** Exactly one call; failures are `ModelError`s. */
  runTurn(modelId: string, request: ModelTurnRequest): Promise<ModelTurn>
}

/** The models of the deployment, and the way to the models of an account. */
export interface ServerModels extends Models, AsyncDisposable {
  /** The server's providers that accounts may use: none where its keys are not shared. */
  shared: readonly Pick<Provider, 'id' | 'label' | 'available'>[]
  /** Label of one of the server's providers. */
  labelOf(providerId: string): string | undefined
  /** Whether the models file names a provider by this id. */
  hasProvider(id: string): boolean
  createOwn(settings: OwnProviderSettings): Provider
  /** The models of an account with these providers of its own, beside the server's shared ones. */
  forAccount(own: readonly OwnModels[]): Models
}

export interface ModelsConfig extends ProvidersConfig {
  defaultModel: string | undefined
  modelsFile: string | undefined
  /** Whether accounts run models on the keys of the environment and the models file. */
  sharesModelKeys: boolean
}

/** `env` has the keys that the models file names; `onNotice` gets each message for the operator once. */
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
    hasProvider: (id) => providers.has(id) && findBuiltInProvider(id) === undefined,
    createOwn: (settings) => {
      const own = createOwnProvider(settings, config, clock)
      for (const id of providers.get(settings.id)?.wholeOnly.keys() ?? [])
        own.wholeOnly.set(id, true)
      return own
    },
    forAccount,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...providers.values()].map((provider) => provider[Symbol.asyncDispose]()))
    },
  }
}

interface View {
  /** The server's providers, which run fine-tuned models. */
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
    const { upstreamId, info } = route
    const { label } = provider
    const callOnce = (asked: ModelTurnRequest): Promise<ModelTurn> =>
      callModel(provider, upstreamId, { ...info, id: modelId }, asked)
    const onWhole = (why: string): void =>
      onNotice(`${modelId} at ${label} is asked for whole answers from now on: ${why}`)
    return callGuarded(provider, upstreamId, modelId, request, () =>
      request.onText === undefined
        ? callOnce(request)
        : streamWatched(provider.wholeOnly, upstreamId, request, callOnce, onWhole),
    )
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

/** The server's providers as accounts see them where its keys are not shared. */
function withoutKeys(providers: ReadonlyMap<string, Provider>): Map<string, Provider> {
  return new Map(
    [...providers].map(([id, provider]) => [id, { ...provider, available: false, hasKey: false }]),
  )
}

/** Default of an account for which the server has none: a model of the provider that it connected first. */
function firstModelOf(own: readonly OwnModels[]): string {
  for (const { provider, models } of own) {
    if (!provider.available) continue
    const builtIn = findBuiltInProvider(provider.id)
    if (builtIn !== undefined) return builtIn.smallModel
    const [first] = models
    if (first !== undefined) return ownModelId(provider.id, first.id)
  }
  return demoModel.id
}

function chooseDefault(
  config: ModelsConfig,
  file: ModelsFile,
  providers: ReadonlyMap<string, Provider>,
  routes: ReadonlyMap<string, Route>,
): string {
  const wanted = config.defaultModel
  if (wanted === undefined) {
    const builtIn = builtInProviders.find(({ id }) => config.providers[id].apiKey !== undefined)
    const fromFile = file.models.find(({ id }) => routes.get(id)?.info.available === true)?.id
    return builtIn?.smallModel ?? fromFile ?? demoModel.id
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
