import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { TransportError } from './transport.ts'

type Result = Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'usage' | 'response'>
type Spoken = { type: 'text' | 'reasoning'; text: string } & Pick<
  Extract<LanguageModelV4Content, { type: 'text' }>,
  'providerMetadata'
>

/** Calls a model that speaks while it answers; the result is put together as if it came at once. */
export async function streamTurn(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  onText: (text: string) => void,
): Promise<Result> {
  const { stream, response } = await model.doStream(options)
  const content: LanguageModelV4Content[] = []
  const open = new Map<string, Spoken>()
  let id: string | undefined
  let end: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined
  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const type = part.type === 'text-start' ? 'text' : 'reasoning'
        const spoken: Spoken = { type, text: '' }
        keep(spoken, part)
        open.set(`${type} ${part.id}`, spoken)
        content.push(spoken)
        break
      }
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end': {
        const spoken = open.get(`${part.type.split('-')[0]} ${part.id}`)
        if (spoken === undefined) break
        keep(spoken, part)
        if (!('delta' in part)) break
        spoken.text += part.delta
        if (spoken.type === 'text' && part.delta !== '') onText(part.delta)
        break
      }
      case 'tool-call':
      case 'source':
      case 'file':
        content.push(part)
        break
      case 'response-metadata':
        id ??= part.id
        break
      case 'finish':
        end = part
        break
      case 'error':
        throw part.error
      default:
        // Hints of what comes whole later.
        break
    }
  }
  // The SDKs end a stream that was cut with a reason of their own, and without the provider's.
  if (end === undefined || isInvented(end.finishReason)) {
    throw new TransportError('bad_answer', 'the stream broke off before its end', undefined, true)
  }
  const { finishReason, usage } = end
  return {
    content,
    finishReason,
    usage,
    response: { ...response, ...(id !== undefined && { id }) },
  }
}

/** OpenAI names no reason where it has nothing to say; the SDK's `stop` and `tool-calls` are its own then. */
function isInvented({ unified, raw }: LanguageModelV4FinishReason): boolean {
  return raw === undefined && ['interrupted', 'other', 'error'].includes(unified)
}

function keep(spoken: Spoken, { providerMetadata }: Pick<Spoken, 'providerMetadata'>): void {
  if (providerMetadata !== undefined)
    spoken.providerMetadata = { ...spoken.providerMetadata, ...providerMetadata }
}
