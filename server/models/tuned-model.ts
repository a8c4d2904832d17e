import { catalog } from './catalog.ts'
import type { ModelInfo } from './contract.ts'

/** What an id like `ft:gpt-4.1-mini-2025-04-14:org:suffix:id` says of the model behind it. */
export function tunedModel(
  id: string,
  isAvailable: (provider: string) => boolean,
): ModelInfo | undefined {
  const baseId = /^ft:([^:]+):/.exec(id)?.[1]
  const base = catalog.find((entry) => entry.id === baseId && entry.tuned !== undefined)
  if (base?.tuned === undefined) return undefined
  return {
    id,
    provider: base.provider,
    label: `${base.label}, fine-tuned`,
    contextWindow: base.contextWindow,
    ...base.tuned,
    available: isAvailable(base.provider),
    kind: 'fine_tuned',
  }
}
