import { getDocument, PasswordException, VerbosityLevel, type PDFDocumentProxy } from 'unpdf/pdfjs'
import { maxPages, maxPageText } from '../limits.ts'
import { DocumentRefusal, type OpenDocument, type PageText } from './open-document.ts'

export async function openPdf(data: Uint8Array): Promise<OpenDocument> {
  let document: PDFDocumentProxy
  try {
    document = await getDocument({
      data,
      verbosity: VerbosityLevel.ERRORS,
      useSystemFonts: true,
      disableFontFace: true,
      useWorkerFetch: false,
      stopAtErrors: false,
    }).promise
  } catch (error) {
    if (error instanceof PasswordException) {
      throw new DocumentRefusal('the PDF is encrypted with a password; save it without one')
    }
    throw new DocumentRefusal(`the PDF is damaged: ${(error as Error).message}`)
  }
  const { numPages: pages } = document
  if (!(pages > 0)) throw new DocumentRefusal('the PDF is damaged: it has no pages')
  if (pages > maxPages) {
    throw new DocumentRefusal(`the PDF has ${pages} pages, at most ${maxPages}`)
  }
  return { mediaType: 'application/pdf', pages, texts: readPages(document, pages) }
}

async function* readPages(document: PDFDocumentProxy, pages: number): AsyncGenerator<PageText> {
  for (let number = 1; number <= pages; number++) yield await readPage(document, number)
}

async function readPage(document: PDFDocumentProxy, number: number): Promise<PageText> {
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
      if (text.length <= maxPageText) continue
      isCut = true
      await reader.cancel(new Error('There is too much text'))
      break
    }
    page.cleanup()
  } catch {
    // One bad page says nothing of the others.
    isCut = true
  }
  return { text: text.slice(0, maxPageText), isCut }
}
