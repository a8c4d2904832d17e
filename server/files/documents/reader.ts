import { storable } from '../../safe-text.ts'
import {
  maxDocumentText,
  type DocumentKind,
  type FromThread,
  DocumentRefusal,
  type OpenDocument,
} from './document.ts'

/**
 * Tasks that read the text of one document in a thread of its own, a few pages at a time. They draw nothing, run no
 * script or macro and follow no links.
 */
const batchLength = 256 * 1024

let texts: AsyncGenerator<FromThread> | undefined

export async function more(): Promise<FromThread> {
  const next = await texts?.next()
  return next === undefined || next.done === true ? { kind: 'end', isCut: false } : next.value
}

export async function open({
  kind,
  bytes,
}: {
  kind: DocumentKind
  bytes: Uint8Array
}): Promise<FromThread> {
  try {
    const document = await readers[kind](bytes)
    const { mediaType, pages } = document
    texts = readTexts(document)
    return { kind: 'opened', mediaType, pages }
  } catch (error) {
    if (error instanceof DocumentRefusal) return { kind: 'refused', why: error.message }
    throw error
  }
}

/** A thread loads only the reader that it needs. */
const readers: Record<DocumentKind, (bytes: Uint8Array) => Promise<OpenDocument>> = {
  pdf: async (bytes) => (await import('./pdf.ts')).openPdf(bytes),
  office: async (bytes) => (await import('./office.ts')).openOffice(bytes),
}

async function* readTexts({ texts: pages }: OpenDocument): AsyncGenerator<FromThread> {
  let batch: string[] = []
  let length = 0
  let left = maxDocumentText
  let isCut = false
  for await (const page of pages) {
    const text = storable(page.text.slice(0, left).replaceAll('\0', ''))
    isCut ||= page.isCut || page.text.length > left
    left -= text.length
    length += text.length
    batch.push(text)
    if (left <= 0) break
    if (length < batchLength) continue
    yield { kind: 'texts', texts: batch }
    batch = []
    length = 0
  }
  if (batch.length > 0) yield { kind: 'texts', texts: batch }
  yield { kind: 'end', isCut: isCut || left <= 0 }
}
