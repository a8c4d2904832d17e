import { compile } from 'json-schema-to-typescript'
import type { JsonSchema } from './generate-operations.ts'

/** One exported type for each schema, sorted by name. */
export async function writeTypes(schemas: Record<string, JsonSchema>): Promise<string> {
  const names = Object.keys(schemas).sort()
  const root = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/definitions/${name}` }])),
    definitions: Object.fromEntries(names.map((name) => [name, toSchema4(schemas[name])])),
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
