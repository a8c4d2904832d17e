import type { ModelInfo, ModelWarning, Prices } from './contract.ts'
import { demoModel } from './demo.ts'
import type { ModelsFile } from './models-file.ts'
import type { Provider } from './provider.ts'
import { builtInProviders, findBuiltInProvider } from './providers/built-ins.ts'
import type { BuiltInProvider } from './providers/definition.ts'

/** A model id that workflows use, with the provider that runs it. */
export interface Route {
  info: ModelInfo
  /** The provider's own id. */
  upstreamId: string
  /** Undefined for the demo model. */
  provider: Provider | undefined
}

/** The routes of the deployment: the catalog, corrected and extended by the models file, and the demo model. */
export function createRoutes(
  file: ModelsFile,
  providers: ReadonlyMap<string, Provider>,
): Map<string, Route> {
  const isAvailable = (provider: string): boolean => providers.get(provider)?.available === true
  const routes = new Map<string, Route>()
  for (const known of catalog) {
    const info = { ...known, available: isAvailable(known.provider) }
    routes.set(info.id, { info, upstreamId: info.id, provider: providers.get(known.provider) })
  }
  for (const { id, provider, model, ...given } of file.models) {
    if (given.stream === false) providers.get(provider)?.wholeOnly.set(model ?? id, true)
    // An entry with the id of a catalog model of the same provider corrects it; fields that it omits keep their value.
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

/** A file that gives a price for input or output replaces the prices of long prompts and of the cache as well. */
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

/** A provider that an account connected, with the models of a compatible server. */
export interface OwnModels {
  provider: Provider
  models: readonly OwnModel[]
}

/** A model of an account's own compatible server, as the account described it. */
export interface OwnModel {
  /** The server's own id. */
  id: string
  label?: string | undefined
  context_window?: number | undefined
  price_in?: number | undefined
  price_out?: number | undefined
  structured_output?: boolean | undefined
  input_types?: readonly string[] | undefined
}

/** Characters of a model id, as workflows name it. */
export const maxModelIdLength = 80

/** The id by which workflows name it. */
export function ownModelId(providerId: string, modelId: string): string {
  return `${providerId}/${modelId}`
}

/** The routes of an account: its own key for a built-in provider goes before the server's, where that is shared. */
export function routesWith(
  own: readonly OwnModels[],
  routes: ReadonlyMap<string, Route>,
  shared: ReadonlyMap<string, Provider>,
): Map<string, Route> {
  const ownKeys = own.filter(({ provider }) => findBuiltInProvider(provider.id) !== undefined)
  const byId = new Map(ownKeys.map(({ provider }) => [provider.id, provider]))
  const result = new Map<string, Route>()
  for (const [id, route] of routes) {
    const { info, upstreamId } = route
    const provider = byId.get(info.provider) ?? shared.get(info.provider)
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

function ownModelInfo(provider: Provider, model: OwnModel): ModelInfo {
  return {
    id: ownModelId(provider.id, model.id),
    provider: provider.id,
    label: model.label ?? model.id,
    contextWindow: model.context_window ?? null,
    priceIn: model.price_in ?? null,
    priceOut: model.price_out ?? null,
    shutdownDate: null,
    structuredOutput: model.structured_output ?? false,
    inputTypes: model.input_types ?? [],
    available: provider.available,
    kind: 'catalog',
  }
}

const noticeDays = 90

/** `hasKey`: some provider has a key, so that the demo model is probably in use by mistake. */
export function warningOf(route: Route | undefined, hasKey: boolean): ModelWarning | undefined {
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
  const message =
    days > 0 ? `${id} shuts down on ${shutdownDate}` : `${id} was shut down on ${shutdownDate}`
  return { code: 'model_ends', message: `${message} by its provider; choose another model` }
}

/** The models that Muster knows by name. A models file corrects and extends them. */
export const catalog: readonly Omit<ModelInfo, 'available'>[] = builtInProviders.flatMap(listModels)

function listModels({
  id: provider,
  catalog: known,
}: BuiltInProvider): Omit<ModelInfo, 'available'>[] {
  return Object.entries(known.models).map(
    ([id, [label, contextWindow, priceIn, priceOut, more = {}]]) => {
      const { cached = null, cacheWrite = null, longPrompt, ends = null, note } = more
      const { inputTypes = known.inputTypes } = more
      const source = {
        url: known.pricesUrl,
        date: known.readOn,
        ...(inputTypes.length > 0 && { inputs: known.inputsUrl }),
        ...(ends && { ends: known.endsUrl }),
        ...(note && { note }),
      }
      return {
        id,
        provider,
        label,
        contextWindow,
        priceIn,
        priceOut,
        source,
        priceCached: cached,
        priceCacheWrite: cacheWrite,
        ...(longPrompt && { longPrompt }),
        shutdownDate: ends,
        structuredOutput: known.structuredOutput ?? true,
        inputTypes,
        kind: 'catalog' as const,
      }
    },
  )
}
