import { convert } from 'html-to-text'
import mammoth from 'mammoth'

/** The text of a Word document with its lists, notes and tables, each table row on a line. */
export async function docxText(archive: Uint8Array): Promise<string> {
  const withoutImages = mammoth.images.imgElement(() => Promise.resolve({ src: '' }))
  const { value: html } = await mammoth.convertToHtml(
    { buffer: Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength) },
    { convertImage: withoutImages },
  )
  return convert(html, { wordwrap: false, limits, selectors }).replaceAll(/ +$/gm, '')
}

/** The thread's time and memory limit the rest. */
const limits = { maxInputLength: Infinity, maxDepth: 200, maxChildNodes: Infinity }

const cell = { format: 'inlineSurround', options: { prefix: '| ' } }
const inCell = { format: 'inlineSurround', options: { suffix: ' ' } }
const lines = (count: number) => ({
  format: 'block',
  options: { leadingLineBreaks: count, trailingLineBreaks: count },
})
const selectors = [
  { selector: 'img', format: 'skip' },
  { selector: 'a[href^="#"]', format: 'anchor', options: { ignoreHref: true } },
  // Links from a note back to the text.
  { selector: 'a[href^="#footnote-ref-"]', format: 'skip' },
  { selector: 'a[href^="#endnote-ref-"]', format: 'skip' },
  { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
    selector,
    options: { uppercase: false },
  })),
  { selector: 'table', ...lines(2) },
  { selector: 'tr', ...lines(1) },
  { selector: 'td', ...cell },
  { selector: 'th', ...cell },
  { selector: 'td > p', ...inCell },
  { selector: 'th > p', ...inCell },
]
