import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
} from '@ai-sdk/provider'
import type {
  ModelErrorKind,
  ModelInfo,
  ModelMessage,
  ModelTurn,
  ModelTurnRequest,
  Prices,
} from './contract.ts'
import { isErrorBody } from './error-body.ts'
import { fitHistory, type Receiver } from './fit-history.ts'
import { isStrict, withSchema } from './output-schema.ts'
import { streamTurn } from './stream-turn.ts'
import { tidyAnswer, withoutThinking } from './tidy-content.ts'
import { countTurn } from './turn-usage.ts'
import { providerError, toModelError, turnError, type TurnSubject } from './turn-error.ts'

/** One call of one model. Retrying is the executor's business, never done here. */
export async function callModel(
  model: LanguageModelV4,
  info: Prices & Pick<ModelInfo, 'structuredOutput'>,
  request: ModelTurnRequest,
  subject: TurnSubject,
  receiver: Receiver,
): Promise<ModelTurn> {
  const { tools = [], maxOutputTokens, outputSchema, signal } = request
  const isNative = outputSchema !== undefined && info.structuredOutput
  const instructions =
    outputSchema === undefined || isNative
      ? request.instructions
      : withSchema(request.instructions, outputSchema)
  const isLong = tools.length > 0
  const history = fitHistory(request.messages, receiver)
  const messages = isLong ? cacheUpToHere(history) : history
  const system = { role: 'system' as const, content: instructions, ...(isLong && cachedHere) }
  // Where the schema is not of the strict kind, the provider is asked for as much of it as it can do.
  const strictness = isNative ? { strictJsonSchema: isStrict(outputSchema) } : {}
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
      // Nothing is kept at the provider, and later turns send the whole conversation again.
      // Options of a provider are checked against a schema, also where there are none.
      providerOptions: {
        openai: { store: false, ...strictness },
        ...(isNative && { openaiCompatible: strictness }),
      },
    }
    const { onText } = request
    const result =
      onText === undefined
        ? await model.doGenerate(options)
        : await streamTurn(model, options, withoutThinking(onText))
    const mayBeEmpty = outputSchema === undefined && hasAnswerOfTool(request)
    return toTurn(result, info, subject, mayBeEmpty)
  } catch (error) {
    throw toModelError(error, subject, signal)
  }
}

/**
 * Anthropic keeps the prompt up to these marks for five minutes, for a quarter more; other providers do so
 * unasked, and pass over the marks. A step with tools sends the same again in its next turn.
 */
const cachedHere = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } }

function cacheUpToHere(messages: ModelMessage[]): ModelMessage[] {
  return messages.map((message, place) =>
    place === messages.length - 1 ? { ...message, ...cachedHere } : message,
  )
}

/** Some models have nothing to add once a tool has done what they wanted. */
function hasAnswerOfTool({ messages }: ModelTurnRequest): boolean {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return false
  return last.content.some((part) => part.type === 'tool-result' && part.output.type === 'text')
}

/** Bytes of JSON: text, reasoning and tool calls. Each later agent of a crew is sent the text again. */
const maxAnswerBytes = 256 * 1024

function toTurn(
  answer: Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'usage' | 'response'>,
  prices: Prices,
  subject: TurnSubject,
  mayBeEmpty: boolean,
): ModelTurn {
  const { finishReason, usage, response } = answer
  const used = countTurn(usage, prices)
  const { content, bytes } = tidyAnswer(answer.content)
  // Mistral's adapter does not know this one of its reasons.
  const reason = finishReason.raw === 'content_filter' ? 'content-filter' : finishReason.unified
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const raw = finishReason.raw ?? reason
  const failed = (kind: ModelErrorKind, why: string) =>
    turnError(kind, why, { ...subject, usage: used })
  if (reason === 'content-filter') {
    const isRefusal = raw === 'stop' || raw === reason
    const who = isRefusal
      ? 'the model refuses'
      : `the provider's content filter stopped the answer (${raw})`
    throw failed('rejected', text.trim() === '' ? who : `${who}: ${text}`)
  }
  if (reason === 'error' || raw === 'error') {
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
    if (isErrorBody(response?.body)) throw providerError(response?.body, subject)
    throw failed('bad_answer', `the answer is empty (finish reason ${reason})`)
  }
  const requestId = findRequestId(response)
  return {
    content,
    text,
    finishReason: reason,
    ...used,
    ...(requestId === undefined ? {} : { requestId }),
  }
}

/** By which a provider, or a gateway before it, finds the request in its own logs; the answer's id where there is no other. */
function findRequestId({ headers = {}, id }: LanguageModelV4GenerateResult['response'] = {}):
  | string
  | undefined {
  const name = requestIdHeaders.find((header) => isRequestId(headers[header]))
  const found = name === undefined ? id : headers[name]
  return isRequestId(found) ? found : undefined
}

function isRequestId(text: string | undefined): boolean {
  return text !== undefined && /^[\x21-\x7e]{1,100}$/.test(text)
}

const requestIdHeaders = [
  'x-request-id',
  'request-id',
  'x-goog-request-id',
  'x-litellm-call-id',
  'x-portkey-trace-id',
  'mistral-correlation-id',
  'x-amzn-requestid',
  'apim-request-id',
  'x-correlation-id',
  'helicone-id',
  'cf-aig-log-id',
]
