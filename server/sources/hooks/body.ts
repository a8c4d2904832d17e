import { isUtf8 } from 'node:buffer'
import { parseWithTexts } from '../../exact-json.ts'
import { isDeeperThan, maxDepth } from '../../json-limits.ts'

/**
 * The body of an event for templates and filters: the JSON value, the fields of a form, or the
 * text. If a form's field `payload` is JSON, that is the body: Slack and GitHub send such forms. A
 * number that JavaScript would round becomes a text, because the sender cannot be asked for another.
 */
export function parseBody(bytes: Uint8Array, contentType: string): unknown {
  const [, charset] = /;\s*charset\s*=\s*"?([\w-]{1,40})/i.exec(contentType) ?? []
  if (isForm(contentType)) return parseForm(bytes, charset)
  const text = decode(bytes, charset)
  return parseJson(text) ?? text
}

export function isForm(contentType: string): boolean {
  return /^\s*application\/x-www-form-urlencoded\b/i.test(contentType)
}

/** Why a body of this media type cannot be read; undefined if it can. Compressed bodies are refused for all routes. */
export function refuseType(contentType: string): string | undefined {
  const [type = ''] = contentType.split(';')
  if (!/^\s*multipart\//i.test(type)) return undefined
  return `the body is ${type.trim().toLowerCase()}, expected JSON, application/x-www-form-urlencoded or text`
}

/** Why a form has too many fields; undefined if it has not. */
export function refuseFields(bytes: Uint8Array, contentType: string): string | undefined {
  if (!isForm(contentType)) return undefined
  let fields = 1
  for (const byte of bytes) if (byte === 0x26) fields += 1
  return fields > maxFields ? `the form has ${fields} fields, at most ${maxFields}` : undefined
}

/** Why a body is too deep for templates; undefined if it is not. */
export function refuseBody(body: unknown): string | undefined {
  return isDeeperThan(body, maxDepth)
    ? `the body is nested more than ${maxDepth} levels deep`
    : undefined
}

/**
 * By a byte order mark or the sender's charset, else as UTF-8. Bytes that are neither are from a sender that does not say
 * that they are windows-1252, as browsers assume.
 */
function decode(bytes: Uint8Array, charset = 'utf-8'): string {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  const marked = { 0xfffe: 'utf-16le', 0xfeff: 'utf-16be' }[mark]
  try {
    return new TextDecoder(marked ?? charset, { fatal: true }).decode(bytes)
  } catch {
    return isUtf8(bytes)
      ? new TextDecoder().decode(bytes)
      : new TextDecoder('windows-1252').decode(bytes)
  }
}

const maxFields = 1_000

/** A name that occurs more than once has the list of its values. */
function parseForm(bytes: Uint8Array, charset: string | undefined): unknown {
  const values = new Map<string, string | string[]>()
  const plain = (text: string): string => decode(percentDecoded(text), charset)
  for (const pair of Buffer.from(bytes).toString('latin1').split('&', maxFields)) {
    if (pair === '') continue
    const at = pair.includes('=') ? pair.indexOf('=') : pair.length
    const name = plain(pair.slice(0, at))
    const value = plain(pair.slice(at + 1))
    const before = values.get(name)
    values.set(name, before === undefined ? value : [before, value].flat())
  }
  const payload = values.get('payload')
  const json = typeof payload === 'string' ? parseJson(payload) : undefined
  return typeof json === 'object' && json !== null ? json : Object.fromEntries(values)
}

/** The bytes of a text of a form, whose characters are bytes. */
function percentDecoded(text: string): Uint8Array {
  const decoded = text
    .replaceAll('+', ' ')
    .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  return Buffer.from(decoded, 'latin1')
}

function parseJson(text: string): unknown {
  try {
    return parseWithTexts(text)
  } catch {
    return undefined
  }
}
