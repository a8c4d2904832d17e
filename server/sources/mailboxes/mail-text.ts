import type { Email } from 'postal-mime'
import { htmlToText } from '../../sandbox/html-text.ts'
import { storable, visibleText } from '../../safe-text.ts'

/*
 * The text of a message: its text part, or its HTML where that is blank. Repairs what mail programs get wrong about
 * charsets; the parser goes by what the message says.
 */

/** Text before invisible characters are removed; cut first, as that takes time. */
const maxRawLength = 64_000

/** `isCut`: the message has more. */
export function textOf(mail: Email, source: Uint8Array): { text: string; isCut: boolean } {
  const isOdd = isMislabelled(source)
  for (const part of [mail.text, untyped(mail)]) {
    const start = decodeAgain(part ?? '', isOdd).trimStart()
    const text = clean(start)
    const isCut = start.length > maxRawLength
    if (text !== '' || isCut) return { text, isCut }
  }
  const html = htmlToText(decodeAgain(mail.html ?? '', isOdd))
  const start = html.text.trimStart()
  return { text: clean(start), isCut: html.isCut || start.length > maxRawLength }
}

function clean(text: string): string {
  return storable(visibleText(text.slice(0, maxRawLength))).trim()
}

/** A part of `Content-Type: text`, which old programs mean as `text/plain`. */
function untyped({ attachments }: Email): string | undefined {
  const part = attachments.find(({ mimeType, filename }) => mimeType === 'text' && !filename)
  if (part === undefined) return undefined
  const { content } = part
  return typeof content === 'string' ? content : asUtf8(new Uint8Array(content))
}

/** Whether a file of the message is really its text. */
export function isText({ mimeType, filename }: Email['attachments'][number]): boolean {
  return mimeType === 'text' && !filename
}

const searchedBytes = 1024 * 1024

/** Whether a charset is given as `us-ascii`, or in single quotes that the parser takes for a part of its name. */
function isMislabelled(source: Uint8Array): boolean {
  const head = Buffer.from(source.buffer, source.byteOffset, Math.min(source.length, searchedBytes))
  return /charset\s*=\s*(?:"?'|"?us-ascii)/i.test(head.toString('latin1'))
}

/** Text that the parser has read as another charset than its bytes are. */
function decodeAgain(text: string, isOdd: boolean): string {
  // The parser reads bytes beyond ASCII, and unknown charsets, as windows-1252; most are UTF-8.
  if (!isOdd || !/[\x80-\u{10ffff}]/u.test(text)) return text
  const bytes = toWindows1252(text)
  return bytes === undefined ? text : asUtf8(bytes, text)
}

function asUtf8(bytes: Uint8Array, otherwise?: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return otherwise ?? new TextDecoder('windows-1252').decode(bytes)
  }
}

let codes: Map<string, number> | undefined

/** Undefined for text that was not read from this charset. */
function toWindows1252(text: string): Uint8Array | undefined {
  codes ??= new Map(
    Array.from({ length: 256 }, (_, code) => {
      return [new TextDecoder('windows-1252').decode(new Uint8Array([code])), code]
    }),
  )
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) {
    const code = codes.get(text[at] ?? '')
    if (code === undefined) return undefined
    bytes[at] = code
  }
  return bytes
}
