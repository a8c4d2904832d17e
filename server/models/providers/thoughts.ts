import { createHash } from 'node:crypto'
import type { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'

/**
 * What a gateway wants back unmodified with the next turn: signed or encrypted reasoning (`reasoning_details` of
 * OpenRouter, `thinking_blocks` of LiteLLM), and ids of tool calls that contain a signature. The SDK knows neither. Here
 * they are kept as the server's own data of a reasoning part or a call, which is sent to no other server (`history.ts`).
 */
const fields = ['reasoning_details', 'thinking_blocks'] as const

type Piece = Record<string, unknown>
type Thoughts = Partial<Record<(typeof fields)[number], Piece[]>>
type Extractor = NonNullable<Parameters<typeof createOpenAICompatible>[0]['metadataExtractor']>

/** Finds them in an answer, which the SDK would drop. */
export function thoughtsOf(id: string): Extractor {
  const toMetadata = (thoughts: Thoughts): SharedV4ProviderMetadata =>
    ({ [id]: thoughts }) as SharedV4ProviderMetadata
  return {
    extractMetadata: async ({ parsedBody }) => {
      const found: Thoughts = {}
      for (const [name, pieces] of piecesIn(parsedBody, 'message')) found[name] = pieces
      return toMetadata(found)
    },
    createStreamExtractor: () => {
      const found: Thoughts = {}
      return {
        processChunk: (chunk) => {
          for (const [name, pieces] of piecesIn(chunk, 'delta')) {
            for (const piece of pieces) addPiece((found[name] ??= []), piece)
          }
        },
        buildMetadata: () => toMetadata(found),
      }
    },
  }
}

function piecesIn(body: unknown, place: 'message' | 'delta'): [(typeof fields)[number], Piece[]][] {
  const { choices } = (body ?? {}) as { choices?: unknown }
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : []
  const message = ((choice ?? {}) as Record<string, unknown>)[place]
  return fields.flatMap((name) => {
    const list = (message as Piece | undefined | null)?.[name]
    if (!Array.isArray(list)) return []
    const pieces = list.filter((piece) => typeof piece === 'object' && piece !== null) as Piece[]
    return pieces.length === 0 ? [] : [[name, pieces]]
  })
}

/** A stream brings a block in pieces: texts are continued, its signature comes last. */
const continued = ['text', 'summary', 'thinking']

function addPiece(blocks: Piece[], piece: Piece): void {
  const last = blocks.at(-1)
  const continues =
    last !== undefined &&
    last['type'] === piece['type'] &&
    last['index'] === piece['index'] &&
    !last['signature'] &&
    continued.some((name) => typeof last[name] === 'string')
  if (!continues) {
    blocks.push({ ...piece })
    return
  }
  for (const [name, value] of Object.entries(piece)) {
    const before = last[name]
    if (continued.includes(name) && typeof before === 'string' && typeof value === 'string') {
      last[name] = before + value
    } else if (value !== null && value !== undefined && value !== '') last[name] = value
  }
}

/** A model that gets back what its server wants back; `id` is the provider's, under which its data is kept. */
export function withThoughts(model: LanguageModelV4, id: string): LanguageModelV4 {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: async (options) => {
      const result = await model.doGenerate(sendBack(options, id))
      const thoughts = result.providerMetadata?.[id]
      const content = result.content.map((part) => shortenId(part, id))
      if (!hasThoughts(thoughts)) return { ...result, content }
      const part = { type: 'reasoning', text: '', providerMetadata: { [id]: thoughts } } as const
      return { ...result, content: [...content, part] }
    },
    doStream: async (options) => {
      const { stream, ...rest } = await model.doStream(sendBack(options, id))
      const kept = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform: (part, controller) => {
          const thoughts = part.type === 'finish' ? part.providerMetadata?.[id] : undefined
          if (hasThoughts(thoughts)) {
            const providerMetadata = { [id]: thoughts }
            controller.enqueue({ type: 'reasoning-start', id: 'thoughts', providerMetadata })
            controller.enqueue({ type: 'reasoning-end', id: 'thoughts' })
          }
          controller.enqueue(shortenId(part, id))
        },
      })
      return { ...rest, stream: stream.pipeThrough(kept) }
    },
  }
}

function hasThoughts(
  metadata: SharedV4ProviderMetadata[string] | undefined,
): metadata is SharedV4ProviderMetadata[string] {
  return fields.some((name) => metadata?.[name] !== undefined)
}

const longId = /^[\x21-\x7e]{65,}$/

/** Gives a call with a longer id than servers accept a short one, and keeps its own id beside. */
function shortenId<Part extends { type: string }>(part: Part, id: string): Part {
  if (!isCall(part) || !longId.test(part.toolCallId)) return part
  const toolCallId = `call_${createHash('sha256').update(part.toolCallId).digest('hex').slice(0, 24)}`
  const own = { ...part.providerMetadata?.[id], callId: part.toolCallId }
  return { ...part, toolCallId, providerMetadata: { ...part.providerMetadata, [id]: own } }
}

type Call = Extract<LanguageModelV4Content, { type: 'tool-call' }>

function isCall(part: { type: string }): part is Call {
  return part.type === 'tool-call'
}

/** Puts the server's own data where the server expects it: on the message, and in place of short call ids. */
function sendBack(options: LanguageModelV4CallOptions, id: string): LanguageModelV4CallOptions {
  if (!options.prompt.some(({ role }) => role === 'assistant')) return options
  const ownIds = new Map<string, string>()
  const prompt = options.prompt.map((message): LanguageModelV4Prompt[number] => {
    if (message.role === 'tool') {
      const content = message.content.map((part) => withId(part, ownIds))
      return { ...message, content }
    }
    if (message.role !== 'assistant') return message
    const own: SharedV4ProviderMetadata[string] = {}
    for (const part of message.content) {
      const data = part.providerOptions?.[id]
      if (part.type === 'reasoning' && hasThoughts(data)) Object.assign(own, data)
      if (part.type === 'tool-call' && typeof data?.['callId'] === 'string') {
        ownIds.set(part.toolCallId, data['callId'])
      }
    }
    const content = message.content.map((part) => withId(part, ownIds))
    const isPlain = Object.keys(own).length === 0
    const providerOptions = { ...message.providerOptions, openaiCompatible: own }
    return { ...message, content, ...(!isPlain && { providerOptions }) }
  })
  return { ...options, prompt }
}

function withId<Part extends { type: string }>(part: Part, ids: ReadonlyMap<string, string>): Part {
  if (!('toolCallId' in part) || typeof part.toolCallId !== 'string') return part
  return { ...part, toolCallId: ids.get(part.toolCallId) ?? part.toolCallId }
}
