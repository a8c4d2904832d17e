import fc from 'fast-check'
import { resolve, type Document, type Schema } from './document.ts'

/** Valid values of a schema, values at its limits and one beyond, and unexpected values. */

/** Values for fields that refer to something; `undefined` if only the schema matters. */
export type Known = (name: string) => fc.Arbitrary<unknown> | undefined

/** Numbers that JSON can express and JavaScript cannot; see `toJson`. */
const written = ['1e999', '-1e999', '-0', '1E400', '0.1e-400', '123456789012345678901234567890']
const mark = (text: string): string => `#number ${text}#`

/** JSON text of a value in which marked strings stand for numbers. */
export function toJson(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(/"#number ([^#]+)#"/g, '$1')
}

const texts = [
  '',
  ' ',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\u202eesrever\u202c',
  '\u200b\u200d\ufeff',
  'e\u0301\u0302\u0303'.repeat(30),
  '👩‍👩‍👧‍👦'.repeat(20),
  "'; drop table runs; --",
  "' or 1=1 --",
  '%s %n %x {{7*7}} ${7*7} <%= 7*7 %>',
  '<script>alert(1)</script>',
  '\r\nSet-Cookie: a=b',
  '../../../../etc/passwd',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '2026-13-45T99:99:99Z',
  'javascript:alert(1)',
  'https://127.0.0.1:9/\u0000',
  'http://169.254.169.254/',
  '\\',
  '"',
  '\u2028\u2029',
] as const

/** Deeply nested, but within the stack of this test's JSON.stringify. */
function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...texts) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(100_000), 'é\u202e'.repeat(50_000)) },
)

export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: hostileText },
  {
    weight: 4,
    arbitrary: fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, [], {}, [
      [],
    ]),
  },
  { weight: 2, arbitrary: fc.constantFrom(...written.map(mark)) },
  { weight: 1, arbitrary: fc.constantFrom(nested(40), nested(1_000)) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)

/**
 * Values of a schema. With `slack` 1, lengths and numbers may exceed their limits by one, so that
 * about half of the values are rejected.
 */
export function valueOf(
  document: Document,
  root: Schema,
  known: Known,
  slack: 0 | 1 = 0,
): fc.Arbitrary<unknown> {
  const of = (schema: Schema, name = ''): fc.Arbitrary<unknown> => {
    const found = known(name)
    if (found !== undefined) return found
    const { anyOf, enum: words, type, ...rest } = resolve(document, schema)
    if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => of(one)))
    if (words !== undefined) return fc.constantFrom(...words)
    const kinds = [type ?? 'null'].flat().map((kind) => ofKind(kind, rest))
    return fc.oneof(...kinds)
  }

  function ofKind(kind: string, schema: Schema): fc.Arbitrary<unknown> {
    switch (kind) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'integer':
      case 'number':
        return numberOf(schema, kind === 'integer')
      case 'string':
        return textFor(schema)
      case 'array':
        return listOf(schema)
      default:
        return objectOf(schema)
    }
  }

  function numberOf({ minimum, exclusiveMinimum, maximum }: Schema, isWhole: boolean) {
    const least = minimum ?? exclusiveMinimum ?? -1_000
    const most = maximum ?? 1_000
    const edges = [least, most, least - slack, most + slack, (least + most) / 2 + slack / 3]
    return slack === 1
      ? fc.constantFrom<number>(...edges)
      : isWhole
        ? fc.integer({ min: least, max: most })
        : fc.double({ min: least + 1e-6, max: most, noNaN: true })
  }

  function textFor({ minLength = 0, maxLength = 40, pattern }: Schema): fc.Arbitrary<string> {
    if (slack === 1) {
      const lengths = [minLength - 1, minLength, maxLength, maxLength + 1]
      return fc.constantFrom(...lengths.map((length) => 'é'.repeat(Math.max(0, length))))
    }
    if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
    const size = { minLength, maxLength: Math.min(maxLength, minLength + 40) }
    return fc.string({ unit: 'grapheme-ascii', ...size })
  }

  function listOf(schema: Schema): fc.Arbitrary<unknown[]> {
    const { items = {}, minItems = 0, maxItems = 5 } = schema
    const [least, most] = [Math.max(0, minItems - slack), maxItems + slack]
    const size = { minLength: least, maxLength: slack === 1 ? most : Math.min(most, least + 3) }
    return fc.array(of(items), size)
  }

  function objectOf(schema: Schema): fc.Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema
    if (typeof additionalProperties === 'object') {
      const names = propertyNames === undefined ? fc.string({ maxLength: 20 }) : of(propertyNames)
      return fc.dictionary(names as fc.Arbitrary<string>, of(additionalProperties), { maxKeys: 4 })
    }
    const fields = Object.fromEntries(
      Object.entries(properties).map(([key, field]) => [key, of(field, key)]),
    )
    return fc.record(fields, { requiredKeys: required, noNullPrototype: true })
  }

  return of(root)
}

/** A value of the schema, sometimes mutated. */
export function bodyOf(
  document: Document,
  schema: Schema,
  known: Known,
): fc.Arbitrary<{ text: string }> {
  const value = valueOf(document, schema, known)
  return fc.oneof(
    { weight: 4, arbitrary: value.map(toBody) },
    { weight: 3, arbitrary: valueOf(document, schema, () => undefined, 1).map(toBody) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(value, fc.array(mutation, { minLength: 1, maxLength: 3 }))
        .map(([start, steps]) => toBody(steps.reduce(mutate, start))),
    },
    { weight: 1, arbitrary: rawBody },
  )
}

const toBody = (value: unknown): { text: string } => ({ text: toJson(value) })

const rawBody: fc.Arbitrary<{ text: string }> = fc
  .oneof(
    hostile.map(toJson),
    fc.constantFrom(
      '',
      ' ',
      '{',
      '[',
      '{"a":1,"a":2}',
      '{"__proto__":{"admin":true}}',
      '{"constructor":{"prototype":{"admin":true}}}',
      '\ufeff{"name":"bom"}',
      '{"name":1e999}',
      '{"name":"\\ud800"}',
      '{"name":"\\u0000"}',
      "{'name':1}",
      '{"name":"x",}',
      '[1,2',
      '"'.repeat(1_000),
    ),
  )
  .map((text) => ({ text }))

interface Mutation {
  where: number
  what: 'replace' | 'remove' | 'add' | 'repeat'
  key: string
  value: unknown
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  where: fc.nat(1_000),
  what: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
  key: fc.oneof(
    fc.constantFrom(
      'id',
      'account_id',
      'Name',
      'system_prompt',
      'role',
      '__proto__',
      'toString',
      '',
    ),
    hostileText,
  ),
  value: hostile,
})

/** A copy with one change. */
function mutate(value: unknown, step: Mutation): unknown {
  const places = placesIn(value)
  const target = places[step.where % places.length]
  return target === undefined ? step.value : change(value, target)

  function change(here: unknown, path: readonly string[]): unknown {
    const [key, ...rest] = path
    if (key === undefined) return changed(here)
    if (Array.isArray(here)) {
      return here.flatMap((item: unknown, index) => {
        if (String(index) !== key) return [item]
        return rest.length === 0 && step.what === 'remove' ? [] : [change(item, rest)]
      })
    }
    const entries = Object.entries(here as object)
    return Object.fromEntries(
      entries.flatMap(([name, item]) => {
        if (name !== key) return [[name, item] as const]
        return rest.length === 0 && step.what === 'remove' ? [] : [[name, change(item, rest)]]
      }),
    )
  }

  function changed(here: unknown): unknown {
    if (step.what === 'repeat' && Array.isArray(here)) return Array(200).fill(here[0] ?? step.value)
    if (step.what === 'add' && Array.isArray(here)) return [...(here as unknown[]), step.value]
    if (step.what === 'add' && here !== null && typeof here === 'object') {
      return Object.fromEntries([...Object.entries(here), [step.key, step.value]])
    }
    return step.value
  }
}

function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (value === null || typeof value !== 'object') return [path]
  return [path, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, key]))]
}
