import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'

/** The types by which the rest of Muster uses language models: a model, one turn of it, and how a turn fails. */
export interface ModelInfo extends Prices {
  /** The id that workflows use and, for catalog models, the provider's own id. */
  id: string
  provider: string
  label: string
  /** Tokens of input and output together; null when unknown. */
  contextWindow: number | null
  /** Day on which the provider ends it, as YYYY-MM-DD; null when unknown. */
  shutdownDate?: string | null
  /** Page and day from which the figures were taken, pages about its end and inputs, and what could not be checked. */
  source?: { url: string; date: string; ends?: string; inputs?: string; note?: string }
  /** Whether its provider enforces a JSON Schema; otherwise the instructions state it. */
  structuredOutput: boolean
  /** Media types that it accepts beside text; none by default. */
  inputTypes?: readonly string[]
  /** Whether this deployment can route a turn to it. */
  available: boolean
  kind: 'catalog' | 'fine_tuned'
}

/** Prices in USD per 1,000,000 tokens; null when unknown. */
export interface Prices {
  priceIn: number | null
  priceOut: number | null
  /** Input read from the provider's cache; counts as other input when unknown. */
  priceCached?: number | null
  /** Input written to the provider's cache; counts as other input when unknown. */
  priceCacheWrite?: number | null
  /** Factors on all prices of a call whose prompt has more tokens than `over`. */
  longPrompt?: { over: number; in: number; out: number }
}

/** A message of the AI SDK's prompt; the system text travels as `instructions`. */
export type ModelMessage = Exclude<LanguageModelV4Prompt[number], { role: 'system' }>

/** A warning about a model that is in use. */
export interface ModelWarning {
  code: 'demo_model' | 'model_ends' | 'model_unavailable'
  message: string
}

export interface ModelTurnRequest {
  instructions: string
  messages: ModelMessage[]
  tools?: LanguageModelV4FunctionTool[]
  maxOutputTokens?: number
  /** Called with each piece of the text as it is streamed; without it, the model is asked for a whole answer. */
  onText?: (text: string) => void
  /** JSON Schema of the object that the answer must be. */
  outputSchema?: Record<string, unknown>
  /** The fine-tuned model behind the id; set only for the account that owns it. */
  tuned?: ModelInfo
  /** Whether another model is asked if this one's provider is away. */
  hasFallback?: boolean
  signal: AbortSignal
}

export type FinishReason = LanguageModelV4FinishReason['unified']

/** Token counts as the provider reports them. */
export interface Usage {
  tokensIn: number
  tokensOut: number
  costUsd: number
  /** Parts of `tokensIn`: read from the provider's cache, and written to it. */
  tokensCached: number
  tokensCacheWritten: number
  /** Part of `tokensOut`. */
  tokensReasoning: number
  /** 1 for a call that may have been billed, but whose counts never arrived. */
  callsWithoutUsage: number
  /** 1 for a call whose tokens have no known price: it counts as free. */
  callsWithoutPrice: number
}

export const noUsage: Usage = {
  tokensIn: 0,
  tokensOut: 0,
  costUsd: 0,
  tokensCached: 0,
  tokensCacheWritten: 0,
  tokensReasoning: 0,
  callsWithoutUsage: 0,
  callsWithoutPrice: 0,
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
    callsWithoutPrice: a.callsWithoutPrice + b.callsWithoutPrice,
  }
}

export interface ModelTurn extends Usage {
  /** The parts of the answer in order: text, reasoning, tool calls. */
  content: LanguageModelV4Content[]
  /** The text parts of `content` that are its answer, joined; may be empty beside tool calls and after a tool's result. */
  text: string
  finishReason: FinishReason
  /** The provider's id of the request, where it gave one. */
  requestId?: string
  /** The model and the id that the answer itself names. */
  responseModel?: string
  responseId?: string
  /** The answer contains tool calls as text, which were not made. */
  warning?: AnswerWarning
}

export interface AnswerWarning {
  code: 'tool_calls_unparsed'
  message: string
}

export type ModelErrorKind =
  | 'rate_limited'
  | 'unavailable'
  | 'timeout'
  | 'bad_answer'
  | 'rejected'
  | 'aborted'
  | 'not_available'
  // The provider is away: the call was not sent, or failed with the outage.
  | 'held'
  // This process has no files, sockets or memory left.
  | 'shortage'

/** A turn that failed. The message is for people and contains neither prompt nor key. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly kind: ModelErrorKind
  /** Least wait before the next try, where the provider asked for one. */
  readonly retryAfterMs: number | undefined
  readonly usage: Usage
  /** The reason alone, in the provider's words where it gave any. */
  readonly reason: string
  /** The provider's, or a gateway's, id of the request; the message ends with it. */
  readonly requestId: string | undefined
  /** HTTP status of the provider's answer, where that reported a failure. */
  readonly status: number | undefined
  /** No connection could be made to the provider's address. */
  readonly isUnreachable: boolean
  /** For a held call: the provider answers again, and the call waits for its turn. */
  readonly isBack: boolean

  constructor(
    kind: ModelErrorKind,
    message: string,
    details: {
      usage?: Usage | undefined
      retryAfterMs?: number | undefined
      reason?: string | undefined
      requestId?: string | undefined
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
    this.requestId = details.requestId
    this.status = details.status
    this.isUnreachable = details.isUnreachable ?? false
    this.isBack = details.isBack ?? false
  }
}

/** Media types of files that models may accept unchanged. */
export const mediaTypes = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'application/pdf',
] as const
