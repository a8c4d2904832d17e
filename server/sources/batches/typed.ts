import { findInexact } from '../../exact-json.ts'
import type { JsonSchema } from '../../json-schema/check-schema.ts'
import type { ItemsPart } from './packed-items.ts'
import type { BatchItemInput } from './schema.ts'

export interface InexactNumber {
  /** Position of the item, and its field. */
  place: number
  name: string
  number: string
}

/**
 * Converts the texts of a CSV to the types of the schema. An empty cell of an optional field is left out. A number that
 * JavaScript would round is handed to `refuse`, which throws.
 */
export function typed(
  { place: first, items }: ItemsPart,
  schema: JsonSchema,
  refuse: (inexact: InexactNumber) => never,
): BatchItemInput[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  const types = new Map(Object.entries(properties).map(([name, one]) => [name, typesOf(one)]))
  const isRequired = new Set(required)
  return items.map((item, at) => {
    const data = Object.entries(item.data ?? {}).flatMap(([name, text]) => {
      const allowed = types.get(name) ?? []
      if (text === '' && types.has(name) && !isRequired.has(name)) return []
      const inexact = (number: string): never => refuse({ place: first + at, name, number })
      return [[name, toType(String(text), allowed, inexact)] as const]
    })
    return { ...item, data: Object.fromEntries(data) }
  })
}

/** The types that a property allows, also as alternatives: `["number", "null"]`, or `anyOf` of both. */
function typesOf(property: unknown): string[] {
  if (typeof property !== 'object' || property === null) return []
  const { type, anyOf, oneOf } = property as Record<string, unknown>
  const alternatives = [anyOf, oneOf].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]).flatMap(typesOf) : [],
  )
  return [type, ...alternatives].flat().filter((one) => typeof one === 'string')
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

function toType(text: string, types: string[], inexact: (number: string) => never): unknown {
  // A text is a text, whatever else may stand there.
  if (types.includes('string')) return text
  const trimmed = text.trim()
  const takesNumber = types.includes('number') || types.includes('integer')
  if (takesNumber && decimal.test(trimmed)) {
    if (findInexact(trimmed) !== undefined) inexact(trimmed.slice(0, 100))
    return Number(trimmed)
  }
  if (types.includes('boolean') && /^(?:true|false)$/i.test(trimmed)) {
    return trimmed.toLowerCase() === 'true'
  }
  return trimmed === '' && types.includes('null') ? null : text
}
