import { isLargerThan } from '../json-limits.ts'
import { Drop, LiquidError, TokenizationError, type Template } from 'liquidjs'
import { createEngine } from './engine.ts'

/**
 * The one template language: Liquid, in texts that users give. A template sees only the values that it is given: no
 * files, no other templates, no prototypes. A template is a program of the user. The library bounds its steps, but not
 * the work of a step, such as a filter over a long list; so only cheap templates (`cost.ts`) are rendered outside of a
 * thread that can be ended.
 */
const maxTemplateCharacters = 16_000
const maxOutputCharacters = 64_000
/** All results of one event together, as JSON. */
const maxRoom = 256_000
/** By the clock, so more than the processor time that the thread of the templates has. */
const maxMs = 2_000
const maxMemory = 1_000_000
/** Most nested blocks, such as a loop in a loop. */
const maxDepth = 20
const maxValueDepth = 50

const engine = createEngine({
  parseLimit: maxTemplateCharacters,
  renderLimit: maxMs,
  memoryLimit: maxMemory,
})

/** Why a template cannot be used; undefined when it can. */
export function refuseTemplate(text: string): string | undefined {
  try {
    parse(text)
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

/** What the results of several templates may have together. Throws a `TemplateError` when it is used up. */
export class Room {
  #left = maxRoom

  take(value: unknown): void {
    if (isLargerThan(value, this.#left)) {
      throw new TemplateError(`all results together have more than ${maxRoom} characters`)
    }
    this.#left -= typeof value === 'string' ? value.length : JSON.stringify(value).length
  }
}

/** Renders a template. Throws a `TemplateError` that says what is wrong with it, and where. */
export function renderTemplate(text: string, values: object, room: Room): string {
  // Most texts have no template in them.
  if (!/\{[{%]/.test(text)) return text
  try {
    const output = String(engine.renderSync(parse(text), values))
    if (output.length <= maxOutputCharacters) {
      room.take(output)
      return output
    }
    throw new TemplateError(`it makes ${output.length} characters, at most ${maxOutputCharacters}`)
  } catch (error) {
    throw error instanceof TemplateError ? error : new TemplateError(reasonOf(error))
  }
}

/**
 * Renders all texts in a JSON value, but not its keys. A text that is a single path, such as `{{ body.issue }}`, becomes
 * the value at that path with its type, or null; so does one of its items, as in `{{ body.issues | first }}`.
 */
export function renderValue(value: unknown, values: object, room: Room, depth = 0): unknown {
  if (typeof value === 'string') {
    const [, path] = onePath.exec(value) ?? []
    if (path === undefined) return renderTemplate(value, values, room)
    const found = readPath(path, values)
    room.take(found)
    return found
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxValueDepth)
    throw new TemplateError(`it is nested more than ${maxValueDepth} deep`)
  if (Array.isArray(value)) return value.map((item) => renderValue(item, values, room, depth + 1))
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    renderValue(item, values, room, depth + 1),
  ])
  return Object.fromEntries(entries)
}

const onePath =
  /^\{\{-?\s*([A-Za-z_][\w-]*(?:\.[\w-]+|\[-?\d+\]|\["[^"\]]*"\]|\['[^'\]]*'\])*(?:\s*\|\s*(?:first|last))?)\s*-?\}\}$/

function readPath(path: string, values: object): unknown {
  // Liquid's own words, such as `blank`, are not paths.
  const found: unknown = engine.evalValueSync(path, values)
  return found instanceof Drop ? null : (found ?? null)
}

/** The first text in a JSON value that `refuseTemplate` refuses, with its path. */
export function refuseTemplates(
  value: unknown,
  path: string,
): { path: string; why: string } | undefined {
  if (typeof value === 'string') {
    const why = refuseTemplate(value)
    return why === undefined ? undefined : { path, why }
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, item] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`
    const found = refuseTemplates(item, at)
    if (found !== undefined) return found
  }
  return undefined
}

export class TemplateError extends Error {
  override name = 'TemplateError'
}

function parse(text: string): Template[] {
  if (text.length > maxTemplateCharacters) {
    throw new TemplateError(`it has ${text.length} characters, at most ${maxTemplateCharacters}`)
  }
  refuseDepth(text)
  return engine.parse(text)
}

/** The parser recurses for each block, so depth is bounded before it runs. */
function refuseDepth(text: string): void {
  let depth = 0
  for (const [, word = ''] of text.matchAll(/\{%-?\s*(\w+)/g)) {
    if (/^(if|unless|for|case|tablerow|capture|comment|raw)$/.test(word)) depth++
    if (word.startsWith('end')) depth--
    if (depth > maxDepth)
      throw new TemplateError(`its blocks are nested more than ${maxDepth} deep`)
  }
}

/** The first line of a message, without the context that the library adds. */
function reasonOf(error: unknown): string {
  if (error instanceof TemplateError) return error.message
  if (!LiquidError.is(error)) return 'it cannot be read'
  const kind = error instanceof TokenizationError ? 'it cannot be read: ' : ''
  const [message = ''] = error.message.replace(/^ENOENT: /, '').split('\n', 1)
  return `${kind}${message}`.slice(0, 300)
}
