import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Validator as Independent } from '@cfworker/json-schema'
import fc from 'fast-check'
import { readDocument } from '../models/demo-document.ts'
import { writeObject } from '../models/demo-object.ts'
import { findSchemaProblem, type JsonSchema } from './check-schema.ts'
import { validatorOf } from './validator.ts'

const object = (more: object): JsonSchema => ({ type: 'object', ...more })
const field = (schema: object): JsonSchema => object({ properties: { a: schema }, required: ['a'] })

/** Every keyword that is supported, with values on both sides of what it asks. */
const cases: [schema: object, values: unknown[]][] = [
  [{ type: 'string' }, ['', 1, null, []]],
  [{ type: ['integer', 'null'] }, [1, 1.5, null, '1', 1e20]],
  [{ enum: ['x', 1, null, { b: [1] }] }, ['x', 'y', 1, '1', null, { b: [1] }, { b: [2] }]],
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

/** Two of the cases together, in each of the ways in which schemas are put together. */
function* combined(): Generator<[JsonSchema, unknown[]]> {
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

describe('a schema of a user', () => {
  it('takes what an independent validator takes, and nothing else', () => {
    const seen = { schemas: 0, fits: 0, wrong: 0 }
    for (const [schema, values] of combined()) {
      assert.equal(findSchemaProblem(schema), undefined, JSON.stringify(schema))
      const independent = new Independent(schema, '2020-12')
      const validator = validatorOf(JSON.stringify(schema))
      seen.schemas += 1
      for (const value of values) {
        const problem = validator.findProblem(value, 'the answer')
        const { valid } = independent.validate(value)
        assert.equal(
          problem === undefined,
          valid,
          `${JSON.stringify([schema, value])}: ${problem?.why}`,
        )
        seen[valid ? 'fits' : 'wrong'] += 1
      }
    }
    assert.ok(seen.schemas >= 200 && seen.fits > 500 && seen.wrong > 500, JSON.stringify(seen))
  })

  it('agrees on values that nobody thought of', () => {
    for (const [schema] of combined()) {
      const independent = new Independent(schema, '2020-12')
      const validator = validatorOf(JSON.stringify(schema))
      const property = fc.property(fc.jsonValue({ maxDepth: 3 }), (a) => {
        const isTaken = validator.findProblem({ a }, 'the answer') === undefined
        return isTaken === independent.validate({ a }).valid
      })
      fc.assert(property, { numRuns: 4, seed: 13 })
    }
  })

  const refused: [schema: JsonSchema, path: string, why: RegExp][] = [
    [{}, 'type', /must be "object"/],
    [field({ type: 'strin' }), 'properties.a.type', /is "strin", expected array, boolean/],
    [object({ propertes: {} }), 'propertes', /is not a supported keyword/],
    [object({ $defs: { b: { minimum: '1' } } }), '$defs.b.minimum', /must be a number/],
    [field({ $ref: '#' }), 'properties.a.$ref', /refers to a schema that it is part of/],
    [field({ $ref: 'https://example.com/s' }), 'properties.a.$ref', /expected #\/… within/],
    [field({ $ref: '#/$defs/none' }), 'properties.a.$ref', /expected #\/… within/],
    [field({ pattern: '(a)\\1' }), 'properties.a.pattern', /cannot be used: .*escape/],
    [field({ pattern: '(?=a)b' }), 'properties.a.pattern', /cannot be used/],
    [field({ pattern: 'x'.repeat(501) }), 'properties.a.pattern', /more than 500 characters/],
    [field({ enum: ['x'.repeat(40_000)] }), '', /has 40\d{3} bytes of JSON, at most 32768/],
    [
      object({ $schema: 'http://json-schema.org/draft-04/schema#' }),
      '$schema',
      /2020-12 or draft 7/,
    ],
    [JSON.parse('{"type":"object","properties":{"__proto__":{}}}'), 'properties', /__proto__/],
  ]
  for (const [schema, path, why] of refused)
    it(`is refused with its path: ${JSON.stringify(schema).slice(0, 60)}`, () => {
      const problem = findSchemaProblem(schema)
      assert.equal(problem?.path, path)
      assert.match(problem.why, why)
    })

  it('that unfolds to very much, nests deep or has a long chain of references is refused', () => {
    const twice = (to: string) => ({ allOf: [{ $ref: to }, { $ref: to }] })
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        at === 39 ? {} : twice(`#/$defs/d${at + 1}`),
      ]),
    )
    assert.match(
      findSchemaProblem(object({ $defs, ...twice('#/$defs/d0') }))?.why ?? '',
      /unfolded/,
    )
    const chain = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `d${at}`,
        at === 59 ? {} : { $ref: `#/$defs/d${at + 1}` },
      ]),
    )
    const chained = object({ properties: { a: { $ref: '#/$defs/d0' } }, $defs: chain })
    assert.match(findSchemaProblem(chained)?.why ?? '', /behind more than 50/)
    let deep: object = {}
    for (let at = 0; at < 60; at += 1) deep = { items: { not: deep } }
    assert.match(findSchemaProblem(field(deep))?.why ?? '', /more than 100 levels/)
  })

  it('never takes long, whatever schema and value are', () => {
    const rules = Array.from({ length: 400 }, () => ({ minLength: 1 }))
    const hostile: [JsonSchema, unknown][] = [
      [field({ pattern: '^(a+)+$' }), { a: `${'a'.repeat(100_000)}b` }],
      [field({ items: { allOf: rules } }), { a: Array(60_000).fill('a') }],
      [field({ uniqueItems: true }), { a: Array.from({ length: 20_000 }, (_, at) => [at]) }],
      [field({ items: { type: 'string' } }), { a: Array(60_000).fill(1) }],
    ]
    for (const [schema, value] of hostile) {
      assert.equal(findSchemaProblem(schema), undefined)
      const validator = validatorOf(JSON.stringify(schema))
      const beganAt = performance.now()
      assert.notEqual(validator.findProblem(value, 'the answer'), undefined)
      assert.ok(performance.now() - beganAt < 1_000)
    }
  })

  it('is filled by the stand-in', () => {
    const task =
      'Pump 4 of acme failed. Write to ops@example.com on 2026-11-20. It cost 120.5 dollars.'
    const schema = object({
      properties: {
        title: { type: 'string', maxLength: 20 },
        kind: { enum: ['leak', 'pump'] },
        cost: { type: 'number', minimum: 100, exclusiveMaximum: 200 },
        even: { type: 'integer', multipleOf: 2, minimum: 3 },
        mail: { type: 'string', format: 'email' },
        day: { type: ['string', 'null'], format: 'date' },
        parts: { type: 'array', minItems: 2, items: { $ref: '#/$defs/part' } },
        either: { anyOf: [{ type: 'null' }, { type: 'string' }] },
      },
      required: ['title', 'kind', 'cost', 'even', 'mail', 'day', 'parts', 'either'],
      additionalProperties: false,
      $defs: {
        part: { allOf: [object({ properties: { id: { type: 'integer' } }, required: ['id'] })] },
      },
    })
    const filled = writeObject(schema, readDocument(task), task) as Record<string, unknown>
    assert.equal(validatorOf(JSON.stringify(schema)).findProblem(filled, 'it'), undefined)
    const { kind, mail, day, cost } = filled
    assert.deepEqual([kind, mail, day, cost], ['pump', 'ops@example.com', '2026-11-20', 120.5])
  })
})
