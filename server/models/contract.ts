import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'

/**
 * What the rest of Muster knows of language models: what a model is, what one turn takes and gives,
 * and how a turn fails. Providers stand behind it, one a file; nobody else names a provider.
 */
export interface ModelInfo extends Prices {
  /** The id that workflows use and, for catalog models, the provider's own id. */
  id: string
  provider: string
  label: string
  /** Tokens of input and output together; null when unknown. */
  contextWindow: number | null
  /** The day on which the provider ends it, as YYYY-MM-DD; null where none is known. */
  shutdownDate?: string | null
  /** Where its figures were read, and when; the pages of its end and of what it takes; what could not be checked. */
  source?: { url: string; date: string; ends?: string; inputs?: string; note?: string }
  /** Whether its provider holds answers to a JSON Schema; otherwise the model is told of it. */
  structuredOutput: boolean
  /** Media types that it takes as they are, beside text; none where left out. */
  inputTypes?: readonly string[]
  /** Whether this deployment can route a turn to it. */
  available: boolean
  kind: 'catalog' | 'fine_tuned'
}

/** What a provider bills, in USD per 1,000,000 tokens; null where it is not known. */
export interface Prices {
  priceIn: number | null
  priceOut: number | null
  /** Input that it reads from its cache; what is not known is billed as other input. */
  priceCached?: number | null
  /** Input that it writes to its cache; what is not known is billed as other input. */
  priceCacheWrite?: number | null
  /** Factors on all prices of a call whose prompt is longer than this, for providers that bill so. */
  longPrompt?: { over: number; in: number; out: number }
}

/** A message of the AI SDK's prompt; the system text travels as `instructions`. */
export type ModelMessage = Exclude<LanguageModelV4Prompt[number], { role: 'system' }>

/** What is worth knowing of a model that is in use. */
export interface ModelWarning {
  code: 'demo_model' | 'model_ends' | 'model_unavailable'
  message: string
}

export interface ModelTurnRequest {
  instructions: string
  messages: ModelMessage[]
  tools?: LanguageModelV4FunctionTool[]
  maxOutputTokens?: number
  /** Called with each piece of the text while the model speaks; without it, the answer comes at once. */
  onText?: (text: string) => void
  /** JSON Schema of the object that the answer has to be. */
  outputSchema?: Record<string, unknown>
  /** What a fine-tuned id is, for the account that owns it; nobody else may run it. */
  tuned?: ModelInfo
  /** Another model is asked where this one's provider is away. */
  hasFallback?: boolean
  signal: AbortSignal
}

export type FinishReason = LanguageModelV4FinishReason['unified']

/** Exact counts as the provider totals them. */
export interface Usage {
  tokensIn: number
  tokensOut: number
  costUsd: number
  /** Parts of `tokensIn`: read from the provider's cache, and written to it. */
  tokensCached: number
  tokensCacheWritten: number
  /** Part of `tokensOut`. */
  tokensReasoning: number
  /** 1 for a call that may have cost something, but whose counts never arrived. */
  callsWithoutUsage: number
}

export const noUsage: Usage = {
  tokensIn: 0,
  tokensOut: 0,
  costUsd: 0,
  tokensCached: 0,
  tokensCacheWritten: 0,
  tokensReasoning: 0,
  callsWithoutUsage: 0,
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    costUsd: a.costUsd + b.costUsd,
    tokensCached: a.tokensCached + b.tokensCached,
    tokensCacheWritten: a.tokensCacheWritten + b.tokensCacheWritten,
    tokensReasoning: a.tokensReasoning + b.tokensReasoning,
    callsWithoutUsage: a.callsWithoutUsage + b.callsWithoutUsage,
  }
}

export interface ModelTurn extends Usage {
  /** Everything the model gave, in order: text, reasoning, tool calls. */
  content: LanguageModelV4Content[]
  /** The text parts of `content`, joined; may be empty beside tool calls, and after a tool's answer. */
  text: string
  finishReason: FinishReason
  /** The provider's name of the request, where it gave one. */
  requestId?: string
}

export type ModelErrorKind =
  | 'rate_limited'
  | 'unavailable'
  | 'timeout'
  | 'bad_answer'
  | 'rejected'
  | 'aborted'
  | 'not_available'
  // Not sent, or in vain: the provider is not there.
  | 'held'
  // This process lacks files, sockets or memory.
  | 'shortage'

/** A turn that failed. The message is for people and holds neither prompt nor key. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly kind: ModelErrorKind
  /** The least time to wait before the next try, when the provider said so. */
  readonly retryAfterMs: number | undefined
  readonly usage: Usage
  /** Why, in the provider's words where it had any: the message without what it is about. */
  readonly reason: string
  /** The status of the provider's answer, where it was a failure. */
  readonly status: number | undefined
  /** No connection could be made to the provider's address. */
  readonly isUnreachable: boolean
  /** Of a call that is held: the provider answers again, and the call waits for its turn. */
  readonly isBack: boolean

  constructor(
    kind: ModelErrorKind,
    message: string,
    details: {
      usage?: Usage | undefined
      retryAfterMs?: number | undefined
      reason?: string | undefined
      status?: number | undefined
      isUnreachable?: boolean | undefined
      isBack?: boolean | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: details.cause })
    this.kind = kind
    this.retryAfterMs = details.retryAfterMs
    this.usage = details.usage ?? noUsage
    this.reason = details.reason ?? message
    this.status = details.status
    this.isUnreachable = details.isUnreachable ?? false
    this.isBack = details.isBack ?? false
  }
}

/** Files that a model may take as they are. */
export const mediaTypes = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'application/pdf',
] as const
