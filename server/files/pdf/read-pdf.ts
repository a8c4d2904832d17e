import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { FromThread, ToThread } from './messages.ts'

/** TypeScript here, JavaScript where the package was compiled. */
const workerFile = `./worker${extname(import.meta.url)}`

/** Of one PDF: time in which the thread is at work, its heap, and what it has beside that, its bytes included. */
export const pdfBounds = {
  maxMs: 60_000,
  maxHeapMb: 192,
  maxExternalBytes: 192 * 1024 * 1024,
  checkEveryMs: 50,
}

export interface ReadPdf extends AsyncDisposable {
  /** Why it cannot be read. */
  refusal: string | undefined
  pages: number
  /** Page by page, until the end or a bound. */
  texts: AsyncIterable<string>
  /** Whether some of the text is missing, known at the end. */
  isCut: () => boolean
}

/** Opens a PDF in a thread of its own, which ends with the disposal. */
export async function readPdf(
  parts: AsyncIterable<Uint8Array>,
  length: number,
  bounds: typeof pdfBounds = pdfBounds,
): Promise<ReadPdf> {
  const bytes = new Uint8Array(length)
  let at = 0
  for await (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  const thread = new PdfThread(bounds)
  const opened = await thread.ask({ kind: 'open', bytes }, [bytes.buffer])
  let isCut = false
  return {
    refusal: refusalOf(opened),
    pages: typeof opened === 'object' && opened.kind === 'opened' ? opened.pages : 0,
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

function refusalOf(opened: FromThread | string): string | undefined {
  if (typeof opened === 'string') return `the PDF cannot be read: ${opened}`
  return opened.kind === 'refused' ? opened.why : undefined
}

/** Its heap is bounded by V8; buffers are not, so it is looked at often. */
class PdfThread {
  readonly #bounds: typeof pdfBounds
  readonly #worker: Worker
  /** Why it was ended. */
  #ended: string | undefined
  #workedMs = 0

  constructor(bounds: typeof pdfBounds) {
    this.#bounds = bounds
    const resourceLimits = {
      maxOldGenerationSizeMb: bounds.maxHeapMb,
      maxYoungGenerationSizeMb: 8,
    }
    this.#worker = new Worker(new URL(workerFile, import.meta.url), { resourceLimits })
    // Handled by whoever asks.
    this.#worker.on('error', () => {})
  }

  /** Its answer, or why there is none. */
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
    // One that has ended has none.
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
