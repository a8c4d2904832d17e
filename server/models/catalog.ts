import type { ModelInfo, ProviderName } from './contract.ts'

/** The model of a deployment that configures this provider and names no default. */
export const smallModels: Record<ProviderName, string> = {
  openai: 'gpt-6-luna',
  anthropic: 'claude-haiku-5-5',
  google: 'gemini-3.1-flash-lite',
  mistral: 'mistral-small-latest',
}

/** Prices are USD per 1,000,000 tokens. */
type Row = [id: string, label: string, contextWindow: number, priceIn: number, priceOut: number]

/** The providers' published figures for standard calls, as they were read on 2026-11-21. */
const figures: Record<ProviderName, Row[]> = {
  // https://developers.openai.com/api/docs/models/<id>. Dated snapshots can be tuned; their figures
  // are the undated model's.
  openai: [
    ['gpt-6-luna', 'GPT-6 Luna', 1_050_000, 0.1, 0.5],
    ['gpt-6.1-sol', 'GPT-6.1 Sol', 1_050_000, 2, 10],
    ['gpt-6-astra', 'GPT-6 Astra', 1_050_000, 10, 50],
    ['gpt-5.4', 'GPT-5.4', 1_050_000, 2.5, 15],
    ['gpt-5.4-mini', 'GPT-5.4 mini', 400_000, 0.75, 4.5],
    ['gpt-4.1', 'GPT-4.1', 1_047_576, 2, 8],
    ['gpt-4.1-mini', 'GPT-4.1 mini', 1_047_576, 0.4, 1.6],
    ['gpt-4.1-nano', 'GPT-4.1 nano', 1_047_576, 0.1, 0.4],
    ['gpt-4.1-2025-04-14', 'GPT-4.1 (2025-04-14)', 1_047_576, 2, 8],
    ['gpt-4.1-mini-2025-04-14', 'GPT-4.1 mini (2025-04-14)', 1_047_576, 0.4, 1.6],
  ],
  // https://platform.claude.com/docs/en/about-claude/pricing
  anthropic: [
    ['claude-haiku-5-5', 'Claude Haiku 5.5', 1_000_000, 0.1, 0.5],
    ['claude-sonnet-5-5', 'Claude Sonnet 5.5', 1_000_000, 2, 10],
    ['claude-opus-5-5', 'Claude Opus 5.5', 1_000_000, 4, 20],
    ['claude-haiku-4-5', 'Claude Haiku 4.5', 200_000, 1, 5],
    ['claude-sonnet-4-5', 'Claude Sonnet 4.5', 200_000, 3, 15],
  ],
  // https://ai.google.dev/gemini-api/docs/pricing
  google: [
    // The introductory price holds through 2026-12-31; then 1.50 and 7.50.
    ['gemini-3.8-flash', 'Gemini 3.8 Flash', 1_048_576, 0.75, 3.75],
    ['gemini-3.1-flash-lite', 'Gemini 3.1 Flash-Lite', 1_048_576, 0.25, 1.5],
    ['gemini-2.5-pro', 'Gemini 2.5 Pro', 1_048_576, 1.25, 10],
    ['gemini-2.5-flash', 'Gemini 2.5 Flash', 1_048_576, 0.3, 2.5],
  ],
  // https://mistral.ai/pricing
  mistral: [
    ['mistral-small-latest', 'Mistral Small', 256_000, 0.15, 0.6],
    ['mistral-medium-2604', 'Mistral Medium 3.5', 262_144, 1.5, 7.5],
    ['mistral-large-latest', 'Mistral Large', 262_144, 0.5, 1.5],
    ['codestral-latest', 'Codestral', 256_000, 0.3, 0.9],
  ],
}

/**
 * The hosted models that Muster knows by name. Prices are for people's orientation and for run costs;
 * a models file overrides them.
 */
export const catalog: readonly Omit<ModelInfo, 'available'>[] = Object.entries(figures).flatMap(
  ([provider, rows]) =>
    rows.map(([id, label, contextWindow, priceIn, priceOut]) => {
      const figures = { contextWindow, priceIn, priceOut }
      // All of them, by the same pages.
      return { id, provider, label, ...figures, structuredOutput: true, kind: 'catalog' as const }
    }),
)
