/**
 * The arguments of an action as fields of a form, by the action's JSON Schema, and back. What is typed
 * is text until it is sent; a number stays a number, and what has no simple field is JSON.
 */
type FieldKind = 'text' | 'lines' | 'number' | 'integer' | 'boolean' | 'choice' | 'json'

export interface ArgumentField {
  name: string
  kind: FieldKind
  isRequired: boolean
  description?: string
  choices?: readonly (string | number)[]
}

export type Arguments = Record<string, unknown>
/** What stands in the fields, by name; a field that is left out has no entry. */
export type Typed = Record<string, string>

interface Schema {
  type?: string | string[]
  description?: string
  enum?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

/** Those of the schema in its order, then those that the agent added. */
export function fieldsOf(schema: unknown, value: Arguments): ArgumentField[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema
  const names = [...new Set([...Object.keys(properties), ...Object.keys(value)])]
  return names.map((name) => {
    const property = properties[name]
    const kind = property === undefined ? kindOfValue(value[name]) : kindOf(property, value[name])
    return {
      name,
      kind,
      isRequired: required.includes(name),
      ...(property?.description === undefined ? {} : { description: property.description }),
      ...(kind === 'choice' ? { choices: property?.enum as (string | number)[] } : {}),
    }
  })
}

function kindOf(schema: Schema, value: unknown): FieldKind {
  const { type, items } = schema
  if (schema.enum?.every((item) => typeof item === 'string' || typeof item === 'number') === true) {
    return (schema.enum as unknown[]).includes(value) || value === undefined
      ? 'choice'
      : kindOfValue(value)
  }
  const isList = type === 'array' && items?.type === 'string'
  if (isList && (value === undefined || isLines(value))) return 'lines'
  if (type === 'string' || type === 'number' || type === 'integer' || type === 'boolean') {
    const kind = type === 'string' ? 'text' : type
    // A value of another type is shown as what it is.
    return value === undefined || fits(kind, value) ? kind : 'json'
  }
  return 'json'
}

function kindOfValue(value: unknown): FieldKind {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as FieldKind
  return 'json'
}

function fits(kind: FieldKind, value: unknown): boolean {
  return kind === 'text'
    ? typeof value === 'string'
    : typeof value === (kind === 'integer' ? 'number' : kind)
}

/** A list of lines that a field of one line each gives back unchanged. */
function isLines(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === 'string' && item !== '' && !item.includes('\n'))
  )
}

export function typedOf(fields: readonly ArgumentField[], value: Arguments): Typed {
  return Object.fromEntries(
    fields
      .filter(({ name }) => Object.hasOwn(value, name))
      .map(({ name, kind }) => [name, textOf(kind, value[name])]),
  )
}

function textOf(kind: FieldKind, value: unknown): string {
  if (kind === 'text') return value as string
  if (kind === 'lines') return (value as string[]).join('\n')
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value)
}

export type Parsed = { value: Arguments } | { problems: Record<string, string> }

/** The arguments that were typed, or what is wrong with which field. */
export function parseTyped(fields: readonly ArgumentField[], typed: Typed): Parsed {
  const value: Arguments = {}
  const problems: Record<string, string> = {}
  for (const field of fields) {
    const text = typed[field.name]
    if (text === undefined || (text === '' && field.kind !== 'text')) {
      if (field.isRequired) problems[field.name] = 'This is required'
      continue
    }
    const parsed = parseField(field, text)
    if ('problem' in parsed) problems[field.name] = parsed.problem
    else value[field.name] = parsed.value
  }
  return Object.keys(problems).length > 0 ? { problems } : { value }
}

function parseField(
  { kind, choices }: ArgumentField,
  text: string,
): { value: unknown } | { problem: string } {
  if (kind === 'text') return { value: text }
  if (kind === 'lines') return { value: text.split('\n').filter((line) => line !== '') }
  if (kind === 'choice')
    return { value: choices?.find((choice) => String(choice) === text) ?? text }
  if (kind === 'boolean') return { value: text === 'true' }
  const value = readJson(text.trim())
  if (kind === 'json') {
    return value === undefined ? { problem: 'This is not JSON' } : { value }
  }
  if (typeof value !== 'number') return { problem: 'Expected a number, such as 12.5' }
  if (kind === 'integer' && !Number.isInteger(value)) return { problem: 'Expected a whole number' }
  // What a double cannot hold would be sent as another number.
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    return { problem: 'This number is too large to be sent exactly' }
  }
  return { value }
}

/** Undefined for what is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
