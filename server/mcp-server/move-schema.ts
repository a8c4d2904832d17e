/** Changes of users' JSON Schemas for the lists of tools. */

/** Keywords whose values are data, not schemas. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples'])
/** Keywords whose values are schemas by name, so that the names are no keywords. */
const namedSchemas = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
])

/** A schema as a part of another one: its references to itself begin with `place`, such as `#/anyOf/0`. */
export function within(schema: unknown, place: string): unknown {
  return changeKeywords(schema, (keyword, value) =>
    keyword === '$ref' && typeof value === 'string' && value.startsWith('#')
      ? place + value.slice(1)
      : value,
  )
}

/**
 * A schema without `x-mcp-header`, by which a server asks for arguments in HTTP headers too. Muster reads arguments from
 * the body alone.
 */
export function withoutHeaders(schema: unknown): unknown {
  return changeKeywords(schema, (keyword, value) =>
    keyword === 'x-mcp-header' ? undefined : value,
  )
}

type Change = (keyword: string, value: unknown) => unknown

/** The depth of users' schemas is bounded. */
function changeKeywords(schema: unknown, change: Change): unknown {
  if (Array.isArray(schema)) return schema.map((part) => changeKeywords(part, change))
  if (typeof schema !== 'object' || schema === null) return schema
  const changed = Object.entries(schema).flatMap(([keyword, given]) => {
    const value = change(keyword, given)
    if (value === undefined) return []
    if (dataKeywords.has(keyword)) return [[keyword, value] as const]
    return [
      [
        keyword,
        namedSchemas.has(keyword) ? changeNamed(value, change) : changeKeywords(value, change),
      ] as const,
    ]
  })
  return Object.fromEntries(changed)
}

function changeNamed(schemas: unknown, change: Change): unknown {
  if (typeof schemas !== 'object' || schemas === null) return schemas
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, changeKeywords(schema, change)]),
  )
}
