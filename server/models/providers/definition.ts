import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Prices } from '../contract.ts'

/**
 * How a provider's API differs from others, behind its SDK. Each provider is one file of this folder; the rest of
 * `server/models` names none, and calls, bills and judges all of them the same way. Fine-tunes have a list of their own.
 */
export interface Dialect {
  /** Everything comes from these settings; the SDK must read nothing from the environment. */
  create(settings: SdkSettings): ModelFactory
  /** Headers that carry the key, for the list of models, which the SDKs do not offer. */
  authHeaders(apiKey: string): Record<string, string>
  /** Form of the tool call ids that it accepts back. */
  callId: RegExp
  /** Options of each call; `strict` is set for a call with an output schema. */
  callOptions?(strict: boolean | undefined): SharedV4ProviderOptions
  /** Marks the end of a prompt that it should cache; providers without it cache unasked. */
  cacheMark?: SharedV4ProviderOptions
  /** Token counts that are put into an answer without any, which its SDK would refuse. */
  emptyUsage?: Record<string, number>
  /** Response headers with its id of a request, the best first. */
  requestIdHeaders: readonly string[]
  errors?: ErrorWords
}

/**
 * What a provider's errors mean, where their HTTP status does not say. Gateways pass these words on for any provider,
 * so they are looked up across all dialects.
 */
interface ErrorWords {
  codes?: Record<string, ErrorMeaning>
  /** Messages about a used-up quota, for gateways that drop the code. */
  usedUp?: RegExp
  /** Messages about a request that is over a limit by itself: waiting does not help, though the status is 429. */
  tooLarge?: RegExp
  /** The wait that an error object asks for, beside the header `Retry-After`. */
  retryDelayMs?(error: unknown): number | undefined
}

/** `used_up`: waiting does not help, even where the status is 429. */
type ErrorMeaning = 'used_up' | 'rate_limited' | 'unavailable' | 'rejected'

interface SdkSettings {
  name: string
  apiKey: string
  baseURL: string
  headers: Record<string, string>
  fetch: typeof globalThis.fetch
}

/** Makes the SDK's model from the provider's own model id. */
export type ModelFactory = (modelId: string) => LanguageModelV4

/** A provider that Muster knows by name, configured by two environment variables. */
export interface BuiltInProvider<Id extends string = string> extends Dialect {
  id: Id
  label: string
  /** Prefix of its variables `…_API_KEY` and `…_BASE_URL`. */
  envPrefix: string
  defaultUrl: string
  /** Default model of a deployment that configures this provider first and names no default. */
  smallModel: string
  catalog: Catalog
}

/** The provider's published figures for standard calls. */
interface Catalog {
  /** Day on which the entries were last compared with the pages below. */
  readOn: string
  /** Pages that publish prices, end dates, and the files that models take. */
  pricesUrl: string
  endsUrl: string
  inputsUrl: string
  /** Files that its models take unchanged, unless an entry says otherwise. */
  inputTypes: readonly string[]
  /** False where the provider cannot enforce a JSON Schema; the instructions state it then. */
  structuredOutput?: boolean
  /** By model id. Prices are USD per 1,000,000 tokens. */
  models: Record<string, CatalogEntry>
}

type CatalogEntry = [
  label: string,
  contextWindow: number,
  priceIn: number,
  priceOut: number,
  more?: CatalogExtras,
]

/** What is left out is unknown. */
interface CatalogExtras extends Pick<Prices, 'longPrompt'> {
  cached?: number
  cacheWrite?: number
  /** Day on which the provider ends it, or the earliest that it names. */
  ends?: string
  inputTypes?: readonly string[]
  /** What could not be checked, or will change. */
  note?: string
}

/** Keeps the id as a literal type. */
export function defineProvider<const Id extends string>(
  provider: BuiltInProvider<Id>,
): BuiltInProvider<Id> {
  return provider
}

export function bearer(apiKey: string): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` }
}

/** OpenAI and Google raise the prices of a whole call by these factors where its prompt is longer. */
export function doubledPast(over: number): NonNullable<Prices['longPrompt']> {
  return { over, in: 2, out: 1.5 }
}

export const secondHand = 'prices of other sources that quote the page'
export const noCachePrice = 'the price of cached input was not found: it counts as other input'
