import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { DocumentKind, FromThread, ToThread } from './document.ts'

/** TypeScript in a checkout, JavaScript in the compiled package. */
const workerFile = `./worker${extname(import.meta.url)}`

/**
 * Limits for one document: CPU time of the thread, its heap, and its other memory, including the
 * file.
 */
export const documentBounds = {
  maxMs: 60_000,
  maxHeapMb: 192,
  maxExternalBytes: 192 * 1024 * 1024,
  checkEveryMs: 50,
}

export interface ReadDocument extends AsyncDisposable {
  /** Why the document cannot be read. */
  refusal: string | undefined
  mediaType: string
  /** Number of pages of a PDF; else null. */
  pages: number | null
  /** Page by page, until the end or a limit. */
  texts: AsyncIterable<string>
  /** Whether some text is missing; known at the end. */
  isCut: () => boolean
}

/** Opens a document in a thread, which ends when the result is disposed. */
export async function readDocument(
  document: DocumentKind,
  parts: AsyncIterable<Uint8Array>,
  length: number,
  bounds: typeof documentBounds = documentBounds,
): Promise<ReadDocument> {
  const bytes = new Uint8Array(length)
  let at = 0
  for await (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  const thread = new DocumentThread(bounds)
  const opened = await thread.ask({ kind: 'open', document, bytes }, [bytes.buffer])
  let isCut = false
  return {
    ...outcomeOf(document, opened),
    texts: (async function* () {
      for (;;) {
        const answer = await thread.ask({ kind: 'more' })
        if (typeof answer === 'object' && answer.kind === 'texts') {
          yield* answer.texts
          continue
        }
        isCut = typeof answer === 'string' || (answer.kind === 'end' && answer.isCut)
        return
      }
    })(),
    isCut: () => isCut,
    [Symbol.asyncDispose]: () => thread.end(),
  }
}

function outcomeOf(
  document: DocumentKind,
  opened: FromThread | string,
): Pick<ReadDocument, 'refusal' | 'mediaType' | 'pages'> {
  if (typeof opened === 'object' && opened.kind === 'opened') {
    const { mediaType, pages } = opened
    return { refusal: undefined, mediaType, pages }
  }
  const name = document === 'pdf' ? 'PDF' : 'file'
  const reason = typeof opened === 'string' ? opened : ''
  const refusal =
    typeof opened === 'object' && opened.kind === 'refused'
      ? opened.why
      : `the ${name} cannot be read: ${reason}`
  return { refusal, mediaType: '', pages: null }
}

/** V8 limits the heap of the thread but not its buffers, so these are checked often. */
class DocumentThread {
  readonly #bounds: typeof documentBounds
  readonly #worker: Worker
  /** Why the thread was ended. */
  #ended: string | undefined
  #workedMs = 0

  constructor(bounds: typeof documentBounds) {
    this.#bounds = bounds
    const resourceLimits = {
      maxOldGenerationSizeMb: bounds.maxHeapMb,
      maxYoungGenerationSizeMb: 8,
    }
    this.#worker = new Worker(new URL(workerFile, import.meta.url), { resourceLimits })
    // Errors are reported by `ask`.
    this.#worker.on('error', () => {})
  }

  /** The thread's answer, or why there is none. */
  async ask(message: ToThread, transfer: ArrayBuffer[] = []): Promise<FromThread | string> {
    if (this.#ended !== undefined) return this.#ended
    const { promise, resolve } = Promise.withResolvers<FromThread | string>()
    const onError = (error: Error): void => {
      const isMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
      resolve(isMemory ? tooMuchMemory : error.message)
    }
    const onExit = (): void => resolve(this.#ended ?? 'its reader has ended')
    this.#worker.once('message', resolve).once('error', onError).once('exit', onExit)
    const began = performance.now()
    const check = setInterval(() => void this.#check(began), this.#bounds.checkEveryMs)
    try {
      this.#worker.postMessage(message, transfer)
      const answer = await promise
      if (typeof answer === 'string') this.#ended = answer
      return answer
    } finally {
      clearInterval(check)
      this.#workedMs += performance.now() - began
      this.#worker.off('message', resolve).off('error', onError).off('exit', onExit)
    }
  }

  async end(): Promise<void> {
    this.#ended ??= 'its reader was ended'
    await this.#worker.terminate()
  }

  async #check(began: number): Promise<void> {
    const { maxMs, maxExternalBytes } = this.#bounds
    if (this.#workedMs + performance.now() - began > maxMs) {
      return this.#stop(`it takes more than ${maxMs / 1_000} s`)
    }
    // A thread that has ended has no statistics.
    const statistics = await this.#worker.getHeapStatistics().catch(() => undefined)
    if ((statistics?.external_memory ?? 0) > maxExternalBytes) this.#stop(tooMuchMemory)
  }

  #stop(why: string): void {
    if (this.#ended !== undefined) return
    this.#ended = why
    void this.#worker.terminate()
  }
}

const tooMuchMemory = 'it takes too much memory'
