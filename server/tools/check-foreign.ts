import { resolveRef } from '../json-schema/check-schema.ts'

/**
 * Why a value does not fit the schema of an MCP server; undefined if it does. A compiling validator
 * would run strangers' regular expressions and follow their references for an unbounded time, so
 * this one interprets the schema and counts its steps. It knows the keywords below; ignoring the
 * others can only allow more, and the server checks its input anyway.
 */
export function checkForeign(schema: unknown, value: unknown): string | undefined {
  try {
    const wrong = new Check(schema).look(schema, value, '', 0)
    return wrong && `${wrong.path === '' ? 'the arguments' : wrong.path.slice(1)} ${wrong.why}`
  } catch (error) {
    if (error instanceof TooMuchWork) return tooMuchWork
    throw error
  }
}

const tooMuchWork =
  'checking the arguments against the schema of this tool takes too many steps, send fewer or less nested ones'

/** Some 10 ms. A value takes about five steps, so ordinary arguments of 32 KB use a tenth of it. */
const maxSteps = 100_000
const stepsPerLook = 4
/** Nested subschemas; arguments have at most 100 levels, and the stack must hold them. */
const maxHops = 500

class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork'
}

class Check {
  readonly #root: unknown
  readonly #refs = new Map<string, unknown>()
  #steps = 0

  constructor(root: unknown) {
    this.#root = root
  }

  look(schema: unknown, value: unknown, path: string, hops: number): Wrong | undefined {
    this.#spend(stepsPerLook)
    if (hops > maxHops) throw new TooMuchWork()
    if (schema === false) return { path, why: 'is not accepted' }
    if (!isObject(schema)) return undefined
    if (value === null && schema['nullable'] === true) return undefined
    const why = this.#wrongItself(schema, value)
    if (why !== undefined) return { path, why }
    return (
      this.#wrongWithin(schema, value, path, hops + 1) ??
      this.#wrongElsewhere(schema, value, path, hops + 1)
    )
  }

  #wrongItself(schema: Json, value: unknown): string | undefined {
    const types = this.#list(listOf(schema['type'])).filter((type) => knownTypes.has(type))
    if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
      return `must be ${types.join(' or ')}`
    }
    if (Object.hasOwn(schema, 'const') && !mayEqual(schema['const'], value)) {
      return 'must be equal to the one accepted value'
    }
    const options = schema['enum']
    if (Array.isArray(options) && !this.#list(options).some((item) => mayEqual(item, value))) {
      return 'must be equal to one of the accepted values'
    }
    if (typeof value === 'number') return outOfRange(schema, value)
    if (Array.isArray(value)) {
      return outOfLength(value.length, schema['minItems'], schema['maxItems'], 'items')
    }
    const { minLength, maxLength } = schema
    if (typeof value !== 'string' || (minLength ?? maxLength) === undefined) return undefined
    this.#spend(value.length)
    return outOfLength(Array.from(value).length, minLength, maxLength, 'characters')
  }

  #wrongWithin(schema: Json, value: unknown, path: string, hops: number): Wrong | undefined {
    if (Array.isArray(value)) return this.#wrongItem(schema, value, path, hops)
    return isObject(value) ? this.#wrongProperty(schema, value, path, hops) : undefined
  }

  #wrongItem(schema: Json, value: unknown[], path: string, hops: number): Wrong | undefined {
    const { items } = schema
    // Tuples: draft 7 has items and additionalItems, 2020-12 has prefixItems and items.
    const first = Array.isArray(items) ? items : schema['prefixItems']
    const tuple = Array.isArray(first) ? first : []
    const rest = Array.isArray(items) ? schema['additionalItems'] : items
    return firstOf(value, (item, index) =>
      this.look(index < tuple.length ? tuple[index] : rest, item, `${path}.${index}`, hops),
    )
  }

  #wrongProperty(schema: Json, value: Json, path: string, hops: number): Wrong | undefined {
    const missing = this.#list(listOf(schema['required'])).find(
      (key): key is string => typeof key === 'string' && !Object.hasOwn(value, key),
    )
    if (missing !== undefined) return { path, why: `must have required property '${missing}'` }
    const properties = isObject(schema['properties']) ? schema['properties'] : {}
    const wrong = firstOf(this.#list(Object.keys(properties)), (key) =>
      Object.hasOwn(value, key)
        ? this.look(properties[key], value[key], `${path}.${key}`, hops)
        : undefined,
    )
    const others = schema['additionalProperties']
    // A pattern may match any key, and is not evaluated.
    if (wrong !== undefined || others === undefined || 'patternProperties' in schema) return wrong
    return firstOf(this.#list(Object.keys(value)), (key) => {
      if (Object.hasOwn(properties, key)) return undefined
      return others === false
        ? { path, why: `must NOT have additional properties (${key})` }
        : this.look(others, value[key], `${path}.${key}`, hops)
    })
  }

  /**
   * Treats `oneOf` as `anyOf`, because its branches may differ only in keywords that are not
   * checked.
   */
  #wrongElsewhere(schema: Json, value: unknown, path: string, hops: number): Wrong | undefined {
    const { $ref: ref, allOf, anyOf, oneOf } = schema
    if (typeof ref === 'string') {
      if (!this.#refs.has(ref)) this.#refs.set(ref, resolveRef(this.#root, ref))
      const wrong = this.look(this.#refs.get(ref), value, path, hops)
      if (wrong !== undefined) return wrong
    }
    if (Array.isArray(allOf)) {
      const wrong = firstOf(allOf, (part) => this.look(part, value, path, hops))
      if (wrong !== undefined) return wrong
    }
    const isNone = [anyOf, oneOf].some(
      (branches) =>
        Array.isArray(branches) &&
        branches.every((branch) => this.look(branch, value, path, hops) !== undefined),
    )
    return isNone ? { path, why: 'must fit one of the accepted shapes' } : undefined
  }

  /** Counts the items of a list before it is iterated. */
  #list<T>(list: readonly T[]): readonly T[] {
    this.#spend(list.length)
    return list
  }

  #spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > maxSteps) throw new TooMuchWork()
  }
}

type Json = Record<string, unknown>

/** Formatted once at the end, because a path can be as long as the arguments. */
interface Wrong {
  path: string
  why: string
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
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

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

/** Objects and lists are not compared, because that is unbounded. */
function mayEqual(option: unknown, value: unknown): boolean {
  const isDeep = (item: unknown) => typeof item === 'object' && item !== null
  return option === value || (isDeep(option) && isDeep(value))
}

function outOfRange(schema: Json, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  if (typeof minimum === 'number' && value < minimum) return `must be >= ${minimum}`
  if (typeof maximum === 'number' && value > maximum) return `must be <= ${maximum}`
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
    return `must be > ${exclusiveMinimum}`
  }
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
    return `must be < ${exclusiveMaximum}`
  }
  return undefined
}

function outOfLength(
  length: number,
  least: unknown,
  most: unknown,
  unit: string,
): string | undefined {
  if (typeof least === 'number' && length < least) {
    return `must NOT have fewer than ${least} ${unit}`
  }
  if (typeof most === 'number' && length > most) return `must NOT have more than ${most} ${unit}`
  return undefined
}

function firstOf<T>(
  items: readonly T[],
  look: (item: T, index: number) => Wrong | undefined,
): Wrong | undefined {
  for (const [index, item] of items.entries()) {
    const wrong = look(item, index)
    if (wrong !== undefined) return wrong
  }
  return undefined
}
