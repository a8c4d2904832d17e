import { getPriority, setPriority } from 'node:os'
import { parentPort, type MessagePort } from 'node:worker_threads'
import { getDocument, PasswordException, VerbosityLevel, type PDFDocumentProxy } from 'unpdf/pdfjs'
import { storable } from '../../storable.ts'
import { maxPages, maxPageText, maxPdfText } from '../limits.ts'
import type { FromThread, ToThread } from './messages.ts'

/** A thread that reads the text of one PDF, a few pages at a time. Nothing of it is drawn and none of its scripts run. */
const port = parentPort as MessagePort
const batchLength = 256 * 1024

// Requests go first. Linux gives each thread a priority of its own; elsewhere this would be the whole process's.
if (process.platform === 'linux') setPriority(Math.max(getPriority(), 10))

let texts: AsyncGenerator<FromThread> | undefined

port.on('message', (message: ToThread) => {
  void answer(message).then((reply) => port.postMessage(reply))
})

async function answer(message: ToThread): Promise<FromThread> {
  if (message.kind === 'open') return open(message.bytes)
  const next = await texts?.next()
  return next === undefined || next.done === true ? { kind: 'end', isCut: false } : next.value
}

async function open(data: Uint8Array): Promise<FromThread> {
  try {
    const document = await getDocument({
      data,
      verbosity: VerbosityLevel.ERRORS,
      useSystemFonts: true,
      disableFontFace: true,
      useWorkerFetch: false,
      stopAtErrors: false,
    }).promise
    const { numPages: pages } = document
    if (!(pages > 0)) return { kind: 'refused', why: 'the PDF is damaged: it has no pages' }
    if (pages > maxPages) {
      return { kind: 'refused', why: `the PDF has ${pages} pages, at most ${maxPages}` }
    }
    texts = readPages(document, pages)
    return { kind: 'opened', pages }
  } catch (error) {
    if (error instanceof PasswordException) {
      const why = 'the PDF is encrypted with a password; save it without one'
      return { kind: 'refused', why }
    }
    return { kind: 'refused', why: `the PDF is damaged: ${(error as Error).message}` }
  }
}

async function* readPages(document: PDFDocumentProxy, pages: number): AsyncGenerator<FromThread> {
  let batch: string[] = []
  let length = 0
  let left = maxPdfText
  let isCut = false
  for (let number = 1; number <= pages && left > 0; number++) {
    const text = await readPage(document, number, Math.min(left, maxPageText))
    isCut ||= text.isCut
    left -= text.text.length
    length += text.text.length
    batch.push(text.text)
    if (length < batchLength) continue
    yield { kind: 'texts', texts: batch }
    batch = []
    length = 0
  }
  if (batch.length > 0) yield { kind: 'texts', texts: batch }
  yield { kind: 'end', isCut: isCut || left <= 0 }
}

async function readPage(
  document: PDFDocumentProxy,
  number: number,
  maxLength: number,
): Promise<{ text: string; isCut: boolean }> {
  let text = ''
  let isCut = false
  try {
    const page = await document.getPage(number)
    const reader = page.streamTextContent().getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      for (const item of value.items) {
        if (!('str' in item)) continue
        text += item.hasEOL ? `${item.str}\n` : item.str
      }
      if (text.length <= maxLength) continue
      isCut = true
      await reader.cancel(new Error('There is too much text'))
      break
    }
    page.cleanup()
  } catch {
    // One bad page says nothing of the others.
    isCut = true
  }
  return { text: storable(text.slice(0, maxLength).replaceAll('\0', '')), isCut }
}
