import { isMultipleOf } from '../json-schema/multiple-of.ts'
import { resolveRef } from '../json-schema/resolve-ref.ts'
import { shorten, type Document } from './demo-document.ts'

/**
 * An object by a schema, as the stand-in fills it: texts are sentences of the input, numbers are those that it
 * names where they may be, and everything is as small as the schema lets it be. It does its best: a pattern
 * or a rule over several fields may ask for more than it can do.
 */
export function writeObject(schema: Schema, document: Document, task: string): unknown {
  const numbers = (task.match(/(?<![\w.-])-?\d{1,15}(?:\.\d{1,6})?(?![\w-])/g) ?? []).map(Number)
  return new Writer(schema, document, numbers, task).value(schema, '', 0)
}

type Schema = Record<string, unknown>

/** The work of a schema is bounded when it is stored, but not how much it asks for. */
const maxDepth = 60
const maxItems = 100
/** UTF-16 units of JSON, about; what a schema asks for beyond is null. */
const maxUnits = 100_000

class Writer {
  readonly #root: Schema
  readonly #document: Document
  readonly #numbers: number[]
  readonly #task: string
  #sentence = 0
  #left = maxUnits

  constructor(root: Schema, document: Document, numbers: number[], task: string) {
    this.#root = root
    this.#document = document
    this.#numbers = numbers
    this.#task = task
  }

  value(given: unknown, name: string, depth: number): unknown {
    // It stands on a line of its own, behind its indent.
    this.#left -= 2 * depth + 1
    if (typeof given !== 'object' || given === null || depth > maxDepth || this.#left < 0)
      return null
    const schema = this.#whole(given as Schema, 0)
    const options = 'const' in schema ? [schema['const']] : schema['enum']
    if (Array.isArray(options)) {
      const chosen: unknown = options.find((one) => this.#isNamed(one)) ?? options[0] ?? null
      this.#left -= JSON.stringify(chosen).length
      return chosen
    }
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return this.#list(schema, name, depth)
      case 'integer':
      case 'number':
        return this.#number(schema)
      case 'boolean':
        return false
      case 'null':
        return null
      default:
        return this.#text(schema, name)
    }
  }

  /** With what it refers to, and the first of several shapes. */
  #whole(schema: Schema, hops: number): Schema {
    const { $ref, allOf, anyOf, oneOf, ...own } = schema
    const target = typeof $ref === 'string' ? resolveRef(this.#root, $ref) : undefined
    const parts = [target, ...asList(allOf), asList(anyOf)[0], asList(oneOf)[0]]
    if (hops > maxDepth) return own
    return parts.reduce<Schema>((whole, part) => {
      if (typeof part !== 'object' || part === null) return whole
      const other = this.#whole(part as Schema, hops + 1)
      const properties = { ...(whole['properties'] as object), ...(other['properties'] as object) }
      const required = [...asList(whole['required']), ...asList(other['required'])]
      return { ...other, ...whole, properties, required }
    }, own)
  }

  #object(schema: Schema, depth: number): unknown {
    const properties = (schema['properties'] ?? {}) as Schema
    const rest = schema['additionalProperties']
    const names = new Set([...asList(schema['required']), ...Object.keys(properties)] as string[])
    const entries = [...names].map((key) => {
      this.#left -= key.length
      const schema = Object.hasOwn(properties, key) ? properties[key] : (rest ?? {})
      return [key, this.value(schema, key, depth + 1)]
    })
    return Object.fromEntries(entries)
  }

  #list(schema: Schema, name: string, depth: number): unknown {
    const first = asList(schema['prefixItems'])
    const least = Number(schema['minItems'] ?? Math.max(1, first.length))
    const most = Number(schema['maxItems'] ?? maxItems)
    const item = (at: number): unknown =>
      this.value(first[at] ?? schema['items'] ?? {}, name, depth + 1)
    return Array.from({ length: Math.min(Math.max(least, 0), most, maxItems) }, (_, at) => item(at))
  }

  #number(schema: Schema): number {
    const step = Number(schema['multipleOf'] ?? (typeOf(schema) === 'integer' ? 1 : 0))
    const least = Number(schema['minimum'] ?? -Infinity)
    const most = Number(schema['maximum'] ?? Infinity)
    const above = Number(schema['exclusiveMinimum'] ?? -Infinity)
    const below = Number(schema['exclusiveMaximum'] ?? Infinity)
    const fits = (value: number): boolean =>
      value >= least &&
      value <= most &&
      value > above &&
      value < below &&
      (step === 0 || isMultipleOf(value, step))
    const unit = step === 0 ? 0.5 : step
    const near = [least, above, most, below].filter(Number.isFinite).flatMap((bound) => {
      const first = step === 0 ? bound : Math.ceil(bound / unit) * unit
      // What binary arithmetic leaves behind, as in 3 * 0.1.
      return [first, first + unit, first - unit].map((value) => Number(value.toPrecision(15)))
    })
    return [...this.#numbers, 0, 1, ...near].find(fits) ?? 0
  }

  #text(schema: Schema, name: string): string {
    const { format, minLength, maxLength } = schema
    const formatted = typeof format === 'string' ? formats[format] : undefined
    if (formatted !== undefined) return formatted.from?.exec(this.#task)?.[0] ?? formatted.otherwise
    const { title, sentences } = this.#document
    const said = sentences[this.#sentence++ % Math.max(1, sentences.length)]?.text
    const text = /title|subject|name|label|headline/i.test(name) ? title : (said ?? title)
    const least = Math.min(Number(minLength ?? 0), this.#left)
    const written = shorten(text === '' ? '…' : text, Number(maxLength ?? 2_000)).padEnd(least, '.')
    this.#left -= written.length
    return written
  }

  #isNamed(option: unknown): boolean {
    return typeof option === 'string' && this.#task.toLowerCase().includes(option.toLowerCase())
  }
}

const formats: Record<string, { from?: RegExp; otherwise: string }> = {
  date: { from: /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])\b/, otherwise: '2026-01-01' },
  time: { otherwise: '00:00:00Z' },
  'date-time': { otherwise: '2026-01-01T00:00:00Z' },
  duration: { otherwise: 'PT0S' },
  email: { from: /[\w+-]{1,64}@[\w-]{1,63}\.[a-z]{2,10}\b/, otherwise: 'nobody@example.com' },
  hostname: { otherwise: 'example.com' },
  ipv4: { otherwise: '192.0.2.1' },
  ipv6: { otherwise: '2001:db8::1' },
  uri: { from: /https?:\/\/[\w.-]{1,100}[\w/]/, otherwise: 'https://example.com/' },
  uuid: { otherwise: '00000000-0000-4000-8000-000000000000' },
}

/** What it may be; from its other keywords where it does not say. */
function typeOf(schema: Schema): unknown {
  const [type] = asList(schema['type'] ?? [])
  if (type !== undefined) return type
  if ('properties' in schema && Object.keys(schema['properties'] as object).length > 0)
    return 'object'
  if (asList(schema['required']).length > 0) return 'object'
  if ('items' in schema || 'prefixItems' in schema) return 'array'
  const isNumber = ['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum'].some(
    (key) => key in schema,
  )
  return isNumber ? 'number' : 'string'
}

function asList(value: unknown): unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}
