import { isDeeperThan, maxDepth } from '../json-limits.ts'
import { explain, typeOf } from '../validation-error.ts'
import { compileSchema, findMetaError } from './compile.ts'
import { createPattern } from './linear-pattern.ts'

/**
 * Decides whether a user's JSON Schema can be used: JSON Schema 2020-12 without keywords that need
 * more than the value at hand, and without references to other documents or recursion. Under these
 * limits the work of a check follows from the sizes of schema and value, so it is known in advance.
 */
export interface SchemaProblem {
  /** Path from the schema, such as `properties.age.type`; empty for the schema itself. */
  path: string
  why: string
}

export type JsonSchema = Record<string, unknown>

/** Bytes of JSON. */
const maxSchemaBytes = 32 * 1024
/** Limit of values in a schema, with its references expanded. */
const maxWeight = 20_000
/** Limit of all patterns, expanded. */
const maxPatternSize = 5_000
/** Limit of nested references. */
const maxHops = 50

/** A task: the first problem of several schemas, and which has it. */
export function findProblemIn(
  schemas: JsonSchema[],
): (SchemaProblem & { index: number }) | undefined {
  for (const [index, schema] of schemas.entries()) {
    const problem = findSchemaProblem(schema)
    if (problem !== undefined) return { ...problem, index }
  }
  return undefined
}

/** The first problem of a schema; undefined if it can be used. Its root must describe an object. */
export function findSchemaProblem(schema: JsonSchema): SchemaProblem | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > maxSchemaBytes)
    return { path: '', why: `has ${bytes} bytes of JSON, at most ${maxSchemaBytes}` }
  if (isDeeperThan(schema, maxDepth))
    return { path: '', why: `is nested more than ${maxDepth} levels deep` }
  if (schema['type'] !== 'object') {
    return { path: 'type', why: `must be "object": the root of a schema describes an object` }
  }
  try {
    const weight = weigh(schema)
    if (weight.values > maxWeight)
      return { path: '', why: `has more than ${maxWeight} values with its references unfolded` }
    if (weight.patterns > maxPatternSize)
      return { path: '', why: 'has patterns that are too large together' }
    compileSchema(schema)
    return undefined
  } catch (error) {
    if (error instanceof Problem) return { path: error.path, why: error.message }
    return {
      path: '',
      why: `cannot be used: ${error instanceof Error ? error.message : 'unknown'}`,
    }
  }
}

/** The work of checking one value against a schema, with references expanded. */
export interface Weight {
  values: number
  /** Steps for each character of a text. */
  patterns: number
  /** Lists whose items are compared with each other. */
  unique: number
}

/** Throws if the schema contains something unsupported. */
export function weigh(schema: JsonSchema): Weight {
  const wrong = findMetaError(schema)
  if (wrong !== undefined) {
    const { param, why } = explain(wrong, 'the schema')
    throw new Problem(param, why.startsWith(`${param} `) ? why.slice(param.length + 1) : why)
  }
  return new Scale(schema).weigh(schema, '', 0)
}

class Problem extends Error {
  readonly path: string

  constructor(path: string, why: string) {
    super(why)
    this.path = path
  }
}

type Kind = 'schema' | 'schemas' | 'map' | 'pattern-map' | 'pattern' | 'ref' | 'dialect' | 'value'

/**
 * The supported keywords, by the kind of their value. Ajv has already validated the values by the
 * meta-schema.
 */
const keywords: Record<string, Kind> = {
  $schema: 'dialect',
  $ref: 'ref',
  $defs: 'map',
  definitions: 'map',
  properties: 'map',
  patternProperties: 'pattern-map',
  dependentSchemas: 'map',
  pattern: 'pattern',
  ...kindOf('schema', 'items', 'contains', 'additionalProperties', 'propertyNames', 'not'),
  ...kindOf('schema', 'if', 'then', 'else'),
  ...kindOf('schemas', 'prefixItems', 'allOf', 'anyOf', 'oneOf'),
  ...kindOf('value', 'type', 'enum', 'const', 'required', 'format', 'dependentRequired'),
  ...kindOf('value', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'),
  ...kindOf('value', 'minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems'),
  ...kindOf('value', 'minContains', 'maxContains', 'minProperties', 'maxProperties'),
  ...kindOf('value', 'title', 'description', 'default', 'examples', '$comment', 'deprecated'),
  ...kindOf('value', 'readOnly', 'writeOnly', 'contentEncoding', 'contentMediaType'),
}

function kindOf(kind: Kind, ...names: string[]): Record<string, Kind> {
  return Object.fromEntries(names.map((name) => [name, kind]))
}

const dialects = /^https?:\/\/json-schema\.org\/(?:draft\/2020-12|draft-07)\/schema#?$/

/** Visits each schema once; it counts once for each reference to it. */
class Scale {
  readonly #root: unknown
  readonly #known = new Map<unknown, Weight>()
  readonly #open = new Set<unknown>()

  constructor(root: unknown) {
    this.#root = root
  }

  weigh(schema: unknown, path: string, hops: number): Weight {
    if (typeof schema === 'boolean') return { values: 1, patterns: 0, unique: 0 }
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
      throw new Problem(path, `must be a schema, not ${typeOf(schema)}`)
    const known = this.#known.get(schema)
    if (known !== undefined) return known
    if (this.#open.has(schema)) throw new Problem(path, 'refers to a schema that it is part of')
    this.#open.add(schema)
    const weight = { values: 1, patterns: 0, unique: 0 }
    for (const [keyword, value] of Object.entries(schema)) {
      const kind = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined
      const place = join(path, keyword)
      const isDefinition = keyword === '$defs' || keyword === 'definitions'
      const parts = this.#partsOf(kind, keyword, value, place, hops)
      if (keyword === 'uniqueItems' && value === true) weight.unique += 1
      // Definitions count where they are referenced.
      if (!isDefinition) for (const part of parts) add(weight, part)
    }
    this.#open.delete(schema)
    this.#known.set(schema, weight)
    return weight
  }

  #partsOf(
    kind: Kind | undefined,
    keyword: string,
    value: unknown,
    place: string,
    hops: number,
  ): Weight[] {
    switch (kind) {
      case 'schema':
        return [this.weigh(value, place, hops)]
      case 'schemas':
        return (value as unknown[]).map((part, at) => this.weigh(part, `${place}[${at}]`, hops))
      case 'map':
      case 'pattern-map':
        return Object.entries(value as object).flatMap(([name, part]) => {
          if (name === '__proto__') throw new Problem(place, 'must not name __proto__')
          const own = this.weigh(part, join(place, name), hops)
          return kind === 'map' ? [own] : [own, patternWeight(name, place)]
        })
      case 'pattern':
        return [patternWeight(value as string, place)]
      case 'ref':
        return [this.#follow(value as string, place, hops + 1)]
      case 'dialect':
        if (dialects.test(value as string)) return []
        throw new Problem(place, 'must be that of draft 2020-12 or draft 7')
      case 'value':
        return [{ values: countValues(value), patterns: 0, unique: 0 }]
      case undefined:
        // Annotations of other tools.
        if (keyword.startsWith('x-')) return []
        throw new Problem(place, 'is not a supported keyword')
    }
  }

  #follow(ref: string, place: string, hops: number): Weight {
    const target = resolveRef(this.#root, ref)
    if (target === undefined)
      throw new Problem(
        place,
        `is ${JSON.stringify(ref.slice(0, 100))}, expected #/… within the schema`,
      )
    if (hops > maxHops) throw new Problem(place, `is behind more than ${maxHops} other references`)
    return this.weigh(target, place, hops)
  }
}

function patternWeight(source: string, place: string): Weight {
  try {
    return { values: 1, patterns: createPattern(source).size, unique: 0 }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown'
    throw new Problem(place, `has a pattern that cannot be used: ${why.slice(0, 200)}`)
  }
}

function add(sum: Weight, part: Weight): void {
  sum.values += part.values
  sum.patterns += part.patterns
  sum.unique += part.unique
}

/** Counts JSON values, whose nesting is bounded; a long text counts as several. */
export function countValues(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / 16
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + 1 + key.length / 16 + countValues(item),
    1,
  )
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/**
 * The target of a `$ref` within its own schema: `#` or `#/…`; undefined for any other, or if the
 * target does not exist.
 */
export function resolveRef(root: unknown, ref: string): unknown {
  const [start, ...keys] = ref.split('/')
  if (start !== '#') return undefined
  return keys.reduce<unknown>((at, key) => {
    const name = unescapeKey(key)
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name)
      ? (at as Record<string, unknown>)[name]
      : undefined
  }, root)
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return key
  }
}
