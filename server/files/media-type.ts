import { isUtf8 } from 'node:buffer'
import { imageSize, type ImageSize, type ImageType } from './image-size.ts'
import { maxPixels, maxSide } from './limits.ts'

/** The type of a file by its first bytes; the client's claim is ignored. */
export type Kind =
  | { kind: 'pdf'; mediaType: string }
  /** A ZIP archive, such as Word and Excel files; its parts are checked when its text is read. */
  | { kind: 'office'; mediaType: string }
  | { kind: 'image'; mediaType: string; width: number; height: number }
  | { kind: 'text'; mediaType: string }

/** The type, or why the file has none. */
export type Sniffed = Kind | { kind: 'refused'; why: string }

const expected = 'expected UTF-8 text, Markdown, CSV, JSON, PDF, DOCX, XLSX, PNG, JPEG, WebP or GIF'

/** `head` is the first megabyte, or the whole file. */
export function sniff(head: Buffer, name: string): Sniffed {
  if (head.length === 0) return refused('the file is empty')
  const image = images.find(({ test }) => test(head))
  if (image !== undefined) return measure(head, image.mediaType)
  const isText = !head.includes(0) && isUtf8(withoutCutCharacter(head))
  // Some programs write a few bytes first; words before it mean that the file is a text about PDF.
  const start = head.subarray(0, 1024).indexOf('%PDF-')
  if (start !== -1 && !(isText && /\S/.test(head.toString('utf8', 0, start)))) {
    return { kind: 'pdf', mediaType: 'application/pdf' }
  }
  if (starts(head, 'PK\x03\x04')) return { kind: 'office', mediaType: 'application/zip' }
  if (head.subarray(0, oleMagic.length).equals(oleMagic)) return refuseOle(head)
  const known = others.find(([magic]) => head.indexOf(Buffer.from(magic, 'hex')) === 0)
  if (known !== undefined) return refused(known[1])
  if (isText) return { kind: 'text', mediaType: typeOfText(name) }
  const isOtherText = !control.test(head.toString('latin1'))
  return refused(isOtherText ? notUtf8 : `the bytes are of no known type; ${expected}`)
}

/**
 * Control characters, which text has in none of the encodings below, and most other files contain
 * early.
 */
// oxlint-disable-next-line no-control-regex -- they are the point
const control = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

export const notUtf8 =
  'the text is not UTF-8; save it as UTF-8, or convert it, such as with `iconv -f WINDOWS-1252 -t UTF-8`'

const utf16 = 'the text is UTF-16; save it as UTF-8, or convert it with `iconv -f UTF-16 -t UTF-8`'
const others: [magic: string, why: string][] = [
  ['fffe', utf16],
  ['feff', utf16],
]

/**
 * Signature of the container of old Office files and of encrypted new ones, and the entry name of
 * the latter.
 */
const oleMagic = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le')

function refuseOle(head: Buffer): Sniffed {
  return refused(
    head.includes(encryptedPackage)
      ? 'the file is encrypted with a password; save it without one'
      : 'the file is of an old Office, or encrypted; save it as DOCX, XLSX or PDF without a password',
  )
}

const starts = (head: Buffer, text: string, at = 0): boolean =>
  head.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'))
const images: { mediaType: ImageType; test: (head: Buffer) => boolean }[] = [
  { mediaType: 'image/png', test: (head) => starts(head, '\x89PNG\r\n\x1a\n') },
  { mediaType: 'image/jpeg', test: (head) => starts(head, '\xff\xd8\xff') },
  { mediaType: 'image/gif', test: (head) => starts(head, 'GIF87a') || starts(head, 'GIF89a') },
  { mediaType: 'image/webp', test: (head) => starts(head, 'RIFF') && starts(head, 'WEBP', 8) },
]

/** Reads the size in the header, without decoding. */
function measure(head: Buffer, mediaType: ImageType): Sniffed {
  let size: ImageSize | undefined
  try {
    size = imageSize(mediaType, head)
  } catch {
    // The image ends within its header.
  }
  if (size === undefined) {
    return refused(`the ${mediaType} is damaged: its width and height cannot be read`)
  }
  const { width, height } = size
  if (!(width > 0 && height > 0)) return refused(`the ${mediaType} is damaged: it has no pixels`)
  if (width <= maxSide && height <= maxSide && width * height <= maxPixels) {
    return { kind: 'image', mediaType, width, height }
  }
  const most = `up to ${maxSide} a side and ${maxPixels} together`
  return refused(`the image has ${width} × ${height} pixels, expected ${most}`)
}

/**
 * The type of a text by its name. HTML and SVG count as plain text, because they are never
 * displayed.
 */
function typeOfText(name: string): string {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return (
    {
      md: 'text/markdown',
      markdown: 'text/markdown',
      csv: 'text/csv',
      json: 'application/json',
    }[extension] ?? 'text/plain'
  )
}

/** Removes the incomplete character at the end of the head. */
function withoutCutCharacter(head: Buffer): Buffer {
  const last = head.subarray(-4).findLastIndex((byte) => byte < 0x80 || byte >= 0xc0)
  const start = Math.max(0, head.length - 4) + last
  const first = head[start] ?? 0
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return start + length > head.length ? head.subarray(0, start) : head
}

function refused(why: string): Sniffed {
  return { kind: 'refused', why }
}
