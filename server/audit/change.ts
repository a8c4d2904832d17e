import { wholeEnd } from '../storable.ts'

/**
 * What the audit log stores about a change: the changed fields before and after, bounded, without
 * secrets. Operations pass API shapes, which contain no secrets; as a second line of defence,
 * fields with names like `token` are hidden here.
 */
export type Fields = Record<string, unknown>

/** Limits: characters of a text, items of a list, bytes of each side as JSON. */
const maxCharacters = 500
const maxItems = 50
const maxBytes = 8_192
const maxDepth = 6

const secretName =
  /secret|token|password|passphrase|credential|authorization|api_?key|^(key|pass|headers)$/i
/** Changes with every update, so it is not logged. */
const unsaid = new Set(['updated_at'])

/** Undefined if nothing changed. */
export function toChange(
  before: object | undefined,
  after: object | undefined,
): { before: Fields | null; after: Fields | null } | undefined {
  if (before === undefined || after === undefined) {
    return { before: before ? bounded(before) : null, after: after ? bounded(after) : null }
  }
  const [old, now] = [before as Fields, after as Fields]
  const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => !unsaid.has(name) && JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  )
  if (changed.length === 0) return undefined
  const pick = (fields: Fields) =>
    Object.fromEntries(changed.map((name) => [name, fields[name] ?? null]))
  return { before: bounded(pick(old)), after: bounded(pick(now)) }
}

function bounded(fields: object): Fields {
  for (const characters of [maxCharacters, 100]) {
    const cut = shorten(fields, characters, 0) as Fields
    if (Buffer.byteLength(JSON.stringify(cut)) <= maxBytes) return cut
  }
  return { cut: `More than ${maxBytes} bytes`, fields: Object.keys(fields).slice(0, maxItems) }
}

function shorten(value: unknown, characters: number, depth: number): unknown {
  if (typeof value === 'string') return cutText(value, characters)
  if (value instanceof Date) return value.toISOString()
  if (value === null || typeof value !== 'object') return value
  if (depth === maxDepth) return '… (nested deeper)'
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => shorten(item, characters, depth + 1))
    const more = value.length - items.length
    return more === 0 ? items : [...items, `… (${more} more)`]
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      cutText(name, 100),
      isSecret(name, item) ? '[secret]' : shorten(item, characters, depth + 1),
    ]),
  )
}

function isSecret(name: string, value: unknown): boolean {
  const isHarmless = value === null || ['number', 'boolean'].includes(typeof value)
  return !isHarmless && secretName.test(name)
}

/** Cuts at a character boundary, because PostgreSQL rejects half a surrogate pair. */
function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text
  return `${text.slice(0, wholeEnd(text, characters))}… (cut, ${text.length} characters)`
}
