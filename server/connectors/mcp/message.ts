import { findInexact } from '../../inexact-number.ts'
import { textOfContent } from './content.ts'

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
  const exact = findInexact(text) === undefined ? parsed : parse(text, exactNumber)
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
    return { message: { ...message, result: { ...fields, tools: [] } }, answers: [id], tools }
  }
  const isCall = Array.isArray(fields['content']) || 'structuredContent' in fields
  const reduced = isCall ? reduceCall(fields, (exact as Fields)['result']) : fields
  return { message: { ...message, result: reduced }, answers: [id] }
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

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

function parse(text: string, reviver?: Reviver): unknown {
  try {
    return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1])
  } catch {
    return undefined
  }
}

declare global {
  interface JSON {
    // Missing in TypeScript's libraries.
    rawJSON(text: string): object
  }
}

/** Keeps numbers as they were written if JavaScript would round them. */
const exactNumber: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && String(value) !== source
    ? JSON.rawJSON(source)
    : value
