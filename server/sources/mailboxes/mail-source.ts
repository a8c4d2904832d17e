import { isUtf8 } from 'node:buffer'

/*
 * Repairs the source of a message where mail programs break the rules, since the parser would replace characters by `\ufffd`.
 */

const searchedBytes = 1024 * 1024

export function repairSource(source: Uint8Array): Uint8Array {
  return nameByteOrder(asUtf8(joinWords(source)))
}

const adjacentWords =
  /=\?([\w-]{1,40})\?b\?([a-z\d+/]{1,1000}={0,2})\?=[ \t\r\n]{1,100}=\?\1\?b\?([a-z\d+/]{1,1000}={0,2})\?=/gi

/** Joins encoded words of a header, as programs split a character between two of them. */
function joinWords(source: Uint8Array): Uint8Array {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.length)
  const [end = 0] = [bytes.indexOf('\r\n\r\n'), bytes.indexOf('\n\n')].filter((at) => at > 0)
  const head = bytes.subarray(0, Math.min(end, searchedBytes)).toString('latin1')
  const joined = head.replaceAll(adjacentWords, (both, charset: string, ...parts: string[]) => {
    const [first = '', second = ''] = parts
    // Many charsets have states, which each word begins anew; a character of UTF-8 may be split.
    const start = Buffer.from(first, 'base64')
    if (!/^utf-8$/i.test(charset) || isUtf8(start)) return both
    const whole = Buffer.concat([start, Buffer.from(second, 'base64')])
    return `=?${charset}?B?${whole.toString('base64')}?=`
  })
  if (joined === head) return source
  return Buffer.concat([Buffer.from(joined, 'latin1'), bytes.subarray(head.length)])
}

const namesCharset = /charset\s*=\s*["']?(?!utf-8|us-ascii)[\w]/i
const hasFile =
  /^content-(?:type:(?!\s*(?:text\b|multipart\/|message\/))|disposition:\s*attachment)/im

/** Bytes beyond ASCII of a message that names no charset are windows-1252 where they are no UTF-8. */
function asUtf8(source: Uint8Array): Uint8Array {
  if (isUtf8(source)) return source
  const text = new TextDecoder('windows-1252').decode(source)
  const head = text.slice(0, searchedBytes)
  return namesCharset.test(head) || hasFile.test(head) ? source : new TextEncoder().encode(text)
}

const bigEndian = /charset\s*=\s*["']?utf-16(?=["';\s])(?=.{0,2000}?\r?\n\r?\n\/v[89+/])/gis

/** Names the byte order of a part in UTF-16 that begins with a mark in base64; the parser takes it for the other one. */
function nameByteOrder(source: Uint8Array): Uint8Array {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.length)
  if (!bytes.includes('utf-16') && !bytes.includes('UTF-16')) return source
  const head = bytes.subarray(0, searchedBytes).toString('latin1')
  const named = head.replaceAll(bigEndian, '$&be')
  if (named === head) return source
  return Buffer.concat([Buffer.from(named, 'latin1'), bytes.subarray(searchedBytes)])
}
