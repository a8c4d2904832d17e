import { Drop, Liquid, LiquidError, TokenizationError, type Template } from 'liquidjs'

/**
 * The one template language: Liquid, in texts that users give. A template sees the values that it is given and nothing
 * else: no files, no other templates, no prototypes. Reading and filling in are bounded in time, memory, depth and
 * size, since a template is another's program.
 */
const maxTemplateCharacters = 16_000
const maxOutputCharacters = 64_000
const maxMs = 100
const maxMemory = 1_000_000
/** Blocks inside of each other, such as a loop in a loop. */
const maxDepth = 20
const maxValueDepth = 50

const engine = new Liquid({
  // None: `render` and `include` find nothing, and no file is read.
  templates: {},
  ownPropertyOnly: true,
  strictFilters: true,
  parseLimit: maxTemplateCharacters,
  renderLimit: maxMs,
  memoryLimit: maxMemory,
  timezoneOffset: 0,
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

/** Fills in a template. Throws a `TemplateError` that says what is wrong with it, and where. */
export function renderTemplate(text: string, values: object): string {
  // Most texts are no templates.
  if (!/\{[{%]/.test(text)) return text
  try {
    const output = String(engine.renderSync(parse(text), values))
    if (output.length <= maxOutputCharacters) return output
    throw new TemplateError(`it makes ${output.length} characters, at most ${maxOutputCharacters}`)
  } catch (error) {
    throw error instanceof TemplateError ? error : new TemplateError(reasonOf(error))
  }
}

/**
 * The same for all texts in a JSON value. Its keys stay as they are. A text that is one path and nothing else becomes
 * the value that is there, whatever its type, or null.
 */
export function renderValue(value: unknown, values: object, depth = 0): unknown {
  if (typeof value === 'string') {
    const [, path] = onePath.exec(value) ?? []
    return path === undefined ? renderTemplate(value, values) : readPath(path, values)
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxValueDepth)
    throw new TemplateError(`it is nested more than ${maxValueDepth} deep`)
  if (Array.isArray(value)) return value.map((item) => renderValue(item, values, depth + 1))
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    renderValue(item, values, depth + 1),
  ])
  return Object.fromEntries(entries)
}

const onePath = /^\{\{-?\s*([A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\]|\["[^"\]]*"\])*)\s*-?\}\}$/

function readPath(path: string, values: object): unknown {
  // Liquid's own words, such as `blank`, are no values.
  const found: unknown = engine.evalValueSync(path, values)
  return found instanceof Drop ? null : (found ?? null)
}

/** All texts in a JSON value that `refuseTemplate` refuses, the first of them, with its path behind `path`. */
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

/** The parser goes one call deeper for each block, and the stack has an end. */
function refuseDepth(text: string): void {
  let depth = 0
  for (const [, word = ''] of text.matchAll(/\{%-?\s*(\w+)/g)) {
    if (/^(if|unless|for|case|tablerow|capture|comment|raw)$/.test(word)) depth++
    if (word.startsWith('end')) depth--
    if (depth > maxDepth)
      throw new TemplateError(`its blocks are nested more than ${maxDepth} deep`)
  }
}

/** The first line of a message; what follows is the context that the library prints. */
function reasonOf(error: unknown): string {
  if (error instanceof TemplateError) return error.message
  if (!LiquidError.is(error)) return 'it cannot be read'
  const kind = error instanceof TokenizationError ? 'it cannot be read: ' : ''
  const [message = ''] = error.message.replace(/^ENOENT: /, '').split('\n', 1)
  return `${kind}${message}`.slice(0, 300)
}
