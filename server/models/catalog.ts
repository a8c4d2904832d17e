import { mediaTypes, type ModelInfo, type Prices, type ProviderName } from './contract.ts'

/** The model of a deployment that configures this provider and names no default. */
export const smallModels: Record<ProviderName, string> = {
  openai: 'gpt-6-luna',
  anthropic: 'claude-haiku-5-5',
  google: 'gemini-3.1-flash-lite',
  mistral: 'mistral-small-latest',
}

/** The day on which the entries were last compared with what is published of them. */
const readOn = '2026-11-22'

/** Prices are USD per 1,000,000 tokens; what is left out is not known. */
interface More extends Pick<Prices, 'longPrompt'> {
  cached?: number
  cacheWrite?: number
  /** The day on which the provider ends it, or the earliest that it names. */
  ends?: string
  /** What it takes as it is, where that is not what the provider's others take. */
  inputTypes?: readonly string[]
  /** What could not be checked, or will change. */
  note?: string
}

type Row = [label: string, contextWindow: number, priceIn: number, priceOut: number, more?: More]

interface ProviderEntries {
  /** Where it publishes prices, and the ends of models. */
  prices: string
  ends: string
  /** Which files its models take. */
  inputs: string
  inputTypes: readonly string[]
  models: Record<string, Row>
}

/** OpenAI and Google bill a whole call at these factors where its prompt is longer. */
const twice = (over: number): NonNullable<Prices['longPrompt']> => ({ over, in: 2, out: 1.5 })
const secondHand = 'prices of other sources that quote the page'
const noCachePrice = 'the price of cached input was not found: it counts as other input'

/** The providers' published figures for standard calls. */
const entries: Record<ProviderName, ProviderEntries> = {
  openai: {
    prices: 'https://developers.openai.com/api/docs/pricing',
    ends: 'https://developers.openai.com/api/docs/deprecations',
    inputs: 'https://developers.openai.com/api/docs/guides/file-inputs',
    inputTypes: mediaTypes,
    models: {
      'gpt-6-luna': [
        'GPT-6 Luna',
        1_050_000,
        0.1,
        0.5,
        { cached: 0.01, cacheWrite: 0.125, longPrompt: twice(272_000) },
      ],
      'gpt-6.2-sol': [
        'GPT-6.2 Sol',
        1_050_000,
        2,
        10,
        { longPrompt: twice(272_000), note: `${secondHand}; ${noCachePrice}` },
      ],
      'gpt-6.2-astra': [
        'GPT-6.2 Astra',
        1_050_000,
        8,
        40,
        { longPrompt: twice(272_000), note: `${secondHand}; ${noCachePrice}` },
      ],
      'gpt-6.1-sol': [
        'GPT-6.1 Sol',
        1_050_000,
        2,
        10,
        {
          cached: 0.1,
          cacheWrite: 2.5,
          longPrompt: twice(272_000),
          note: 'the price of cache writes was not found: it is taken from its siblings, 1.25 of input',
        },
      ],
      'gpt-6-astra': [
        'GPT-6 Astra',
        1_050_000,
        10,
        50,
        { cached: 1, cacheWrite: 12.5, longPrompt: twice(272_000) },
      ],
      'gpt-5.4': ['GPT-5.4', 1_050_000, 2.5, 15, { cached: 0.25, longPrompt: twice(272_000) }],
      'gpt-5.4-mini': ['GPT-5.4 mini', 400_000, 0.75, 4.5, { cached: 0.075 }],
      'gpt-4.1': ['GPT-4.1', 1_047_576, 2, 8, { cached: 0.5, ends: '2027-01-14' }],
      'gpt-4.1-mini': ['GPT-4.1 mini', 1_047_576, 0.4, 1.6, { cached: 0.1, ends: '2027-01-14' }],
      'gpt-4.1-nano': ['GPT-4.1 nano', 1_047_576, 0.1, 0.4, { cached: 0.025, ends: '2026-10-23' }],
      // Snapshots that can be tuned; their figures are the undated model's.
      'gpt-4.1-2025-04-14': [
        'GPT-4.1 (2025-04-14)',
        1_047_576,
        2,
        8,
        { cached: 0.5, ends: '2027-01-14' },
      ],
      'gpt-4.1-mini-2025-04-14': [
        'GPT-4.1 mini (2025-04-14)',
        1_047_576,
        0.4,
        1.6,
        { cached: 0.1, ends: '2027-01-14' },
      ],
    },
  },
  anthropic: {
    prices: 'https://platform.claude.com/docs/en/about-claude/pricing',
    ends: 'https://platform.claude.com/docs/en/about-claude/model-deprecations',
    inputs: 'https://platform.claude.com/docs/en/build-with-claude/pdf-support',
    inputTypes: mediaTypes,
    models: {
      'claude-haiku-5-5': [
        'Claude Haiku 5.5',
        1_000_000,
        0.1,
        0.5,
        { cached: 0.01, cacheWrite: 0.125, longPrompt: { over: 100_000, in: 5, out: 5 } },
      ],
      'claude-sonnet-5-5': [
        'Claude Sonnet 5.5',
        1_000_000,
        2,
        10,
        { cached: 0.1, cacheWrite: 2.5 },
      ],
      'claude-opus-5-5': ['Claude Opus 5.5', 1_000_000, 4, 20, { cached: 0.2, cacheWrite: 5 }],
      'claude-haiku-4-5': [
        'Claude Haiku 4.5',
        200_000,
        1,
        5,
        { cached: 0.1, cacheWrite: 1.25, note: 'no date of its end was found' },
      ],
      'claude-sonnet-4-5': [
        'Claude Sonnet 4.5',
        200_000,
        3,
        15,
        { cached: 0.3, cacheWrite: 3.75, note: 'no date of its end was found' },
      ],
    },
  },
  google: {
    prices: 'https://ai.google.dev/gemini-api/docs/pricing',
    ends: 'https://ai.google.dev/gemini-api/docs/deprecations',
    inputs: 'https://ai.google.dev/gemini-api/docs/document-processing',
    inputTypes: mediaTypes.filter((type) => type !== 'image/gif'),
    models: {
      'gemini-3.8-flash': [
        'Gemini 3.8 Flash',
        1_048_576,
        0.75,
        3.75,
        { cached: 0.075, note: 'introductory prices through 2026-12-31, then 1.50 and 7.50' },
      ],
      'gemini-3.5-flash-lite': ['Gemini 3.5 Flash-Lite', 1_048_576, 0.3, 2.5, { cached: 0.03 }],
      'gemini-3.1-flash-lite': [
        'Gemini 3.1 Flash-Lite',
        1_048_576,
        0.25,
        1.5,
        { cached: 0.025, ends: '2027-05-07' },
      ],
      'gemini-2.5-pro': [
        'Gemini 2.5 Pro',
        1_048_576,
        1.25,
        10,
        { cached: 0.125, longPrompt: twice(200_000), ends: '2026-12-01' },
      ],
      'gemini-2.5-flash': [
        'Gemini 2.5 Flash',
        1_048_576,
        0.3,
        2.5,
        { cached: 0.03, ends: '2026-12-01' },
      ],
    },
  },
  mistral: {
    prices: 'https://docs.mistral.ai/inference/pricing',
    ends: 'https://docs.mistral.ai/models',
    inputs: 'https://docs.mistral.ai/capabilities/vision',
    inputTypes: mediaTypes.filter((type) => type !== 'application/pdf'),
    models: {
      'mistral-small-latest': ['Mistral Small', 256_000, 0.15, 0.6, { note: noCachePrice }],
      'mistral-medium-2604': ['Mistral Medium 3.5', 262_144, 1.5, 7.5, { cached: 0.15 }],
      'mistral-large-4': [
        'Mistral Large 4',
        1_048_576,
        0.68,
        2.09,
        { cached: 0.07, note: `${secondHand}: reduced for a time, else 1.36 and 4.18` },
      ],
      'mistral-large-latest': [
        'Mistral Large',
        262_144,
        0.5,
        1.5,
        { note: `the prices of Mistral Large 3, which this name may have left; ${noCachePrice}` },
      ],
      'codestral-latest': ['Codestral', 256_000, 0.3, 0.9, { note: noCachePrice, inputTypes: [] }],
    },
  },
}

/**
 * The hosted models that Muster knows by name. Prices are for people's orientation and for run costs;
 * a models file overrides them.
 */
export const catalog: readonly Omit<ModelInfo, 'available'>[] = Object.entries(entries).flatMap(
  ([provider, { prices, ends: endsPage, inputs, inputTypes: usual, models }]) =>
    Object.entries(models).map(([id, [label, contextWindow, priceIn, priceOut, more = {}]]) => {
      const { cached = null, cacheWrite = null, longPrompt, ends = null, note } = more
      const { inputTypes = usual } = more
      const source = {
        url: prices,
        date: readOn,
        ...(inputTypes.length > 0 && { inputs }),
        ...(ends && { ends: endsPage }),
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
        // All of them, by the same pages.
        structuredOutput: true,
        inputTypes,
        kind: 'catalog' as const,
      }
    }),
)
