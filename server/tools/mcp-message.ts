import { findInexact } from '../inexact-number.ts'
import { textOfContent } from './mcp-content.ts'

/**
 * Messages of an MCP server, before the client library sees them. The library refuses a whole answer for
 * one field that is null in place of absent, or for one odd tool in a list; here such answers are made
 * regular once, for all calls: null counts as left out, tools are taken out of lists as they are, and the
 * result of a call becomes the one text that a model gets.
 */
export interface ReadMessage {
  /** What the library gets. */
  text: string
  /** The request that the message answers, if it answers one. */
  answers?: unknown
  /** Tools of a list, as the server wrote them. */
  tools?: RawTool[]
  isProgress?: boolean
}

export interface RawTool {
  name: unknown
  description?: unknown
  inputSchema?: unknown
  execution?: unknown
}

type Fields = Record<string, unknown>

export function readMessage(text: string): ReadMessage {
  const parsed = parse(text)
  // Some servers answer in a batch; each message is read by itself.
  if (Array.isArray(parsed)) return { text }
  if (!isObject(parsed)) return { text }
  const message = withoutNulls(parsed)
  if ('method' in message) {
    return { text, isProgress: message['method'] === 'notifications/progress' }
  }
  const { id: answers, result } = parsed
  if (!('result' in parsed)) return { text: JSON.stringify(message), answers }
  const fields = isObject(result) ? withoutNulls(result) : { content: [textPart(result)] }
  if (Array.isArray(fields['tools'])) {
    const tools = fields['tools'].map(toRawTool)
    const rest = { ...message, result: { ...fields, tools: [] } }
    return { text: JSON.stringify(rest), answers, tools }
  }
  const isCall = Array.isArray(fields['content']) || 'structuredContent' in fields
  const reduced = isCall ? reduceCall(fields, text) : fields
  return { text: JSON.stringify({ ...message, result: reduced }), answers }
}

/** A result with one text, in place of contents of any kind and size. */
function reduceCall(result: Fields, source: string): Fields {
  const { content = [], structuredContent, isError, ...rest } = result
  const exact =
    structuredContent !== undefined && findInexact(source) !== undefined
      ? (parse(source, exactNumber) as { result: Fields }).result['structuredContent']
      : structuredContent
  const text = textOfContent(Array.isArray(content) ? content : [], exact)
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
    // TypeScript's libraries do not have it yet.
    rawJSON(text: string): object
  }
}

/** A number that JavaScript would round stays as it was written. */
const exactNumber: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && String(value) !== source
    ? JSON.rawJSON(source)
    : value
