import { isDeepStrictEqual } from 'node:util'
import { visibleText } from '../../safe-text.ts'

const maxOutputCharacters = 50_000

/**
 * A tool's result as text for a model; other content is only named. Structured content is added
 * unless the text already contains it.
 */
export function textOfContent(content: readonly unknown[], structured?: unknown): string {
  const parts = content.map(textOfPart)
  if (structured !== undefined && structured !== null) {
    const json = JSON.stringify(structured)
    if (!parts.some((part) => saysTheSame(part, json))) parts.push(json)
  }
  const text = parts.join('\n')
  // Cut first, because cleaning takes time.
  const visible = visibleText(text.slice(0, maxOutputCharacters))
  if (text.length > maxOutputCharacters) {
    return `${visible}\n\n[The answer is longer; the rest was left out.]`
  }
  return visible === '' ? '[no content]' : visible
}

function textOfPart(part: unknown): string {
  const { type, text, data, mimeType, name, uri, resource } = (part ?? {}) as Record<
    string,
    unknown
  >
  switch (type) {
    case 'text':
      return typeof text === 'string' ? text : JSON.stringify(text ?? '')
    case 'image':
    case 'audio':
      return `[${type}, ${String(mimeType)}, ${sizeOf(data)}]`
    case 'resource_link':
      return `[link to ${String(name)}: ${String(uri)}]`
    case 'resource': {
      const held = (resource ?? {}) as Record<string, unknown>
      return typeof held['text'] === 'string'
        ? held['text']
        : `[resource ${String(held['uri'])}, ${sizeOf(held['blob'])}]`
    }
    default:
      return '[content of an unknown kind]'
  }
}

/**
 * Whether the text repeats the structured content, which some servers do only for its field
 * `result`.
 */
function saysTheSame(text: string, json: string): boolean {
  if (text === json) return true
  if (text.length > 4 * json.length + 1_000) return false
  const structured: unknown = JSON.parse(json)
  const { result, ...others } = structured as { result?: unknown }
  const isWrapped = result !== undefined && Object.keys(others).length === 0
  if (isWrapped && result === text) return true
  try {
    const said: unknown = JSON.parse(text)
    return isDeepStrictEqual(said, structured) || (isWrapped && isDeepStrictEqual(said, result))
  } catch {
    return false
  }
}

function sizeOf(base64: unknown): string {
  const length = typeof base64 === 'string' ? base64.length : 0
  return `${Math.ceil((length * 3) / 4 / 1024)} KB`
}
