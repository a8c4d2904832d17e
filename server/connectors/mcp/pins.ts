import type { JSONSchema7 } from '@ai-sdk/provider'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { setImmediate } from 'node:timers/promises'
import { isDeeperThan, isLargerThan, maxDepth } from '../../json-limits.ts'
import { visibleText } from '../../safe-text.ts'
import { resolveRef } from '../../json-schema/check-schema.ts'
import { canonical, hashTool } from '../../tools/contract.ts'
import { findBadHeader } from './header-arguments.ts'
import { isObject, type RawTool } from './message.ts'

/**
 * A tool of an MCP server as an admin accepted it. What models see of it never changes by itself.
 */
export interface PinnedTool {
  name: string
  /** Without invisible characters, and cut. */
  description: string
  /** Without invisible characters. */
  input_schema: JSONSchema7
  /** SHA-256 of the server's definition, before cleaning. */
  hash: string
  /** Why the tool cannot be offered to agents. */
  refused?: string
  /** The tool was not picked; only its name and the beginning of its description are stored. */
  unpicked?: true
}

/** Which of a server's tools an admin picked. */
export interface ToolPick {
  only?: string[]
  except?: string[]
}

/** Limit of tools that agents can be offered; a server may list more. */
export const maxMcpTools = 100
const maxSchemaBytes = 32 * 1024
/** Limit for the server's definition of one tool, and for what models see of it. */
const maxDescriptionLength = 64 * 1024

/** Why a server's tools cannot be accepted. */
export class ToolsRefused extends Error {
  override readonly name = 'ToolsRefused'
}

/** All tools of a server; those that cannot be offered have the reason. */
export async function pinTools(
  tools: readonly RawTool[],
  pick: ToolPick = {},
): Promise<PinnedTool[]> {
  const isPicked = pickerOf(pick)
  const pinned = new Map<string, PinnedTool>()
  for (const tool of tools) {
    const one = isPicked(tool.name) ? pinTool(tool) : leaveOut(tool)
    const isTwice = pinned.has(one.name)
    pinned.set(one.name, isTwice ? refused(one.name, 'the server has two tools of this name') : one)
    await setImmediate() // Each can take milliseconds, and others wait.
  }
  return [...pinned.values()]
}

export function isUsable({ refused, unpicked }: PinnedTool): boolean {
  return refused === undefined && unpicked !== true
}

function pickerOf({ only, except }: ToolPick): (name: unknown) => boolean {
  const listed = new Set<unknown>(only ?? except)
  return (name) => (only === undefined ? !listed.has(name) : listed.has(name))
}

function leaveOut({ name, description }: RawTool): PinnedTool {
  const start = typeof description === 'string' ? description.slice(0, 1_000) : ''
  return {
    name: shownName(name),
    description: visibleText(start).slice(0, 200).toWellFormed(),
    input_schema: { type: 'object' },
    hash: '',
    unpicked: true,
  }
}

function shownName(name: unknown): string {
  return typeof name === 'string' ? visibleText(name.slice(0, 1_000)).slice(0, 128) : 'unnamed'
}

/** The current hash of a tool, to compare with the pinned one. */
export function hashRawTool(tool: RawTool): string {
  const { description = '', inputSchema } = tool
  const isHuge =
    (typeof description === 'string' && description.length > maxDescriptionLength) ||
    isLargerThan(inputSchema, maxSchemaBytes) ||
    isDeeperThan(inputSchema, maxDepth)
  return isHuge ? '' : hashTool({ description: description as string, inputSchema })
}

/** Whether the server runs the tool only as a task, whose result is fetched later. */
export function needsTask({ execution }: RawTool): boolean {
  return isObject(execution) && execution['taskSupport'] === 'required'
}

/** A tool that can never be called, because no definition has its hash. */
function refused(name: string, why: string): PinnedTool {
  return { name, description: '', input_schema: { type: 'object' }, hash: '', refused: why }
}

function pinTool(tool: RawTool): PinnedTool {
  const { name: named, description = '', inputSchema } = tool
  if (typeof named !== 'string') return refused(shownName(named), 'it has no name')
  if (!/^[A-Za-z0-9_./-]{1,128}$/.test(named)) {
    return refused(
      shownName(named),
      'its name has other characters than A-Z a-z 0-9 _ . / - or is longer than 128',
    )
  }
  const name = named
  if (typeof description !== 'string') return refused(name, 'its description is no text')
  if (description.length > maxDescriptionLength) {
    return refused(name, `its description has more than ${maxDescriptionLength / 1024} KB`)
  }
  // Counts characters and items; JSON adds only quotes and commas, so no smaller schema is
  // rejected.
  if (isLargerThan(inputSchema, maxSchemaBytes)) return refused(name, tooLarge)
  if (isDeeperThan(inputSchema, maxDepth)) {
    return refused(name, `its arguments are nested more than ${maxDepth} levels deep`)
  }
  if (!isObject(inputSchema)) return refused(name, 'it has no schema of its arguments')
  const text = canonical(inputSchema)
  if (Buffer.byteLength(text) > maxSchemaBytes) return refused(name, tooLarge)
  const cleaned = clean(inputSchema) as JSONSchema7
  if ((cleaned.type ?? 'object') !== 'object') {
    return refused(name, 'its arguments are no object')
  }
  if (!isValidSchema(cleaned)) return refused(name, 'its arguments are no valid JSON Schema')
  const ref = findBadRef(cleaned, cleaned)
  if (ref !== undefined) {
    const shown = JSON.stringify(ref.slice(0, 100))
    return refused(
      name,
      `its arguments have the $ref ${shown}, expected # and #/… that lead to a part of the same schema`,
    )
  }
  const badHeader = findBadHeader(cleaned)
  if (badHeader !== undefined) {
    return refused(name, `its arguments have an invalid x-mcp-header: ${badHeader}`)
  }
  return {
    name,
    description: visibleText(description),
    input_schema: cleaned,
    hash: hashTool({ description, inputSchema }),
  }
}

const tooLarge = `its arguments have a schema of more than ${maxSchemaBytes / 1024} KB`

// Only the meta-schemas are compiled. `uniqueItems` compares all items with each other, which takes
// too long.
const options = { strict: false, validateFormats: false, logger: false } as const
const draft7 = new Ajv(options).removeKeyword('uniqueItems')
const draft2020 = new Ajv2020(options).removeKeyword('uniqueItems')

/** Validates by the draft that the schema names: 2020-12, or else draft 7. */
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

/** Removes invisible characters from texts and names, and keywords that are null. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value)
  if (Array.isArray(value)) return value.map(clean)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => item !== null || mayBeNull.has(key))
      .map(([key, item]) => [visibleText(key), clean(item)]),
  )
}
const mayBeNull = new Set(['const', 'default'])
