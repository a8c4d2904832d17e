import type { JsonSchema } from './check-schema.ts'

/** For tests only: supported schemas, each with values that fit and values that do not. */
export const object = (more: object): JsonSchema => ({ type: 'object', ...more })
export const field = (schema: object): JsonSchema =>
  object({ properties: { a: schema }, required: ['a'] })

/** Every supported keyword, with values on both sides of its condition. */
const cases: [schema: object, values: unknown[]][] = [
  [{ type: 'string' }, ['', 1, null, []]],
  [{ type: ['integer', 'null'] }, [1, 1.5, null, '1', 1e20]],
  [{ enum: ['x', 1, null, { b: [1] }] }, ['x', 'y', 1, '1', null, { b: [1] }, { b: [2] }]],
  [
    {
      oneOf: [{ required: ['b'] }, { properties: { b: { type: 'string' } } }],
      patternProperties: { '^a': {} },
    },
    [{ a: 1 }, { a: 1, b: 1 }, { a: 1, b: 'x' }],
  ],
  [{ const: { b: 1, c: [2] } }, [{ c: [2], b: 1 }, { b: 1 }, null]],
  [{ minLength: 2, maxLength: 3 }, ['a', 'ab', '😀😀😀', '😀😀😀😀', 5]],
  [{ pattern: '^\\d{2}-[a-z]+$' }, ['12-ab', '12-', 'x12-ab', '12-ab\n', '١٢-ab']],
  [{ pattern: '^.$' }, ['a', '\n', '\r', '\u2028', '', '😀']],
  [{ pattern: '^\\s\\S$' }, [' a', '\u00a0a', '\ufeffa', 'ab', ' \u2003']],
  [{ pattern: '^[\\s,]+$' }, ['\u3000,', 'a', '\u180e']],
  [{ pattern: '\\u0041|\\x42' }, ['A', 'B', 'C']],
  [{ pattern: 'a|b' }, ['xbx', 'c', '']],
  [{ minimum: 1, maximum: 3 }, [0, 1, 3, 3.1, '2']],
  [{ exclusiveMinimum: 1, exclusiveMaximum: 3 }, [1, 2, 3]],
  [{ multipleOf: 0.5 }, [0, 0.5, 0.7, 3]],
  [{ items: { type: 'integer' }, minItems: 1, maxItems: 2 }, [[], [1], [1, 2], [1, 2, 3], ['a']]],
  [{ prefixItems: [{ type: 'integer' }, true], items: false }, [[1], [1, 2], [1, 2, 3], ['a'], []]],
  [{ contains: { const: 1 }, minContains: 1, maxContains: 2 }, [[], [1], [1, 1], [1, 1, 1], [2]]],
  [
    { uniqueItems: true },
    [
      [1, 2],
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [1, '1'],
      [[], []],
    ],
  ],
  [
    { properties: { b: { type: 'null' } }, additionalProperties: false },
    [{}, { b: null }, { b: 1 }, { c: 1 }],
  ],
  [{ additionalProperties: { type: 'integer' } }, [{}, { x: 1 }, { x: 'a' }]],
  [
    { patternProperties: { '^x': { type: 'integer' } }, additionalProperties: false },
    [{ x1: 1 }, { x1: 'a' }, { y: 1 }],
  ],
  [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }, { abc: 1 }]],
  [{ minProperties: 1, maxProperties: 1 }, [{}, { a: 1 }, { a: 1, b: 1 }]],
  [{ required: ['toString', 'constructor'] }, [{}, { toString: 1, constructor: 1 }]],
  [{ dependentRequired: { b: ['c'] } }, [{}, { b: 1 }, { b: 1, c: 1 }]],
  [{ dependentSchemas: { b: { required: ['c'] } } }, [{}, { b: 1 }, { b: 1, c: 1 }]],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [0, 1, 2, 3]],
  [{ anyOf: [{ type: 'string' }, { minimum: 2 }] }, ['a', 1, 2, null]],
  [{ oneOf: [{ minimum: 1 }, { maximum: 2 }] }, [0, 1, 2, 3]],
  [{ not: { type: 'string' } }, ['a', 1]],
  [
    JSON.parse('{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}') as object,
    ['a', 'ab', 1, 2],
  ],
  [{ format: 'date' }, ['2026-02-28', '2026-02-30', 'x', 1]],
  [{ format: 'date-time' }, ['2026-01-01T00:00:00Z', '2026-01-01', 'x']],
  [{ format: 'email' }, ['a@example.com', 'a', '@']],
  [{ format: 'ipv4' }, ['192.0.2.1', '256.0.0.1', '1']],
  [{ format: 'uuid' }, ['00000000-0000-4000-8000-000000000000', 'x']],
  [{ format: 'uri' }, ['https://example.com/a', 'x y']],
  [true as never, [1, null]],
  [false as never, [1, null]],
]

/** All pairs of cases, combined in each way that schemas can be combined. */
export function* combined(): Generator<[JsonSchema, unknown[]]> {
  const wrap: ((one: object, other: object) => JsonSchema)[] = [
    (one) => field(one),
    (one) =>
      object({
        properties: { a: { $ref: '#/$defs/o~1ne' } },
        required: ['a'],
        $defs: { 'o/ne': one },
      }),
    (one, other) => field({ allOf: [one, other] }),
    (one, other) => field({ anyOf: [one, other] }),
    (one, other) => field({ oneOf: [one, other] }),
    (one, other) => field({ not: { allOf: [one, other] } }),
  ]
  for (const make of wrap)
    for (const [at, [one, values]] of cases.entries()) {
      const [other, more] = cases[(at * 7 + 3) % cases.length] as (typeof cases)[number]
      yield [make(one, other), [...values, ...more].map((a) => ({ a })).concat({} as never)]
    }
}
