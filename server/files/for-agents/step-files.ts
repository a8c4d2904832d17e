import type { LanguageModelV4FilePart } from '@ai-sdk/provider'
import type { Services } from '../../context.ts'
import { logFailure } from '../../db/outage.ts'
import { type RunFile, readRunFiles } from '../../engine/journal/files.ts'
import { ModelError, type ModelInfo, type ModelMessage } from '../../models/contract.ts'
import { DomainError } from '../../errors.ts'
import { contentsLost } from '../../contents/contents.ts'
import { storeOf } from '../store.ts'
import { describeFiles, planFiles } from './plan-files.ts'
import { readPages } from './text-store.ts'
import type { Database } from '../../db/client.ts'
import type { RunKey } from '../../engine/run/run.ts'

/**
 * The files of a step in the form of its prompt. Their bytes are read from the store for each model
 * call and not cached; the number of calls with many bytes is limited by process and account.
 */
type Part = Extract<ModelMessage, { role: 'user' }>['content'][number]

/** For one model call; disposed after it. */
export interface Attached extends Disposable {
  messages: ModelMessage[]
}

const freeBytes = 256 * 1024
const againMs = 5_000

export class StepFiles {
  readonly #services: Pick<Services, 'reads' | 'contents' | 'limits' | 'log'>
  readonly #accountId: string
  readonly #files: RunFile[]
  /** By content. */
  readonly #texts = new Map<string, string>()

  constructor(
    services: Pick<Services, 'reads' | 'contents' | 'limits' | 'log'>,
    accountId: string,
    files: RunFile[],
  ) {
    this.#services = services
    this.#accountId = accountId
    this.#files = files
  }

  #takeSlot(action: string): Promise<Disposable> {
    const { filesForModels } = this.#services.limits
    return filesForModels.take(this.#accountId, action).catch((error: unknown) => {
      throw shortage(action, 'too many calls with large files are under way', error)
    })
  }

  /** The messages, with the files after the first, in the form that the model accepts. */
  async attach(model: ModelInfo | undefined, messages: ModelMessage[]): Promise<Attached> {
    const shown = planFiles(this.#files, model)
    const attached = shown.flatMap(({ file, how }) => (how === 'attached' ? [file] : []))
    const bytes = attached.reduce((sum, file) => sum + file.bytes, 0)
    const action = `run ${model?.id ?? 'a model'}`
    const slot = bytes <= freeBytes ? undefined : await this.#takeSlot(action)
    try {
      const texts = shown.filter(({ how }) => how === 'text').map(({ file }) => file)
      const parts: Part[] = [{ type: 'text', text: describeFiles(shown) }]
      for (const file of texts) {
        const text = await this.#textOf(file)
        parts.push({ type: 'text', text: `### ${file.name}\n\n${text}` })
      }
      for (const file of attached) {
        const data = await this.#bytesOf(file)
        parts.push({ type: 'text', text: `### ${file.name}` }, toPart(file, data))
      }
      return {
        messages: withParts(messages, parts),
        [Symbol.dispose]: () => slot?.[Symbol.dispose](),
      }
    } catch (error) {
      slot?.[Symbol.dispose]()
      logFailure(this.#services.log, error, 'files of a step were not read')
      if (isLost(error)) {
        throw new ModelError('rejected', `Cannot ${action}: ${error.message}`, { cause: error })
      }
      throw shortage(action, 'the store of files does not answer', error)
    }
  }

  async #textOf(file: RunFile): Promise<string> {
    const { content_id: contentId, text_chars: chars } = file
    if (contentId === null) return ''
    let text = this.#texts.get(contentId)
    if (text === undefined) {
      const range = { from: 1, maxChars: (chars ?? 0) + 1, maxPages: 10_000 }
      const key = { accountId: this.#accountId, contentId }
      const pages = await readPages(this.#services.reads, key, range)
      // Batches of one text are joined without a gap; pages of a PDF are not.
      text = pages.map((page) => page.text).join(file.pages === null ? '' : '\n\n')
      this.#texts.set(contentId, text)
    }
    return text
  }

  async #bytesOf({ content_id: contentId, bytes }: RunFile): Promise<Uint8Array> {
    const key = { accountId: this.#accountId, contentId: contentId ?? '' }
    const data = new Uint8Array(bytes)
    const store = await storeOf(this.#services.reads, key)
    if (store === undefined) throw contentsLost(key, 'no store', 0)
    let at = 0
    for await (const part of this.#services.contents.named(store).read(key, 0, bytes)) {
      data.set(part, at)
      at += part.length
    }
    return data
  }
}

function isLost(error: unknown): error is DomainError {
  return error instanceof DomainError && error.code === 'file_contents_lost'
}

/** A failure that holds the run, and is not counted against the provider. */
function shortage(action: string, why: string, cause?: unknown): ModelError {
  return new ModelError('shortage', `Cannot ${action}: ${why}`, { retryAfterMs: againMs, cause })
}

function toPart(
  { name, media_type: mediaType }: RunFile,
  data: Uint8Array,
): LanguageModelV4FilePart {
  return { type: 'file', filename: name, mediaType, data: { type: 'data', data } }
}

/** Joins adjacent texts, because simple servers accept nothing but text. */
export function withParts([first, ...rest]: ModelMessage[], parts: Part[]): ModelMessage[] {
  if (first?.role !== 'user') throw new Error('The first message is the input')
  const content: Part[] = []
  for (const part of [...first.content, ...parts]) {
    const last = content.at(-1)
    if (last?.type === 'text' && part.type === 'text') {
      content[content.length - 1] = { ...last, text: `${last.text}\n\n${part.text}` }
    } else content.push(part)
  }
  return [{ ...first, content }, ...rest]
}

/** Files that a step can use: its run's, and those that earlier steps wrote. */
export async function readStepFiles(
  database: Database,
  run: RunKey,
  position: number,
): Promise<RunFile[]> {
  const files = await readRunFiles(database, run)
  return files.filter(({ step_position: by }) => by === null || by < position)
}
