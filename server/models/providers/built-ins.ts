import { anthropic } from './anthropic.ts'
import { compatible } from './compatible.ts'
import type { BuiltIn, Dialect } from './definition.ts'
import { google } from './google.ts'
import { mistral } from './mistral.ts'
import { openai } from './openai.ts'

/** In the order in which they are shown, and in which the default model is looked for. */
export const builtIns = [openai, anthropic, google, mistral] as const

export type ProviderName = (typeof builtIns)[number]['id']

export const builtInIds: readonly string[] = builtIns.map(({ id }) => id)

export function findBuiltIn(id: string): BuiltIn | undefined {
  return builtIns.find((provider) => provider.id === id)
}

export function keyNameOf({ envPrefix }: Pick<BuiltIn, 'envPrefix'>): string {
  return `${envPrefix}_API_KEY`
}

/** Gateways pass on the words and headers of any provider. */
export const dialects: readonly Dialect[] = [...builtIns, compatible]
