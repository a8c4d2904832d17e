import { plainOf, type Schema } from './schema.ts'

/**
 * Converts an object to form fields by its JSON Schema, and back (`typed.ts`): the arguments of an
 * action, the data of a run. Fields hold text until it is sent; anything without a simple field is
 * JSON.
 */
type FieldKind =
  | 'text'
  | 'date'
  | 'moment'
  | 'lines'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'json'
  | 'object'

export interface Field {
  name: string
  /** Its name for people; by default the name in the schema. */
  label?: string
  /** Lines of a text; by default as many as it seems to need. */
  lines?: number
  /** Unique among all fields of the form. */
  key: string
  /** Path by which the API names it, such as `site.city`. */
  param: string
  kind: FieldKind
  isRequired: boolean
  isNullable: boolean
  description?: string
  /** Of a choice. */
  choices?: readonly (string | number)[]
  /** What each line is. */
  item?: LineKind
  /** Of an object. */
  fields?: Field[]
  bounds?: Bounds
}

type LineKind = 'text' | 'number' | 'integer'
type Bounds = Pick<Schema, 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'format' | 'pattern'>
export type Values = Record<string, unknown>

/** Nested objects below this depth are JSON. */
const deepest = 3

/** The schema's fields in order, then additional ones of the value. */
export function fieldsOf(
  schema: unknown,
  value: Values,
  root = schema,
  path: string[] = [],
): Field[] {
  const { properties = {}, required = [] } = plainOf(schema, root)
  const names = [...new Set([...Object.keys(properties), ...Object.keys(value)])]
  return names.map((name): Field => {
    const isKnown = Object.hasOwn(properties, name)
    const own = Object.hasOwn(value, name) ? value[name] : undefined
    const at = [...path, name]
    const property = plainOf(isKnown ? properties[name] : undefined, root)
    const kind = isKnown ? kindOf(property, own, at.length) : kindOfValue(own)
    const help = property.description ?? property.title
    return {
      name,
      key: JSON.stringify(at),
      param: at.join('.'),
      kind,
      isRequired: required.includes(name),
      isNullable: property.isNullable,
      ...(help === undefined ? {} : { description: help }),
      ...(kind === 'choice' ? { choices: choicesOf(property) as (string | number)[] } : {}),
      ...(kind === 'lines' ? { item: lineKindOf(property.items, root) ?? 'text' } : {}),
      ...(kind === 'object'
        ? { fields: fieldsOf(property, (own ?? {}) as Values, root, at) }
        : { bounds: property }),
    }
  })

  function kindOf(property: Schema, value: unknown, depth: number): FieldKind {
    const { type, format } = property
    // A value of the wrong type is shown as JSON.
    const unless = (kind: FieldKind, isFitting: boolean): FieldKind =>
      value === undefined || isFitting ? kind : kindOfValue(value)
    const choices = choicesOf(property)
    if (choices !== undefined) return unless('choice', choices.includes(value))
    switch (type) {
      case 'string':
        if (format === 'date') return unless('date', /^\d{4}-\d\d-\d\d$/.test(String(value)))
        if (format === 'date-time') return unless('moment', isMoment(value))
        return unless('text', typeof value === 'string')
      case 'number':
      case 'integer':
        return unless(type, typeof value === 'number')
      case 'boolean':
        return unless('boolean', typeof value === 'boolean')
      case 'array': {
        const item = lineKindOf(property.items, root)
        return item === undefined ? 'json' : unless('lines', isLines(value, item))
      }
      case 'object':
        return property.properties !== undefined && depth < deepest
          ? unless('object', isObject(value))
          : 'json'
      default:
        return 'json'
    }
  }
}

/** All fields, including nested ones. */
export function countFields(fields: readonly Field[]): number {
  return fields.reduce((sum, { fields: inner = [] }) => sum + 1 + countFields(inner), 0)
}

/** Initial values of a form, from the schema's defaults. */
export function defaultsOf(schema: unknown, root = schema, depth = 0): Values {
  const { properties = {} } = plainOf(schema, root)
  const entries = Object.entries(properties).flatMap(([name, given]): [string, unknown][] => {
    const property = plainOf(given, root)
    if (property.default !== undefined) return [[name, property.default]]
    if (property.const !== undefined) return [[name, property.const]]
    if (property.properties === undefined || depth + 1 >= deepest) return []
    const inner = defaultsOf(property, root, depth + 1)
    return Object.keys(inner).length === 0 ? [] : [[name, inner]]
  })
  return Object.fromEntries(entries)
}

function choicesOf({ enum: options, const: only }: Schema): unknown[] | undefined {
  const choices = only === undefined ? options?.filter((one) => one !== null) : [only]
  const isSimple = choices?.every((one) => typeof one === 'string' || typeof one === 'number')
  return isSimple === true ? choices : undefined
}

function lineKindOf(items: unknown, root: unknown): LineKind | undefined {
  const { type, isNullable } = plainOf(items, root)
  if (isNullable) return undefined
  if (type === 'string') return 'text'
  return type === 'number' || type === 'integer' ? type : undefined
}

function kindOfValue(value: unknown): FieldKind {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as FieldKind
  return 'json'
}

/** Whether a field with one item per line returns the list unchanged. */
function isLines(value: unknown, kind: LineKind): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) =>
      kind === 'text'
        ? typeof item === 'string' && item !== '' && !item.includes('\n')
        : typeof item === 'number',
    )
  )
}

export function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a date-time field returns the value unchanged. */
function isMoment(value: unknown): boolean {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(time) && toMoment(time) === value
}

/** In UTC, to the second. */
export function toMoment(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
}
