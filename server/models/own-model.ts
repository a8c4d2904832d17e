import type { ModelInfo } from './contract.ts'
import type { Provider } from './providers.ts'

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

/** Most characters of the id of a model, as workflows name it. */
export const maxModelIdLength = 80

/** What workflows call it. */
export function ownModelId(providerId: string, modelId: string): string {
  return `${providerId}/${modelId}`
}

export function ownModelInfo(provider: Provider, model: OwnModel): ModelInfo {
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
