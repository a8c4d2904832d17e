import { findInexact, parseAsWritten } from '../../exact-json.ts'
import { isDeepStrictEqual } from 'node:util'
import { visibleText } from '../../safe-text.ts'
import { readTask, withTask } from './task-message.ts'

/**
 * Normalizes messages of MCP servers before the client library sees them. The library rejects a
 * whole response because of one field that is null instead of absent, or one odd tool in a list. So
 * null is removed, listed tools are extracted unmodified, and the result of a call becomes the one
 * text that the model gets.
 */
export interface ReadMessage {
  /** The message for the client library. */
  text: string
  /** Ids of the requests that it answers; undefined if it is not JSON. */
  answers?: unknown[]
  /** Tools in lists, unmodified. */
  tools: RawTool[]
  isProgress: boolean
}

export interface RawTool {
  name: unknown
  description?: unknown
  inputSchema?: unknown
  execution?: unknown
}

type Fields = Record<string, unknown>

/** Reads a message, or a batch, which some servers send. */
export function readMessage(text: string): ReadMessage {
  const parsed = parse(text)
  const exact = findInexact(text) === undefined ? parsed : parseAsWritten(text)
  const read = (Array.isArray(parsed) ? parsed : [parsed]).map((one, index) =>
    readOne(one, Array.isArray(exact) ? exact[index] : exact),
  )
  const texts = read.map(({ message }) => JSON.stringify(message))
  return {
    text: Array.isArray(parsed) ? `[${texts.join()}]` : (texts[0] ?? text),
    ...(parsed !== undefined && { answers: read.flatMap(({ answers }) => answers) }),
    tools: read.flatMap(({ tools = [] }) => tools),
    isProgress: read.some(({ isProgress }) => isProgress),
  }
}

interface ReadOne {
  message: unknown
  answers: unknown[]
  tools?: RawTool[]
  isProgress?: boolean
}

function readOne(parsed: unknown, exact: unknown): ReadOne {
  if (!isObject(parsed)) return { message: parsed, answers: [] }
  const message = withoutNulls(parsed)
  if ('method' in message) {
    return { message, answers: [], isProgress: message['method'] === 'notifications/progress' }
  }
  const { id, result } = parsed
  if (!('result' in parsed)) return { message, answers: [id] }
  const fields = isObject(result) ? withoutNulls(result) : { content: [textPart(result)] }
  if (Array.isArray(fields['tools'])) {
    const tools = fields['tools'].map(toRawTool)
    // Some servers leave out how long a list may be cached, which the library requires and Muster does not use.
    const cached = 'resultType' in fields ? { ttlMs: 0, cacheScope: 'private' } : {}
    return {
      message: { ...message, result: { ...cached, ...fields, tools: [] } },
      answers: [id],
      tools,
    }
  }
  const task = readTask(fields)
  if (task !== undefined) return { message: { ...message, result: withTask(task) }, answers: [id] }
  const exactResult = (exact as Fields)['result']
  if (isCall(fields)) {
    return { message: { ...message, result: reduceCall(fields, exactResult) }, answers: [id] }
  }
  // A task that has ended, with the result of its call.
  const inner = fields['result']
  const reduced =
    isObject(inner) && isCall(inner) && isObject(exactResult)
      ? { ...fields, result: reduceCall(withoutNulls(inner), exactResult['result']) }
      : fields
  return { message: { ...message, result: reduced }, answers: [id] }
}

function isCall(fields: Fields): boolean {
  return Array.isArray(fields['content']) || 'structuredContent' in fields
}

/**
 * A result with one text in place of its contents. `exact` is the result with numbers as they were
 * written.
 */
function reduceCall(result: Fields, exact: unknown): Fields {
  const { content = [], structuredContent, isError, ...rest } = result
  const structured =
    structuredContent !== undefined && isObject(exact) ? exact['structuredContent'] : undefined
  const text = textOfContent(Array.isArray(content) ? content : [], structured)
  return { ...rest, isError: isError === true, content: [{ type: 'text', text }] }
}

function textPart(value: unknown): Fields {
  return { type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }
}

function toRawTool(tool: unknown): RawTool {
  if (!isObject(tool)) return { name: undefined }
  const { name, description, inputSchema, execution } = withoutNulls(tool)
  return { name, description, inputSchema, execution }
}

function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

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
