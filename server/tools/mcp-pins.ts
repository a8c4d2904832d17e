import type { JSONSchema7 } from '@ai-sdk/provider'
import { createHash } from 'node:crypto'
import { visibleText } from '../visible-text.ts'
import { compileSchema } from './compile-schema.ts'

/** A tool of an MCP server as an admin accepted it: what models see of it never changes by itself. */
export interface PinnedTool {
  name: string
  /** Cleaned of what people cannot see, and cut. */
  description: string
  /** Cleaned likewise. */
  input_schema: JSONSchema7
  /** SHA-256 of what the server said, before cleaning. */
  hash: string
}

export const maxMcpTools = 100
const maxDescriptionCharacters = 2000
const maxSchemaBytes = 32 * 1024

/** Words for tools that cannot be taken. */
export class ToolsRefused extends Error {
  override readonly name = 'ToolsRefused'
}

export function pinTools(
  tools: readonly { name: string; description?: string | undefined; inputSchema: unknown }[],
): PinnedTool[] {
  if (tools.length > maxMcpTools) {
    throw new ToolsRefused(`it has ${tools.length} tools, at most ${maxMcpTools} are accepted`)
  }
  const pinned = tools.map(pinTool)
  if (new Set(pinned.map(({ name }) => name)).size < pinned.length) {
    throw new ToolsRefused('it has two tools of one name')
  }
  return pinned
}

function pinTool({ name, description = '', inputSchema }: Parameters<typeof pinTools>[0][number]) {
  if (!/^[A-Za-z0-9_./-]{1,128}$/.test(name)) {
    const shown = JSON.stringify(visibleText(name).slice(0, 100))
    throw new ToolsRefused(`its tool ${shown} has a name with other than A-Z a-z 0-9 _ . / -`)
  }
  const text = canonical(inputSchema)
  if (Buffer.byteLength(text) > maxSchemaBytes) {
    throw new ToolsRefused(`its tool ${name} has a schema of more than ${maxSchemaBytes / 1024} KB`)
  }
  const cleaned = clean(inputSchema) as JSONSchema7
  try {
    compileSchema(cleaned)
  } catch {
    throw new ToolsRefused(`its tool ${name} has arguments that are no valid JSON Schema`)
  }
  return {
    name,
    description: visibleText(description).slice(0, maxDescriptionCharacters).toWellFormed(),
    input_schema: cleaned,
    hash: createHash('sha256').update(canonical({ description, inputSchema })).digest('hex'),
  }
}

/** JSON that does not depend on the order in which a server lists keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}

/** Without hidden characters, in texts and in names. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value)
  if (Array.isArray(value)) return value.map(clean)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [visibleText(key), clean(item)]),
  )
}
