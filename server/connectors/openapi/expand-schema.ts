import { visibleText } from '../../safe-text.ts'
import { follow, isObject, NotOffered, resolve, type Fields } from './resolve.ts'

/**
 * A schema of an OpenAPI 3.1 document as models' providers take it: without references, and with
 * the keywords of JSON Schema alone. A circular reference is cut: what would lead further is left
 * out if it may be, so that every value of the cut schema is one of the whole schema.
 */
export interface ExpandOptions {
  /** How often a reference may lead to itself. */
  depth: number
  /** Leaves out descriptions of fields. */
  isTerse: boolean
}

/** The schemas of an operation have too many parts with their references followed. */
export class TooManyParts extends Error {}

/** Nothing fits within the allowed depth. */
const cut = Symbol('cut')
type Expanded = Fields | typeof cut

/** Parts of one operation's schemas. */
const maxParts = 20_000
const maxNesting = 60
const maxDescription = 500
/** Names of fields that the models' providers take. */
export const fieldName = /^[A-Za-z0-9_.-]{1,64}$/

export class Expander {
  readonly #document: unknown
  readonly #options: ExpandOptions
  #parts = 0

  constructor(document: unknown, options: ExpandOptions) {
    this.#document = document
    this.#options = options
  }

  /** Throws `NotOffered`; undefined if no value is possible within the depth. */
  expand(schema: unknown): Fields | undefined {
    const expanded = this.#expand(schema, new Map(), 0)
    return expanded === cut ? undefined : expanded
  }

  #expand(schema: unknown, seen: ReadonlyMap<string, number>, nesting: number): Expanded {
    this.#parts += 1
    if (this.#parts > maxParts) {
      throw new TooManyParts()
    }
    if (nesting > maxNesting) return cut
    if (schema === false) return cut
    if (!isObject(schema)) return {}
    const { $ref: ref } = schema
    if (typeof ref === 'string') {
      const times = seen.get(ref) ?? 0
      if (times >= this.#options.depth) return cut
      const { $ref: _, ...beside } = schema
      const target = this.#expand(
        follow(this.#document, ref),
        new Map(seen).set(ref, times + 1),
        nesting + 1,
      )
      if (target === cut || Object.keys(beside).length === 0) return target
      const own = this.#expand(beside, seen, nesting + 1)
      return own === cut ? cut : { ...target, ...own }
    }
    const inner = (part: unknown): Expanded => this.#expand(part, seen, nesting + 1)
    const plain = this.#plainKeywords(schema)
    const parts = [
      objectKeywords(schema, inner, (part) => this.#kindOf(part)),
      listKeywords(schema, inner),
      this.#choices(schema, inner),
    ]
    const merged: Fields = { ...plain }
    for (const part of parts) {
      if (part === cut) return cut
      Object.assign(merged, part)
    }
    if (Array.isArray(schema['allOf'])) return mergeAll(merged, schema['allOf'].map(inner))
    return merged
  }

  /** Fields that a request does not have, whatever their schema. */
  #kindOf(part: unknown): 'read-only' | 'file' | undefined {
    const whole = resolve(this.#document, part)
    if (!isObject(whole)) return undefined
    if (whole['readOnly'] === true) return 'read-only'
    if (whole['type'] === 'array')
      return this.#kindOf(whole['items']) === 'file' ? 'file' : undefined
    // The form of OpenAPI 3.1 for raw bytes, which 3.0 calls `format: binary`.
    const isRaw = whole['type'] === undefined && whole['contentMediaType'] !== undefined
    return isRaw || whole['format'] === 'binary' ? 'file' : undefined
  }

  #plainKeywords(schema: Fields): Fields {
    const plain: Fields = {}
    const types = [schema['type']].flat().filter((type) => knownTypes.has(type))
    const implied =
      isObject(schema['properties']) || isObject(schema['additionalProperties'])
        ? 'object'
        : 'items' in schema
          ? 'array'
          : undefined
    const isWhole = wholeFormats.has(schema['format'])
    const unique = [
      ...new Set(types.map((type) => (isWhole && type === 'number' ? 'integer' : type))),
    ]
    if (unique.length > 0) plain['type'] = unique.length === 1 ? unique[0] : unique
    else if (implied !== undefined && !('$ref' in schema)) plain['type'] = implied
    const { description } = schema
    if (typeof description === 'string' && description !== '' && !this.#options.isTerse) {
      plain['description'] = visibleText(description.slice(0, 2 * maxDescription))
        .slice(0, maxDescription)
        .toWellFormed()
    }
    for (const [name, isValid] of Object.entries(plainKeywords)) {
      if (Object.hasOwn(schema, name) && isValid(schema[name])) plain[name] = schema[name]
    }
    const { enum: options } = schema
    if (Array.isArray(options) && options.length > 0 && options.length <= 1_000) {
      const texts = new Set(options.map((option) => JSON.stringify(option)))
      plain['enum'] = [...texts].map((text) => JSON.parse(text) as unknown)
    }
    if (Object.hasOwn(schema, 'const')) plain['const'] = schema['const']
    const base = plain['enum'] ?? plain['const']
    // A limit beside listed values says nothing more.
    if (base !== undefined) delete plain['format']
    return plain
  }

  #choices(schema: Fields, inner: (part: unknown) => Expanded): Expanded {
    const choices: Fields = {}
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = schema[keyword]
      if (!Array.isArray(branches) || branches.length === 0) continue
      const expanded = branches.map((branch: unknown) =>
        withDiscriminator(inner(branch), branch, schema['discriminator']),
      )
      const possible = expanded.filter((branch) => branch !== cut)
      if (possible.length === 0) return cut
      choices[keyword] = possible
    }
    return choices
  }
}

/** Keywords that are taken as they are, if their values are what JSON Schema expects. */
const plainKeywords: Record<string, (value: unknown) => boolean> = {
  format: (value) => typeof value === 'string' && value.length <= 50,
  pattern: isPattern,
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  exclusiveMinimum: Number.isFinite,
  exclusiveMaximum: Number.isFinite,
  multipleOf: (value) => Number.isFinite(value) && (value as number) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  uniqueItems: (value) => value === true,
  default: (value) =>
    value !== null && typeof value !== 'object' && JSON.stringify(value).length <= 200,
}

/** OpenAPI allows these with `number`, too. */
const wholeFormats = new Set<unknown>(['int32', 'int64'])

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 500) return false
  try {
    return new RegExp(value, 'u') instanceof RegExp
  } catch {
    return false
  }
}

const knownTypes = new Set<unknown>([
  'null',
  'boolean',
  'object',
  'array',
  'number',
  'string',
  'integer',
])

function objectKeywords(
  schema: Fields,
  inner: (part: unknown) => Expanded,
  kindOf: (part: unknown) => 'read-only' | 'file' | undefined,
): Expanded {
  const result: Fields = {}
  const required = new Set(
    Array.isArray(schema['required'])
      ? schema['required'].filter((name) => typeof name === 'string')
      : [],
  )
  if (isObject(schema['properties'])) {
    const properties: [string, Fields][] = []
    for (const [name, part] of Object.entries(schema['properties'])) {
      // The server sets it, and may refuse it in a request.
      const kind = kindOf(part)
      if (kind === 'read-only') {
        required.delete(name)
        continue
      }
      if (kind === 'file') {
        if (!required.has(name)) continue
        throw new NotOffered(
          `it requires the file ${JSON.stringify(name.slice(0, 80))}, and files are not sent`,
        )
      }
      const expanded = inner(part)
      if (expanded === cut || !fieldName.test(name)) {
        if (!required.has(name)) continue
        if (expanded === cut) return cut
        const shown = JSON.stringify(name.slice(0, 80))
        throw new NotOffered(
          `it requires a field ${shown}, whose name models' providers do not take (A-Z a-z 0-9 _ . -, up to 64)`,
        )
      }
      properties.push([name, expanded])
    }
    result['properties'] = Object.fromEntries(properties)
  }
  if (required.size > 0) result['required'] = [...required]
  const { additionalProperties: others } = schema
  if (typeof others === 'boolean') result['additionalProperties'] = others
  else if (isObject(others)) {
    const expanded = inner(others)
    result['additionalProperties'] = expanded === cut ? false : expanded
  }
  return result
}

function listKeywords(schema: Fields, inner: (part: unknown) => Expanded): Expanded {
  const isList = [schema['type']].flat().includes('array') || 'items' in schema
  if (!isList) return {}
  const first = schema['prefixItems']
  const tuple = Array.isArray(first) ? first.map(inner) : undefined
  if (tuple?.includes(cut) === true) return cut
  const items = schema['items'] === undefined ? {} : inner(schema['items'])
  if (items !== cut) return { ...(tuple && { prefixItems: tuple }), items }
  const least = schema['minItems']
  const length = tuple?.length ?? 0
  if (typeof least === 'number' && least > length) return cut
  return { ...(tuple && { prefixItems: tuple }), items: {}, maxItems: length }
}

/** The branch with the value of its discriminator, if that is not in its own schema. */
function withDiscriminator(expanded: Expanded, branch: unknown, discriminator: unknown): Expanded {
  if (expanded === cut || !isObject(discriminator) || !isObject(branch)) return expanded
  const { propertyName: name, mapping } = discriminator
  const ref = branch['$ref']
  if (typeof name !== 'string' || typeof ref !== 'string' || !fieldName.test(name)) return expanded
  const { properties = {}, required = [] } = expanded as {
    properties?: Record<string, Fields>
    required?: string[]
  }
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined
  const last = ref.split('/').at(-1) ?? ''
  const mapped = isObject(mapping)
    ? Object.entries(mapping).flatMap(([key, to]) => (to === ref || to === last ? [key] : []))
    : []
  const values = mapped.length > 0 ? mapped : [last]
  const isSaid = own !== undefined && ('enum' in own || 'const' in own)
  return {
    ...expanded,
    properties: isSaid
      ? properties
      : { ...properties, [name]: { ...own, type: 'string', enum: values } },
    required: [...new Set([...required, name])],
  }
}

/** `allOf` as one schema where that says the same, which all models understand. */
function mergeAll(own: Fields, parts: Expanded[]): Expanded {
  const given = [own, ...parts].filter((part) => part !== cut)
  if (given.length <= parts.length) return cut
  const schemas = given.filter((part) => Object.keys(part).length > 0)
  const merged = schemas.reduce<Fields | undefined>(
    (all, part) => (all === undefined ? undefined : mergeTwo(all, part)),
    {},
  )
  if (merged !== undefined) return merged
  const { description, ...rest } = own
  return {
    ...(description !== undefined && { description }),
    ...(schemas.every((part) => part['type'] === undefined || part['type'] === 'object') && {
      type: 'object',
    }),
    allOf: [...(Object.keys(rest).length > 0 ? [rest] : []), ...parts],
  }
}

/** Undefined if the two cannot be said in one schema. */
function mergeTwo(a: Fields, b: Fields): Fields | undefined {
  const merged: Fields = { ...a }
  for (const [keyword, value] of Object.entries(b)) {
    const other = merged[keyword]
    if (other === undefined || JSON.stringify(other) === JSON.stringify(value)) {
      merged[keyword] = value
    } else if (keyword === 'description' || keyword === 'default') {
      continue
    } else if (keyword === 'required') {
      merged[keyword] = [...new Set([...(other as string[]), ...(value as string[])])]
    } else if (keyword === 'properties') {
      const properties = mergeProperties(
        other as Record<string, Fields>,
        value as Record<string, Fields>,
      )
      if (properties === undefined) return undefined
      merged[keyword] = properties
    } else return undefined
  }
  // `additionalProperties: false` of a part forbids the other's fields.
  const isClosed = [a, b].some(
    (part) => ![undefined, true].includes(part['additionalProperties'] as true),
  )
  const [one, other] = [a['properties'], b['properties']].map((properties) =>
    isObject(properties) ? Object.keys(properties).sort().join() : undefined,
  )
  return isClosed && one !== undefined && other !== undefined && one !== other ? undefined : merged
}

function mergeProperties(
  a: Record<string, Fields>,
  b: Record<string, Fields>,
): Record<string, Fields> | undefined {
  const merged = { ...a }
  for (const [name, schema] of Object.entries(b)) {
    const other = Object.hasOwn(merged, name) ? merged[name] : undefined
    const both = other === undefined ? schema : mergeTwo(other, schema)
    if (both === undefined) return undefined
    merged[name] = both
  }
  return merged
}
