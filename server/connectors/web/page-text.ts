import { visibleText } from '../../safe-text.ts'
import { htmlToText } from '../../sandbox/html-text.ts'
import { decodeText } from './decode-text.ts'
import { decompress, type Decompressed } from './decompress.ts'

/** A task: the readable text of a page, or why there is none. */
export interface Page {
  body: Uint8Array
  truncated: boolean
  encoding: string
  contentType: string
  url: string
}

export const maxPageBytes = 1024 * 1024
const maxTextCharacters = 50_000
/** Text before invisible characters are removed. */
const maxRawCharacters = 4 * maxTextCharacters

export async function readPage({
  body,
  truncated,
  encoding,
  contentType,
  url,
}: Page): Promise<
  { kind: 'text'; text: string; isCut: boolean } | { kind: 'failed'; why: string }
> {
  const type = mediaTypeOf(contentType)
  let page: Decompressed
  try {
    page = await decompress({ body: Buffer.from(body), truncated }, encoding, maxPageBytes)
  } catch (error) {
    return { kind: 'failed', why: `it ${visibleText((error as Error).message).slice(0, 100)}` }
  }
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml'
  const given = decodeText(page.body, contentType, isHtml || /[/+]xml$/.test(type))
  if (given.slice(0, 1000).includes('\0')) {
    return { kind: 'failed', why: `it is binary although it calls itself ${type}` }
  }
  const raw = isHtml
    ? htmlToText(given, [
        {
          selector: 'a',
          options: { baseUrl: new URL(url).origin, hideLinkHrefIfSameAsText: true },
        },
        ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
          selector,
          options: { uppercase: false },
        })),
        { selector: 'table', options: { uppercaseHeaderCells: false } },
      ])
    : { text: given, isCut: false }
  const start = raw.text.trimStart()
  const readable = visibleText(start.slice(0, maxRawCharacters)).trim()
  return {
    kind: 'text',
    text: readable.slice(0, maxTextCharacters).toWellFormed(),
    isCut:
      page.truncated ||
      raw.isCut ||
      start.length > maxRawCharacters ||
      readable.length > maxTextCharacters,
  }
}

export function mediaTypeOf(contentType: string): string {
  return contentType.split(';')[0]?.trim().toLowerCase() ?? ''
}
