import { isObject } from './message.ts'

/**
 * Arguments that a server wants in headers too (`x-mcp-header`, protocol 2026-07-28); the client library sends them. A
 * tool with an invalid declaration must not be used, because a proxy could be misled by its headers. Says what is wrong;
 * undefined if nothing is.
 */
export function findBadHeader(schema: unknown): string | undefined {
  const names = new Set<string>()

  function visit(part: unknown, path: string, place: Place): string | undefined {
    if (Array.isArray(part)) return firstOf(part.map((item) => () => visit(item, path, 'other')))
    if (!isObject(part)) return undefined
    if (Object.hasOwn(part, keyword)) {
      const why =
        place === 'property' ? check(part, path) : 'only properties of the arguments can be headers'
      if (why !== undefined) return why
    }
    return firstOf(
      Object.entries(part).map(([key, item]) => () => {
        if (values.has(key)) return undefined
        if (key !== 'properties' || !isObject(item)) return visit(item, path, 'other')
        const inside = place === 'other' ? 'other' : 'property'
        const children = Object.entries(item)
        return firstOf(
          children.map(
            ([name, child]) =>
              () =>
                visit(child, `${path}/${name}`, inside),
          ),
        )
      }),
    )
  }

  function check({ type, [keyword]: name }: Record<string, unknown>, path: string) {
    if (typeof name !== 'string' || !token.test(name)) return `${path.slice(1)} names no header`
    if (!types.has(type)) return `${path.slice(1)} is no text, whole number or boolean`
    const lower = name.toLowerCase()
    if (names.has(lower)) return `two arguments name the header ${name}`
    names.add(lower)
    return undefined
  }

  return visit(schema, '', 'root')
}

/** `property`: reached from the root through `properties` alone. */
type Place = 'root' | 'property' | 'other'

const keyword = 'x-mcp-header'
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const types = new Set<unknown>(['string', 'integer', 'boolean'])
/** Keywords whose values are data. */
const values = new Set(['const', 'default', 'enum', 'examples', keyword])

function firstOf(checks: (() => string | undefined)[]): string | undefined {
  for (const one of checks) {
    const why = one()
    if (why !== undefined) return why
  }
  return undefined
}
