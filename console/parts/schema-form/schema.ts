/** The part of a JSON Schema that forms use. The API checks the rest. */
export interface Schema {
  type?: string | string[]
  title?: string
  description?: string
  default?: unknown
  enum?: unknown[]
  const?: unknown
  writeOnly?: boolean
  format?: string
  pattern?: string
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  $ref?: string
  anyOf?: unknown[]
  oneOf?: unknown[]
}

/** Limit of references to follow. */
const maxHops = 20

/** A schema with its references resolved and `null` as a flag. */
export function plainOf(given: unknown, root: unknown): Schema & { isNullable: boolean } {
  let schema = asSchema(given)
  let isNullable = false
  for (let hops = 0; hops < maxHops; hops++) {
    const { $ref, anyOf, oneOf, ...own } = schema
    const options = (anyOf ?? oneOf)?.map(asSchema)
    const others = options?.filter(({ type }) => type !== 'null')
    if (typeof $ref === 'string') schema = { ...asSchema(find(root, $ref)), ...own }
    else if (others?.length === 1 && options?.length === 2) {
      isNullable = true
      schema = { ...others[0], ...own }
    } else break
  }
  const { type } = schema
  if (!Array.isArray(type)) return { ...schema, isNullable }
  const types = type.filter((one) => one !== 'null')
  const { type: _, ...rest } = schema
  const [only] = types
  return {
    ...rest,
    ...(types.length === 1 && only !== undefined ? { type: only } : {}),
    isNullable: isNullable || types.length < type.length,
  }
}

function asSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

/** Only references within the document: `#/$defs/…`. */
function find(root: unknown, ref: string): unknown {
  const [start, ...keys] = ref.split('/')
  if (start !== '#') return undefined
  return keys.reduce<unknown>((at, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name)
      ? (at as Record<string, unknown>)[name]
      : undefined
  }, root)
}
