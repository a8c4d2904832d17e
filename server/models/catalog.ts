import type { ModelInfo } from './contract.ts'
import { builtInProviders } from './providers/built-ins.ts'
import type { BuiltInProvider } from './providers/definition.ts'

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
