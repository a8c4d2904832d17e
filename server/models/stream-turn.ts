import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import type { LRUCache } from 'lru-cache'
import { ModelError, type ModelTurn, type ModelTurnRequest } from './contract.ts'
import { isCommentary } from './mend-answer.ts'
import { TransportError } from './transport.ts'

type Result = Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'usage' | 'response'>
type StreamedPart = { type: 'text' | 'reasoning'; text: string } & Pick<
  Extract<LanguageModelV4Content, { type: 'text' }>,
  'providerMetadata'
>

/** Calls a model for a stream and passes its text on; the result is the same as of a whole answer. */
export async function streamTurn(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  onText: (text: string) => void,
): Promise<Result> {
  const { stream, response } = await model.doStream(options)
  const content: LanguageModelV4Content[] = []
  const open = new Map<string, StreamedPart>()
  // Commentary is passed on only if no answer follows.
  let commentary = ''
  let hasAnswer = false
  let id: string | undefined
  let modelId: string | undefined
  let end: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined
  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const type = part.type === 'text-start' ? 'text' : 'reasoning'
        const current: StreamedPart = { type, text: '' }
        mergeMetadata(current, part)
        open.set(`${type} ${part.id}`, current)
        content.push(current)
        break
      }
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end': {
        const current = open.get(`${part.type.split('-')[0]} ${part.id}`)
        if (current === undefined) break
        mergeMetadata(current, part)
        if (!('delta' in part)) break
        current.text += part.delta
        if (current.type !== 'text' || part.delta === '') break
        if (isCommentary(current)) commentary += part.delta
        else {
          hasAnswer = true
          onText(part.delta)
        }
        break
      }
      case 'tool-call':
      case 'source':
      case 'file':
        content.push(part)
        break
      case 'response-metadata':
        id ??= part.id
        modelId ??= part.modelId
        break
      case 'finish':
        end = part
        break
      case 'error':
        throw part.error
      default:
        // Parts of tool calls, which come whole later.
        break
    }
  }
  // The SDKs end a stream that was cut with a finish reason of their own, without a raw one.
  if (end === undefined || isInvented(end.finishReason)) {
    throw new TransportError('bad_answer', 'the stream broke off before its end', undefined, true)
  }
  if (!hasAnswer && commentary !== '') onText(commentary)
  const { finishReason, usage } = end
  return {
    content,
    finishReason,
    usage,
    response: {
      ...response,
      ...(id !== undefined && { id }),
      ...(modelId !== undefined && { modelId }),
    },
  }
}

/** `stop` and `tool-calls` need no raw reason: OpenAI's Responses API gives none for a complete answer. */
function isInvented({ unified, raw }: LanguageModelV4FinishReason): boolean {
  return raw === undefined && ['interrupted', 'other', 'error'].includes(unified)
}

function mergeMetadata(
  current: StreamedPart,
  { providerMetadata }: Pick<StreamedPart, 'providerMetadata'>,
): void {
  if (providerMetadata !== undefined)
    current.providerMetadata = { ...current.providerMetadata, ...providerMetadata }
}

/**
 * A call of a run that a client watches, with the same outcome as without: where the provider refuses to stream, the
 * model is asked again for the whole answer. Such a model, and one whose streams bring no token counts, is asked for
 * whole answers from then on; `onWhole` gets the reason, once for each model.
 */
export async function streamWatched(
  wholeOnly: LRUCache<string, true>,
  upstreamId: string,
  request: ModelTurnRequest,
  call: (request: ModelTurnRequest) => Promise<ModelTurn>,
  onWhole: (why: string) => void,
): Promise<ModelTurn> {
  const { onText: _, ...whole } = request
  if (wholeOnly.has(upstreamId)) return call(whole)
  const remember = (why: string): void => {
    wholeOnly.set(upstreamId, true)
    onWhole(why)
  }
  try {
    const turn = await call(request)
    if (turn.callsWithoutUsage > 0) remember('its streams bring no count of tokens')
    return turn
  } catch (error) {
    if (!(error instanceof ModelError) || !streamRefusals.includes(error.status ?? 0)) throw error
    const turn = await call(whole)
    remember(error.reason)
    return turn
  }
}

/** Statuses of a request that the provider may accept without `stream` and its options. */
const streamRefusals = [400, 403, 404, 405, 406, 415, 422, 501]
