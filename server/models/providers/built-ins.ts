import { anthropic } from './anthropic.ts'
import { compatible } from './compatible.ts'
import type { BuiltInProvider, Dialect } from './definition.ts'
import { google } from './google.ts'
import { mistral } from './mistral.ts'
import { openai } from './openai.ts'

/** In the order in which they are shown, and in which the default model is looked for. */
export const builtInProviders = [openai, anthropic, google, mistral] as const

export type ProviderName = (typeof builtInProviders)[number]['id']

export const builtInProviderIds: readonly string[] = builtInProviders.map(({ id }) => id)

export function findBuiltInProvider(id: string): BuiltInProvider | undefined {
  return builtInProviders.find((provider) => provider.id === id)
}

export function keyNameOf({ envPrefix }: Pick<BuiltInProvider, 'envPrefix'>): string {
  return `${envPrefix}_API_KEY`
}

/** Gateways pass on the words and headers of any provider. */
export const dialects: readonly Dialect[] = [...builtInProviders, compatible]
