import { parseWithTexts } from '../exact-json.ts'
import { isDeeperThan, maxDepth } from '../json-limits.ts'

/**
 * The body of an event for templates and filters: the JSON value, the fields of a form, or the
 * text. If a form's field `payload` is JSON, that is the body: Slack and GitHub send such forms. A
 * number that JavaScript would round becomes a text, because the sender cannot be asked for another.
 */
export function parseBody(bytes: Uint8Array, contentType: string): unknown {
  const text = decode(bytes, contentType)
  if (isForm(contentType)) return parseForm(text)
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

/** Why a body is too deep for templates; undefined if it is not. */
export function refuseBody(body: unknown): string | undefined {
  return isDeeperThan(body, maxDepth)
    ? `the body is nested more than ${maxDepth} levels deep`
    : undefined
}

/** By the sender's charset, UTF-8 by default; without a byte order mark. */
function decode(bytes: Uint8Array, contentType: string): string {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([\w-]{1,40})/i.exec(contentType) ?? []
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

const maxFields = 1_000

/** A name that occurs more than once has the list of its values. */
function parseForm(text: string): unknown {
  const values = new Map<string, string | string[]>()
  for (const [name, value] of [...new URLSearchParams(text)].slice(0, maxFields)) {
    const before = values.get(name)
    values.set(name, before === undefined ? value : [before, value].flat())
  }
  const payload = values.get('payload')
  const json = typeof payload === 'string' ? parseJson(payload) : undefined
  return typeof json === 'object' && json !== null ? json : Object.fromEntries(values)
}

function parseJson(text: string): unknown {
  try {
    return parseWithTexts(text)
  } catch {
    return undefined
  }
}
