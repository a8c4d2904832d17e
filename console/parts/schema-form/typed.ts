import { findInexact, parseAsWritten } from '../../../server/exact-json.ts'
import { countFields, isObject, toMoment, type Field, type Values } from './fields.ts'

/** The text of each field, by key; fields that are left out have none. */
export type Typed = Record<string, string>

export function typedOf(fields: readonly Field[], value: Values): Typed {
  return Object.fromEntries(
    fields.flatMap((field): [string, string][] => {
      if (!Object.hasOwn(value, field.name)) return []
      const own = value[field.name]
      if (field.fields !== undefined) return Object.entries(typedOf(field.fields, own as Values))
      return [[field.key, typedText(field, own)]]
    }),
  )
}

function typedText({ kind }: Field, value: unknown): string {
  if (kind === 'text' || kind === 'date') return value as string
  if (kind === 'moment') return toLocal(Date.parse(value as string))
  if (kind === 'lines') return (value as unknown[]).join('\n')
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value)
}

/** The format of date-time fields: in the viewer's time zone, without naming it. */
function toLocal(time: number): string {
  const offsetMs = new Date(time).getTimezoneOffset() * 60_000
  return new Date(time - offsetMs).toISOString().slice(0, 19)
}

export type Parsed = { value: Values } | { problems: Record<string, string> }

/** The object that was entered, or an error for each wrong field, by key. */
export function parseTyped(fields: readonly Field[], typed: Typed): Parsed {
  const problems: Record<string, string> = {}
  const value = parseObject(fields, typed, problems)
  return Object.keys(problems).length > 0 ? { problems } : { value }
}

function parseObject(
  fields: readonly Field[],
  typed: Typed,
  problems: Record<string, string>,
): Values {
  const entries = fields.flatMap((field): [string, unknown][] => {
    const { name, key, kind, isRequired, isNullable, fields: inner } = field
    if (inner !== undefined) {
      // An empty optional object is left out.
      if (!isRequired && !isTyped(inner, typed)) return []
      return [[name, parseObject(inner, typed, problems)]]
    }
    const text = typed[key]
    if (text === undefined || (text === '' && kind !== 'text')) {
      // An unticked checkbox is false.
      if (isRequired && kind === 'boolean') return [[name, false]]
      if (isRequired && isNullable) return [[name, null]]
      if (isRequired) problems[key] = 'This is required'
      return []
    }
    const parsed = parseField(field, text)
    if ('problem' in parsed) {
      problems[key] = parsed.problem
      return []
    }
    return [[name, parsed.value]]
  })
  return Object.fromEntries(entries)
}

function isTyped(fields: readonly Field[], typed: Typed): boolean {
  return fields.some(({ key, fields: inner }) =>
    inner === undefined ? (typed[key] ?? '') !== '' : isTyped(inner, typed),
  )
}

type Read = { value: unknown } | { problem: string }

function parseField(field: Field, text: string): Read {
  const { kind, choices, item = 'text' } = field
  switch (kind) {
    case 'text':
      return checkText(field, text)
    case 'date':
      return { value: text }
    case 'moment': {
      const time = Date.parse(text)
      return Number.isFinite(time)
        ? { value: toMoment(time) }
        : { problem: 'Expected a date and a time' }
    }
    case 'lines': {
      const lines = text.split('\n').filter((line) => line !== '')
      if (item === 'text') return { value: lines }
      const numbers = lines.map((line) => parseNumber(item, line))
      const wrong = numbers.findIndex((one) => 'problem' in one)
      const at = numbers[wrong]
      if (at !== undefined && 'problem' in at)
        return { problem: `Line ${wrong + 1}: ${at.problem.replace(/^E/, 'e')}` }
      return { value: numbers.map((one) => ('value' in one ? one.value : undefined)) }
    }
    case 'choice':
      return { value: choices?.find((choice) => String(choice) === text) ?? text }
    case 'boolean':
      return { value: text === 'true' }
    case 'number':
    case 'integer':
      return checkBounds(field, parseNumber(kind, text))
    case 'json':
    case 'object': {
      const value = readJson(text.trim())
      return value === undefined ? { problem: 'This is not JSON' } : { value }
    }
  }
}

function parseNumber(kind: 'number' | 'integer', text: string): Read {
  if (findInexact(text) !== undefined)
    return { problem: 'This number is too large to be sent exactly' }
  const value = readJson(text.trim())
  if (typeof value !== 'number') return { problem: 'Expected a number, such as 12.5' }
  if (kind === 'integer' && !Number.isInteger(value)) return { problem: 'Expected a whole number' }
  return { value }
}

function checkBounds({ bounds: { minimum, maximum } = {} }: Field, read: Read): Read {
  if ('problem' in read) return read
  const value = read.value as number
  if (minimum !== undefined && value < minimum) return { problem: `Expected ${minimum} or more` }
  if (maximum !== undefined && value > maximum) return { problem: `Expected up to ${maximum}` }
  return read
}

function checkText(
  { bounds: { minLength, maxLength, format, pattern } = {} }: Field,
  text: string,
): Read {
  // JSON Schema counts code points.
  const length = Array.from(text).length
  if (maxLength !== undefined && length > maxLength)
    return { problem: `It has ${length} characters, expected up to ${maxLength}` }
  if (minLength !== undefined && length < minLength)
    return { problem: `It has ${length} characters, expected ${minLength} or more` }
  // The pattern itself is not evaluated: a foreign one could take very long.
  const isEmail = format === 'email' || pattern?.includes('@') === true
  if (isEmail && text !== '' && !text.split(',').every((one) => /^[^@]+@[^@\s]+$/.test(one.trim())))
    return { problem: 'Enter an email address, such as ada@example.com' }
  return { value: text }
}

/** The key of the field at a path of the API, or of the field that contains it. */
export function keyAt(fields: readonly Field[], param: string): string | undefined {
  const holder = fields.find(
    (field) =>
      param === field.param ||
      param.startsWith(`${field.param}.`) ||
      param.startsWith(`${field.param}[`),
  )
  return holder?.fields === undefined ? holder?.key : keyAt(holder.fields, param)
}

/** An object with more fields is entered as JSON. */
const mostFields = 80

export function isForm(fields: readonly Field[]): boolean {
  const count = countFields(fields)
  return count > 0 && count <= mostFields
}

/** Undefined unless the text is a JSON object. */
export function readObject(text: string): Values | undefined {
  const value = readJson(text)
  return isObject(value) ? value : undefined
}

/** Undefined unless the text is JSON. */
function readJson(text: string): unknown {
  try {
    return parseAsWritten(text)
  } catch {
    return undefined
  }
}
