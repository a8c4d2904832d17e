import { addressOf } from '../../sandbox/sandbox.ts'
import { TaskEnded, Thread } from '../../sandbox/thread.ts'
import type { DocumentKind, FromThread } from './document.ts'

/** Limits for one document: the time that its thread works, and its memory, including the file. */
export const documentBounds = { maxMs: 60_000, maxMb: 192 }

const at = { from: import.meta.url, file: './reader' } as const
const openTask = addressOf({ ...at, name: 'open' })
const moreTask = addressOf({ ...at, name: 'more' })

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

/** Opens a document in a thread of its own, which ends when the result is disposed. */
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
  const thread = new Thread()
  const ask = createAsk(thread, bounds)
  const opened = await ask(openTask, { kind: document, bytes }, [bytes.buffer])
  let isCut = false
  return {
    ...outcomeOf(document, opened),
    texts: (async function* () {
      for (;;) {
        const answer = await ask(moreTask, undefined)
        if (typeof answer === 'object' && answer.kind === 'texts') {
          yield* answer.texts
          continue
        }
        isCut = typeof answer === 'string' || (answer.kind === 'end' && answer.isCut)
        return
      }
    })(),
    isCut: () => isCut,
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

type Ask = (
  task: typeof openTask,
  input: unknown,
  transfer?: ArrayBuffer[],
) => Promise<FromThread | string>

/** Asks the thread: its answer, or why there is none. All its answers share one limit of time. */
function createAsk(thread: Thread, { maxMs, maxMb }: typeof documentBounds): Ask {
  let workedMs = 0
  let ended: string | undefined
  return async (task, input, transfer = []) => {
    if (ended !== undefined) return ended
    const began = performance.now()
    try {
      const bounds = { maxMs: Math.max(1, maxMs - workedMs), maxMb }
      return (await thread.run(task, input, bounds, { transfer })) as FromThread
    } catch (error) {
      if (!(error instanceof TaskEnded)) throw error
      ended = error.reason === 'time' ? `it takes more than ${maxMs / 1_000} s` : error.message
      return ended
    } finally {
      workedMs += performance.now() - began
    }
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
