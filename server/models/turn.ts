import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  SharedV4ProviderOptions,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import type {
  ModelErrorKind,
  ModelInfo,
  ModelMessage,
  ModelTurn,
  ModelTurnRequest,
  Prices,
  Usage,
} from './contract.ts'
import {
  isErrorBody,
  providerError,
  toModelError,
  turnError,
  type TurnSubject,
} from './turn-error.ts'
import { fitHistory } from './history.ts'
import type { Provider } from './provider.ts'
import { maxTokens } from './providers/compatible-usage.ts'
import { readFinishReason } from './providers/finish-reasons.ts'
import { callsLeftInText } from './providers/unparsed-calls.ts'
import { streamTurn } from './stream-turn.ts'
import { spokenText, tidyAnswer, withoutThinking } from './mend-answer.ts'
import { findRequestId } from './request-id.ts'

/** One call of one model. Never retries; the executor does. */
export async function callModel(
  provider: Provider,
  upstreamId: string,
  info: Prices & Pick<ModelInfo, 'id' | 'structuredOutput'>,
  request: ModelTurnRequest,
): Promise<ModelTurn> {
  const { id, dialect, label: providerLabel, secrets } = provider
  const { tools = [], maxOutputTokens, outputSchema, signal, onText } = request
  const subject = { modelId: info.id, providerLabel, secrets }
  const isNative = outputSchema !== undefined && info.structuredOutput
  const instructions =
    outputSchema === undefined || isNative
      ? request.instructions
      : withSchema(request.instructions, outputSchema)
  const history = fitHistory(request.messages, { id, callId: dialect.callId })
  // The next turn of a step with tools sends the same prompt again.
  const mark = tools.length > 0 ? dialect.cacheMark : undefined
  const messages = mark === undefined ? history : cacheUpToHere(history, mark)
  const system = {
    role: 'system' as const,
    content: instructions,
    ...(mark && { providerOptions: mark }),
  }
  // A schema that is not strict is followed as far as the provider can.
  const providerOptions = dialect.callOptions?.(isNative ? isStrict(outputSchema) : undefined)
  if (signal.aborted) throw turnError('aborted', 'the call was aborted', subject)
  try {
    const options: LanguageModelV4CallOptions = {
      prompt: instructions === '' ? messages : [system, ...messages],
      ...(tools.length === 0 ? {} : { tools, toolChoice: { type: 'auto' } }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(isNative
        ? { responseFormat: { type: 'json', schema: outputSchema, name: 'answer' } }
        : {}),
      abortSignal: signal,
      ...(providerOptions && { providerOptions }),
    }
    const model = provider.model(upstreamId)
    const result =
      onText === undefined
        ? await model.doGenerate(options)
        : await streamTurn(model, options, withoutThinking(onText))
    const mayBeEmpty = outputSchema === undefined && endsWithToolResult(request)
    return toTurn(result, info, subject, mayBeEmpty, tools)
  } catch (error) {
    throw toModelError(error, subject, signal)
  }
}

function cacheUpToHere(
  messages: ModelMessage[],
  providerOptions: SharedV4ProviderOptions,
): ModelMessage[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, providerOptions } : message,
  )
}

/** After a tool's result, some models have nothing to add. */
function endsWithToolResult({ messages }: ModelTurnRequest): boolean {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return false
  return last.content.some((part) => part.type === 'tool-result' && part.output.type === 'text')
}

/** Bytes of JSON: text, reasoning and tool calls. Bounded because later steps of a crew send the text again. */
const maxAnswerBytes = 256 * 1024

function toTurn(
  answer: Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'usage' | 'response'>,
  prices: Prices,
  subject: TurnSubject,
  mayBeEmpty: boolean,
  tools: NonNullable<ModelTurnRequest['tools']>,
): ModelTurn {
  const { finishReason, usage, response } = answer
  const used = countTurn(usage, prices)
  const { content, bytes } = tidyAnswer(answer.content)
  const reason = readFinishReason(finishReason)
  const text = spokenText(content)
  const raw = finishReason.raw ?? reason
  const requestId = findRequestId(response?.headers, response?.id)
  const failed = (kind: ModelErrorKind, why: string) =>
    turnError(kind, why, { ...subject, usage: used, requestId })
  if (reason === 'content-filter') {
    const isRefusal = raw === 'stop' || raw === reason
    const why = isRefusal
      ? 'the model refuses'
      : `the provider's content filter stopped the answer (${raw})`
    throw failed('rejected', text.trim() === '' ? why : `${why}: ${text}`)
  }
  if (reason === 'error') {
    throw failed('bad_answer', `the provider broke off its answer (${raw})`)
  }
  if (bytes > maxAnswerBytes) {
    throw failed('rejected', `the answer has ${bytes} bytes, at most ${maxAnswerBytes}`)
  }
  const hasCalls = content.some((part) => part.type === 'tool-call')
  if (reason === 'tool-calls' && !hasCalls) {
    throw failed('bad_answer', `the answer announces tool calls (${raw}) and makes none`)
  }
  const isDone = mayBeEmpty && reason === 'stop'
  if (text.trim() === '' && !isDone && !hasCalls) {
    if (isErrorBody(response?.body)) {
      throw providerError(response?.body, subject, { headers: response?.headers ?? {} })
    }
    throw failed('bad_answer', `the answer is empty (finish reason ${reason})`)
  }
  const unparsed = hasCalls ? undefined : callsLeftInText(text, tools)
  return {
    content,
    text,
    finishReason: reason,
    ...used,
    ...(requestId !== undefined && { requestId }),
    ...(response?.modelId !== undefined && { responseModel: response.modelId }),
    ...(response?.id !== undefined && { responseId: response.id }),
    ...(unparsed !== undefined && {
      warning: {
        code: 'tool_calls_unparsed',
        message:
          `the answer of ${subject.modelId} contains tool calls as text (${unparsed}), which were not made: the ` +
          `server at ${subject.providerLabel} does not parse tool calls; switch on its tool parser, or choose ` +
          'another model',
      },
    }),
  }
}

/**
 * Tokens and cost of a call. The SDKs bring the providers' counts into one form, in which cached and reasoning tokens are
 * included in the totals.
 */
export function countTurn(
  { inputTokens, outputTokens }: LanguageModelV4Usage,
  prices: Prices,
): Usage {
  const tokensIn = toCount(inputTokens.total)
  const tokensOut = toCount(outputTokens.total)
  const tokens = {
    tokensIn,
    tokensOut,
    // A server may report a part that is larger than the whole.
    tokensCached: Math.min(toCount(inputTokens.cacheRead), tokensIn),
    tokensCacheWritten: Math.min(toCount(inputTokens.cacheWrite), tokensIn),
    tokensReasoning: Math.min(toCount(outputTokens.reasoning), tokensOut),
    // No call uses nothing.
    callsWithoutUsage: tokensIn + tokensOut === 0 ? 1 : 0,
    callsWithoutPrice: isUnpriced(prices) ? 1 : 0,
  }
  return { ...tokens, costUsd: costOf(tokens, prices) }
}

/** Whether a part of each call with this model counts as free, because its price is unknown. */
export function isUnpriced({ priceIn, priceOut }: Pick<Prices, 'priceIn' | 'priceOut'>): boolean {
  return priceIn === null || priceOut === null
}

/** Whole tokens; 0 for a number that no call can have used. */
function toCount(reported = 0): number {
  return reported >= 0 && reported <= maxTokens ? Math.round(reported) : 0
}

/** USD for the tokens of one call, rounded to 10 decimals; unknown prices count as 0. */
export function costOf(
  tokens: Pick<Usage, 'tokensIn' | 'tokensOut' | 'tokensCached' | 'tokensCacheWritten'>,
  { priceIn, priceOut, priceCached, priceCacheWrite, longPrompt }: Prices,
): number {
  const { tokensIn, tokensOut, tokensCached, tokensCacheWritten } = tokens
  const plainIn = priceIn ?? 0
  const isLong = longPrompt !== undefined && tokensIn > longPrompt.over
  const fresh = Math.max(0, tokensIn - tokensCached - tokensCacheWritten)
  const input =
    fresh * plainIn +
    tokensCached * (priceCached ?? plainIn) +
    tokensCacheWritten * (priceCacheWrite ?? plainIn)
  const output = tokensOut * (priceOut ?? 0)
  const usd = isLong ? input * longPrompt.in + output * longPrompt.out : input + output
  return Number((usd / 1_000_000).toFixed(10))
}

type Schema = Record<string, unknown>

/** States the output schema in the instructions, for a provider that cannot enforce one. */
function withSchema(instructions: string, schema: Schema): string {
  const rule =
    'Answer with one JSON object that fits this JSON Schema, and with nothing else: no remarks, no code ' +
    `block.\n\n${JSON.stringify(schema)}`
  return instructions === '' ? rule : `${instructions}\n\n${rule}`
}

/**
 * Whether a schema meets the rules of OpenAI's strict mode: objects list all their properties as required and allow no
 * others. OpenAI refuses any other schema in strict mode.
 */
export function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const { properties, required, additionalProperties, $defs, definitions, items, anyOf, ...rest } =
    schema as Schema
  if (!Object.keys(rest).every((keyword) => strictKeywords.has(keyword))) return false
  const isObject = rest['type'] === 'object' || properties !== undefined
  const names = Object.keys((properties as object | undefined) ?? {})
  const listed = new Set((required as string[] | undefined) ?? [])
  if (isObject && (additionalProperties !== false || !names.every((name) => listed.has(name))))
    return false
  const parts = [properties, $defs, definitions].flatMap((map) => Object.values(map ?? {}))
  const others = [...parts, ...((anyOf as unknown[] | undefined) ?? [])]
  return (items === undefined ? others : [...others, items]).every(isStrict)
}

const strictKeywords = new Set(
  [
    'type',
    'enum',
    'const',
    '$ref',
    'title',
    'description',
    'pattern',
    'format',
    'multipleOf',
  ].concat('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems'),
)
