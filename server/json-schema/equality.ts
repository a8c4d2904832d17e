import { _, type FuncKeywordDefinition } from 'ajv/dist/2020.js'

/**
 * The keywords that compare values. Ajv's own take keys such as `valueOf` and `constructor`, which a model or
 * a user may choose, for what all objects have: they throw, or find a difference where there is none.
 */
export const equality: FuncKeywordDefinition[] = [
  {
    keyword: 'const',
    error: { message: 'must be equal to constant' },
    compile: (expected: unknown) => (value: unknown) => isEqual(value, expected),
  },
  {
    keyword: 'enum',
    schemaType: 'array',
    error: {
      message: 'must be equal to one of the allowed values',
      params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
    },
    compile: (allowed: unknown[]) => (value: unknown) => allowed.some((one) => isEqual(value, one)),
  },
  {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    compile: (isAsked: boolean) => (items: unknown[]) => !isAsked || !hasRepeated(items),
  },
]

function hasRepeated(items: unknown[]): boolean {
  for (let at = 1; at < items.length; at++)
    for (let before = 0; before < at; before++) if (isEqual(items[at], items[before])) return true
  return false
}

/** Of JSON. Takes no longer than the smaller of the two is large. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object') return false
  if (one === null || other === null || Array.isArray(one) !== Array.isArray(other)) return false
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every(
    (key) =>
      Object.hasOwn(other, key) &&
      isEqual((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
  )
}
