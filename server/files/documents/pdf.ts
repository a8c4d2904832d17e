import { readFile } from 'node:fs/promises'
import { getDocument, PasswordException, VerbosityLevel, type PDFDocumentProxy } from 'unpdf/pdfjs'
import {
  maxPages,
  maxPageText,
  DocumentRefusal,
  type OpenDocument,
  type PageText,
} from './document.ts'

/**
 * Character maps for CJK fonts, copied by `npm run build`. Sources have them from a development
 * package, which may be left out: then such fonts alone cannot be read.
 */
const cmapFolder = findCmaps()

function findCmaps(): URL {
  const base = new URL('cmaps/', import.meta.url)
  if (!import.meta.url.endsWith('.ts')) return base
  try {
    return new URL('cmaps/', import.meta.resolve('pdfjs-dist/package.json'))
  } catch {
    return base
  }
}

/** Reads them from disk; the library's own factory would fetch them over HTTP. */
class CMapFiles {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    const isKnown = kind === 'cMapUrl' && /^[\w-]+\.bcmap$/.test(filename)
    if (!isKnown) throw new Error(`There is no ${filename} here`)
    return new Uint8Array(await readFile(new URL(filename, cmapFolder)))
  }
}

export async function openPdf(data: Uint8Array): Promise<OpenDocument> {
  let document: PDFDocumentProxy
  try {
    document = await getDocument({
      data,
      verbosity: VerbosityLevel.ERRORS,
      useSystemFonts: true,
      disableFontFace: true,
      useWorkerFetch: false,
      cMapUrl: cmapFolder.href,
      BinaryDataFactory: CMapFiles,
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
    if (!isCut) text += annotationText(await page.getAnnotations())
    page.cleanup()
  } catch {
    // A page that cannot be read does not affect the others.
    isCut = true
  }
  return { text: text.slice(0, maxPageText), isCut: isCut || text.length > maxPageText }
}

/** The used part of an annotation, which the library types as `any`. */
interface Annotation {
  subtype?: unknown
  fieldName?: unknown
  fieldValue?: unknown
  contentsObj?: { str?: unknown }
}

/** Text that people entered on a page: values of form fields, and free text. */
function annotationText(annotations: Annotation[]): string {
  const lines = annotations.map(({ subtype, fieldName, fieldValue, contentsObj }) => {
    if (subtype === 'FreeText') return trimmedText(contentsObj?.str)
    if (subtype !== 'Widget') return ''
    const value = [fieldValue].flat().map(trimmedText).filter(Boolean).join(', ')
    const name = trimmedText(fieldName)
    return value === '' || name === '' ? value : `${name}: ${value}`
  })
  const unique = [...new Set(lines.filter((line) => line !== ''))]
  return unique.map((line) => `\n${line}`).join('')
}

function trimmedText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
