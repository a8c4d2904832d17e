import type { JSONSchema7 } from '@ai-sdk/provider'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { setImmediate } from 'node:timers/promises'
import { isDeeperThan, isLargerThan, maxDepth } from '../nesting.ts'
import { visibleText } from '../visible-text.ts'
import { resolveRef } from '../json-schema/resolve-ref.ts'
import { canonical, hashTool } from './hash-tool.ts'

/** A tool of an MCP server as an admin accepted it: what models see of it never changes on its own. */
export interface PinnedTool {
  name: string
  /** Cleaned of what people cannot see, and cut. */
  description: string
  /** Cleaned likewise. */
  input_schema: JSONSchema7
  /** SHA-256 of what the server said, before cleaning. */
  hash: string
  /** It only runs as a task, which is fetched later; Muster waits for the answer of a call. */
  needs_task?: true
}

interface ListedTool {
  name: string
  description?: string | undefined
  inputSchema: unknown
  execution?: { taskSupport?: string | undefined } | undefined
}

export const maxMcpTools = 100
const maxDescriptionCharacters = 2000
const maxSchemaBytes = 32 * 1024
/** Of what a server says of one tool: more is refused before any of it is looked at. */
const maxDescriptionLength = 64 * 1024

/** Why tools cannot be accepted, in words. */
export class ToolsRefused extends Error {
  override readonly name = 'ToolsRefused'
}

export async function pinTools(tools: readonly ListedTool[]): Promise<PinnedTool[]> {
  if (tools.length > maxMcpTools) {
    throw new ToolsRefused(`it has ${tools.length} tools, at most ${maxMcpTools} are accepted`)
  }
  const pinned: PinnedTool[] = []
  for (const tool of tools) {
    pinned.push(pinTool(tool))
    await setImmediate() // Each can take milliseconds, and others wait.
  }
  if (new Set(pinned.map(({ name }) => name)).size < pinned.length) {
    throw new ToolsRefused('it has two tools of one name')
  }
  return pinned
}

function pinTool({ name, description = '', inputSchema, execution }: ListedTool): PinnedTool {
  if (!/^[A-Za-z0-9_./-]{1,128}$/.test(name)) {
    const shown = JSON.stringify(visibleText(name.slice(0, 1_000)).slice(0, 100))
    throw new ToolsRefused(`its tool ${shown} has a name with other than A-Z a-z 0-9 _ . / -`)
  }
  if (description.length > maxDescriptionLength) {
    const most = `${maxDescriptionLength / 1024} KB`
    throw new ToolsRefused(`its tool ${name} has a description of more than ${most}`)
  }
  // Every byte of JSON but quotes and commas is a character or an item here, so no smaller one is refused.
  if (isLargerThan(inputSchema, maxSchemaBytes)) throw new ToolsRefused(tooLarge(name))
  if (isDeeperThan(inputSchema, maxDepth)) {
    throw new ToolsRefused(`its tool ${name} has a schema nested more than ${maxDepth} levels deep`)
  }
  const text = canonical(inputSchema)
  if (Buffer.byteLength(text) > maxSchemaBytes) throw new ToolsRefused(tooLarge(name))
  const cleaned = clean(inputSchema) as JSONSchema7
  if (!isValidSchema(cleaned)) {
    throw new ToolsRefused(`its tool ${name} has arguments that are no valid JSON Schema`)
  }
  const ref = findBadRef(cleaned, cleaned)
  if (ref !== undefined) {
    const shown = JSON.stringify(ref.slice(0, 100))
    throw new ToolsRefused(
      `its tool ${name} has arguments with the $ref ${shown}, expected # and #/… that lead to a part of the same schema`,
    )
  }
  return {
    name,
    description: visibleText(description).slice(0, maxDescriptionCharacters).toWellFormed(),
    input_schema: cleaned,
    hash: hashTool({ description, inputSchema }),
    ...(execution?.taskSupport === 'required' && { needs_task: true }),
  }
}

function tooLarge(name: string): string {
  return `its tool ${name} has a schema of more than ${maxSchemaBytes / 1024} KB`
}

// Only what describes schemas is compiled. Comparing all items of a list with each other takes too long.
const options = { strict: false, validateFormats: false, logger: false } as const
const draft7 = new Ajv(options).removeKeyword('uniqueItems')
const draft2020 = new Ajv2020(options).removeKeyword('uniqueItems')

/** In the draft that the schema names: 2020-12, or else draft 7. */
function isValidSchema(schema: object): boolean {
  const { $schema: draft, ...rest } = schema as { $schema?: unknown }
  const is2020 = typeof draft === 'string' && draft.includes('2020-12')
  return (is2020 ? draft2020 : draft7).validateSchema(rest) === true
}

function findBadRef(root: unknown, part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  for (const [key, item] of Object.entries(part)) {
    if (key === '$ref' && typeof item === 'string') {
      if (resolveRef(root, item) === undefined) return item
    } else if (!['const', 'default', 'enum', 'examples'].includes(key)) {
      const bad = findBadRef(root, item)
      if (bad !== undefined) return bad
    }
  }
  return undefined
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
