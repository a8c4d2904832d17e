import { compile } from 'json-schema-to-typescript'
import type { JsonSchema } from './generate-operations.ts'

/** One exported type for each schema, sorted by name. */
export async function writeTypes(schemas: Record<string, JsonSchema>): Promise<string> {
  const all = withVariants(schemas)
  const names = Object.keys(all).sort()
  const root = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/definitions/${name}` }])),
    definitions: Object.fromEntries(names.map((name) => [name, toSchema4(all[name])])),
    additionalProperties: false,
  }
  const text = await compile(root as Parameters<typeof compile>[0], rootName, {
    bannerComment: '',
    additionalProperties: false,
    // The service checks bounds; as tuples they would only be in the way.
    ignoreMinAndMaxItems: true,
    unknownAny: true,
    style: { semi: false, singleQuote: true, printWidth: 100 },
  })
  const rootType = new RegExp(`export interface ${rootName} \\{[^}]*\\}\\n`)
  return shortComments(withoutRemarks(text.replace(rootType, ''))).trim()
}

const rootName = 'GeneratedRoot'

/**
 * `x-variants` of an object: the field that says which variant a value is, and for each the fields that only some
 * variants have, with "?" where they are optional.
 */
interface Variants {
  name: string
  by: string
  only: Record<string, string[]>
}

/** Turns each object with variants into a named union, which TypeScript narrows by that field. */
function withVariants(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const unions: Record<string, JsonSchema> = {}
  const expand = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(expand)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, one]) => [key, expand(one)] as const)
    const { 'x-variants': variants, ...own } = Object.fromEntries(entries) as JsonSchema
    if (variants === undefined) return own
    const { name } = variants as Variants
    Object.assign(unions, unionOf(variants as Variants, own))
    const { description } = own
    const isNullable = [own.type].flat().includes('null')
    return isNullable
      ? { description, oneOf: [toComponent(name), { type: 'null' }] }
      : { description, allOf: [toComponent(name)] }
  }
  const expanded = expand(schemas) as Record<string, JsonSchema>
  return { ...expanded, ...unions }
}

function unionOf({ name, by, only }: Variants, own: JsonSchema): Record<string, JsonSchema> {
  const shared = new Set(Object.values(only).flat().map(nameOfField))
  const variants = Object.entries(only).map(([variant, given]): [string, JsonSchema] => {
    const fields = new Map(given.map((field) => [nameOfField(field), !field.endsWith('?')]))
    const properties = Object.entries(own.properties ?? {}).map(([field, schema]) => {
      if (field === by) return [field, { ...schema, enum: [variant] }]
      return [field, shared.has(field) && !fields.has(field) ? { tsType: 'never' } : schema]
    })
    const always = (own.required ?? []).filter((field) => !shared.has(field))
    const required = [...always, ...[...fields.keys()].filter((field) => fields.get(field))]
    const title = `${name}${variant.charAt(0).toUpperCase()}${variant.slice(1)}`
    const description = `A request of the kind \`${variant}\`.`
    return [
      title,
      { type: 'object', description, properties: Object.fromEntries(properties), required },
    ]
  })
  const description = `A waiting request, by its \`${by}\`.`
  const oneOf = variants.map(([title]) => toComponent(title))
  return { ...Object.fromEntries(variants), [name]: { description, oneOf } }
}

function nameOfField(field: string): string {
  return field.replace('?', '')
}

function toComponent(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** References in the compiler's form. */
function toSchema4(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toSchema4)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === '$ref'
        ? [key, String(value).replace('#/components/schemas/', '#/definitions/')]
        : [key, toSchema4(value)],
    ),
  )
}

/** Removes the compiler's remarks about a type's origin, which is always the same. */
function withoutRemarks(text: string): string {
  return text
    .replaceAll(
      /\n \*\n \* This interface was referenced by `[^`]*`'s JSON-Schema\n \* via [^\n]*/g,
      '',
    )
    .replaceAll(/\/\*\*\n \* This interface was referenced by [^\n]*\n \* via [^\n]*\n \*\/\n/g, '')
}

/** Puts one-line comments on one line, and an empty line between types. */
function shortComments(text: string): string {
  return text
    .replaceAll(/\n *\* @(?:min|max)Items \d+(?=\n)/g, '')
    .replaceAll(/\n *\*(?=\n *\*\/)/g, '')
    .replaceAll(/\/\*\*\n *\* ([^\n]*)\n *\*\//g, '/** $1 */')
    .replaceAll(/\n\}\n(?=\/\*\*|export)/g, '\n}\n\n')
}
