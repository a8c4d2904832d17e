import { resolveRef } from '../json-schema/check-schema.ts'
import { wholeEnd } from '../safe-text.ts'

type Schema = Record<string, unknown>

const maxDepth = 20
/** Bound on the parts of a value, since schemas may ask for lists of lists. */
const maxParts = 2_000
const formats: Record<string, string> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  email: 'nobody@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}
/** By the name of a field or its format. */
const patterns: [RegExp, RegExp][] = [
  [/^(?:to|cc|bcc|e?mail|recipients?)$/, /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/],
  [/url|uri|link|href/, /https?:\/\/[^\s<>"')\]]*[\w/]/],
  [/channel/, /#[\w-]+/],
  [/date/, /\b\d{4}-\d\d-\d\d\b/],
]

/**
 * A value that fits a schema as far as types, enums and bounds go; a pattern may ask for more. With `isStrict`, as
 * for arguments of a tool, undefined where the text has no value for a required field: no address is invented.
 */
export function fillSchema(
  root: Schema,
  { text, sentences }: { text: string; sentences: string[] },
  isStrict = false,
): unknown {
  let next = 0
  let parts = 0
  return valueFor(root, '', 0)

  function valueFor(given: unknown, name: string, depth: number): unknown {
    if (typeof given !== 'object' || given === null) return null
    if (depth > maxDepth || ++parts > maxParts) return null
    const schema = resolve(given as Schema)
    const options = schema['const'] === undefined ? schema['enum'] : [schema['const']]
    if (Array.isArray(options)) {
      return options.find((one) => typeof one === 'string' && text.includes(one)) ?? options[0]
    }
    if (isStrict && schema['default'] !== undefined) return schema['default']
    const [type = 'properties' in schema ? 'object' : 'string'] = [schema['type']].flat()
    switch (type) {
      case 'object':
        return objectFor(schema, depth)
      case 'array': {
        const length = Math.min(Math.max(Number(schema['minItems'] ?? 1), 1), 100)
        const items = Array.from({ length }, () => valueFor(schema['items'], name, depth + 1))
        return items.includes(undefined) ? undefined : items
      }
      case 'integer':
      case 'number':
        return numberFor(schema, type === 'integer')
      case 'boolean':
        return false
      default:
        return type === 'null' ? null : stringFor(schema, name.toLowerCase())
    }
  }

  function resolve(schema: Schema, hops = 0): Schema {
    const { $ref, anyOf, oneOf } = schema
    const next = typeof $ref === 'string' ? resolveRef(root, $ref) : [anyOf ?? oneOf].flat()[0]
    const isFound = typeof next === 'object' && next !== null && hops < maxDepth
    return isFound ? resolve(next as Schema, hops + 1) : schema
  }

  function objectFor(schema: Schema, depth: number): unknown {
    const properties = (schema['properties'] ?? {}) as Schema
    const required = (schema['required'] ?? []) as string[]
    const names = new Set([...required, ...(isStrict ? [] : Object.keys(properties))])
    const entries = [...names].map((key) => [key, valueFor(properties[key] ?? {}, key, depth + 1)])
    const isMissing = entries.some(([, value]) => value === undefined)
    return isMissing ? undefined : Object.fromEntries(entries)
  }

  /** A number of the text within the bounds, else the nearest to 0. */
  function numberFor(schema: Schema, isWhole: boolean): number {
    const least = Number(schema['minimum'] ?? -Infinity)
    const most = Number(schema['maximum'] ?? Infinity)
    const said = text.match(/(?<![\w.-])\d{1,15}(?:\.\d{1,6})?(?![\w-])/g) ?? []
    const fits = (n: number): boolean => n >= least && n <= most && (!isWhole || n % 1 === 0)
    return [...said.map(Number), 0, least, most].find(fits) ?? 0
  }

  function stringFor(schema: Schema, name: string): string | undefined {
    const { format: named } = schema
    const format = typeof named === 'string' ? named : ''
    const pattern = patterns.find(([names]) => names.test(name) || names.test(format))?.[1]
    const found = pattern?.exec(text)?.[0]
    if (found !== undefined) return found
    const [title = '…'] = sentences
    const isMissing = pattern !== undefined || /(?:^|_)id$/.test(name) || title === '…'
    if (isStrict && isMissing) return undefined
    if (format in formats) return formats[format]
    const isTitle = /subject|title|name|label|query/.test(name)
    const said = isTitle ? title : (sentences[next++ % Math.max(1, sentences.length)] ?? title)
    const value = /question|prompt/.test(name) ? `What should I know about “${title}”?` : said
    const end = wholeEnd(value, Number(schema['maxLength'] ?? 2_000))
    return value.slice(0, end).padEnd(Math.min(Number(schema['minLength'] ?? 0), 2_000), '.')
  }
}
