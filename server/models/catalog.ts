import type { ModelInfo, Prices, ProviderName } from './contract.ts'

/** The model of a deployment that configures this provider and names no default. */
export const smallModels: Record<ProviderName, string> = {
  openai: 'gpt-6-luna',
  anthropic: 'claude-haiku-5-5',
  google: 'gemini-3.1-flash-lite',
  mistral: 'mistral-small-latest',
}

/** The day on which the entries below were compared with their sources. */
const readOn = '2026-11-22'

/** Prices are USD per 1,000,000 tokens; what is left out is not known. */
interface Entry extends Pick<Prices, 'longPrompt'> {
  label: string
  window: number
  in: number
  out: number
  cached?: number
  cacheWrite?: number
  /** The day on which the provider ends it, or the earliest that it names. */
  ends?: string
  /** What could not be checked, or will change. */
  note?: string
}

interface ProviderEntries {
  /** Where it publishes prices, and the ends of models. */
  prices: string
  ends: string
  models: Record<string, Entry>
}

/** OpenAI and Google bill a whole call at these factors where its prompt is longer. */
const twice = (over: number): Entry['longPrompt'] => ({ over, in: 2, out: 1.5 })
const secondHand = 'prices of other sources that quote the page'
const noCachePrice = 'the price of cached input was not found: it counts as other input'

/** The providers' published figures for standard calls. */
const entries: Record<ProviderName, ProviderEntries> = {
  openai: {
    prices: 'https://developers.openai.com/api/docs/pricing',
    ends: 'https://developers.openai.com/api/docs/deprecations',
    models: {
      'gpt-6-luna': {
        ...{ label: 'GPT-6 Luna', window: 1_050_000, in: 0.1, out: 0.5 },
        ...{ cached: 0.01, cacheWrite: 0.125, longPrompt: twice(272_000) },
      },
      'gpt-6.2-sol': {
        ...{ label: 'GPT-6.2 Sol', window: 1_050_000, in: 2, out: 10 },
        ...{ longPrompt: twice(272_000), note: `${secondHand}; ${noCachePrice}` },
      },
      'gpt-6.2-astra': {
        ...{ label: 'GPT-6.2 Astra', window: 1_050_000, in: 8, out: 40 },
        ...{ longPrompt: twice(272_000), note: `${secondHand}; ${noCachePrice}` },
      },
      'gpt-6.1-sol': {
        ...{ label: 'GPT-6.1 Sol', window: 1_050_000, in: 2, out: 10 },
        ...{ cached: 0.1, cacheWrite: 2.5, longPrompt: twice(272_000) },
      },
      'gpt-6-astra': {
        ...{ label: 'GPT-6 Astra', window: 1_050_000, in: 10, out: 50 },
        ...{ cached: 1, cacheWrite: 12.5, longPrompt: twice(272_000) },
      },
      'gpt-5.4': {
        ...{ label: 'GPT-5.4', window: 1_050_000, in: 2.5, out: 15 },
        ...{ cached: 0.25, longPrompt: twice(272_000) },
      },
      'gpt-5.4-mini': {
        ...{ label: 'GPT-5.4 mini', window: 400_000, in: 0.75, out: 4.5, cached: 0.075 },
      },
      'gpt-4.1': {
        ...{ label: 'GPT-4.1', window: 1_047_576, in: 2, out: 8, cached: 0.5, ends: '2027-01-14' },
      },
      'gpt-4.1-mini': {
        ...{ label: 'GPT-4.1 mini', window: 1_047_576, in: 0.4, out: 1.6, cached: 0.1 },
        ends: '2027-01-14',
      },
      'gpt-4.1-nano': {
        ...{ label: 'GPT-4.1 nano', window: 1_047_576, in: 0.1, out: 0.4, cached: 0.025 },
        ends: '2026-10-23',
      },
      // Snapshots that can be tuned; their figures are the undated model's.
      'gpt-4.1-2025-04-14': {
        ...{ label: 'GPT-4.1 (2025-04-14)', window: 1_047_576, in: 2, out: 8, cached: 0.5 },
        ends: '2027-01-14',
      },
      'gpt-4.1-mini-2025-04-14': {
        ...{ label: 'GPT-4.1 mini (2025-04-14)', window: 1_047_576, in: 0.4, out: 1.6 },
        ...{ cached: 0.1, ends: '2027-01-14' },
      },
    },
  },
  anthropic: {
    prices: 'https://platform.claude.com/docs/en/about-claude/pricing',
    ends: 'https://platform.claude.com/docs/en/about-claude/model-deprecations',
    models: {
      'claude-haiku-5-5': {
        ...{ label: 'Claude Haiku 5.5', window: 1_000_000, in: 0.1, out: 0.5 },
        ...{ cached: 0.01, cacheWrite: 0.125, longPrompt: { over: 100_000, in: 5, out: 5 } },
      },
      'claude-sonnet-5-5': {
        ...{ label: 'Claude Sonnet 5.5', window: 1_000_000, in: 2, out: 10 },
        ...{ cached: 0.1, cacheWrite: 2.5 },
      },
      'claude-opus-5-5': {
        ...{ label: 'Claude Opus 5.5', window: 1_000_000, in: 4, out: 20 },
        ...{ cached: 0.2, cacheWrite: 5 },
      },
      'claude-haiku-4-5': {
        ...{ label: 'Claude Haiku 4.5', window: 200_000, in: 1, out: 5 },
        ...{ cached: 0.1, cacheWrite: 1.25, note: 'no date of its end was found' },
      },
      'claude-sonnet-4-5': {
        ...{ label: 'Claude Sonnet 4.5', window: 200_000, in: 3, out: 15 },
        ...{ cached: 0.3, cacheWrite: 3.75, note: 'no date of its end was found' },
      },
    },
  },
  google: {
    prices: 'https://ai.google.dev/gemini-api/docs/pricing',
    ends: 'https://ai.google.dev/gemini-api/docs/deprecations',
    models: {
      'gemini-3.8-flash': {
        ...{ label: 'Gemini 3.8 Flash', window: 1_048_576, in: 0.75, out: 3.75, cached: 0.075 },
        note: 'introductory prices through 2026-12-31, then 1.50 and 7.50',
      },
      'gemini-3.5-flash-lite': {
        ...{ label: 'Gemini 3.5 Flash-Lite', window: 1_048_576, in: 0.3, out: 2.5, cached: 0.03 },
      },
      'gemini-3.1-flash-lite': {
        ...{ label: 'Gemini 3.1 Flash-Lite', window: 1_048_576, in: 0.25, out: 1.5 },
        ...{ cached: 0.025, ends: '2027-05-07' },
      },
      'gemini-2.5-pro': {
        ...{ label: 'Gemini 2.5 Pro', window: 1_048_576, in: 1.25, out: 10, cached: 0.125 },
        ...{ longPrompt: twice(200_000), ends: '2026-12-01' },
      },
      'gemini-2.5-flash': {
        ...{ label: 'Gemini 2.5 Flash', window: 1_048_576, in: 0.3, out: 2.5, cached: 0.03 },
        ends: '2026-12-01',
      },
    },
  },
  mistral: {
    prices: 'https://docs.mistral.ai/inference/pricing',
    ends: 'https://docs.mistral.ai/models',
    models: {
      'mistral-small-latest': {
        ...{ label: 'Mistral Small', window: 256_000, in: 0.15, out: 0.6, note: noCachePrice },
      },
      'mistral-medium-2604': {
        ...{ label: 'Mistral Medium 3.5', window: 262_144, in: 1.5, out: 7.5, cached: 0.15 },
      },
      'mistral-large-4': {
        ...{ label: 'Mistral Large 4', window: 1_048_576, in: 0.68, out: 2.09, cached: 0.07 },
        note: `${secondHand}: reduced for a time, else 1.36 and 4.18`,
      },
      'mistral-large-latest': {
        ...{ label: 'Mistral Large', window: 262_144, in: 0.5, out: 1.5 },
        note: `the prices of Mistral Large 3, which this name may have left; ${noCachePrice}`,
      },
      'codestral-latest': {
        ...{ label: 'Codestral', window: 256_000, in: 0.3, out: 0.9, note: noCachePrice },
      },
    },
  },
}

/**
 * The hosted models that Muster knows by name. Prices are for people's orientation and for run costs;
 * a models file overrides them.
 */
export const catalog: readonly Omit<ModelInfo, 'available'>[] = Object.entries(entries).flatMap(
  ([provider, { prices, ends: endsPage, models }]) =>
    Object.entries(models).map(([id, { label, window, ends, note, longPrompt, ...price }]) => ({
      id,
      provider,
      label,
      contextWindow: window,
      priceIn: price.in,
      priceOut: price.out,
      priceCached: price.cached ?? null,
      priceCacheWrite: price.cacheWrite ?? null,
      ...(longPrompt && { longPrompt }),
      shutdownDate: ends ?? null,
      source: { url: prices, date: readOn, ...(ends && { ends: endsPage }), ...(note && { note }) },
      kind: 'catalog' as const,
    })),
)
