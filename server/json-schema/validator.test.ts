import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Validator as Independent } from '@cfworker/json-schema'
import fc from 'fast-check'
import { findSchemaProblem, type JsonSchema } from './check-schema.ts'
import { combined, field, object } from './test-schemas.ts'
import { validatorOf } from './validator.ts'

/** Numbers past 1e21 are left out: Ajv takes none of them for a multiple. */
const anything = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => !/\de\+/.test(JSON.stringify(value)))

describe('a schema of a user', () => {
  it('takes what an independent validator takes, and nothing else, also what nobody thought of', () => {
    const seen = { schemas: 0, fits: 0, wrong: 0 }
    for (const [schema, values] of combined()) {
      assert.equal(findSchemaProblem(schema), undefined, JSON.stringify(schema))
      const independent = new Independent(schema, '2020-12')
      const validator = validatorOf(JSON.stringify(schema))
      seen.schemas += 1
      const others = fc.sample(anything, { numRuns: 4, seed: seen.schemas })
      for (const value of values.concat(others.map((a) => ({ a })))) {
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

  const refused: [schema: JsonSchema, path: string, why: RegExp][] = [
    [{}, 'type', /must be "object"/],
    [field({ type: 'strin' }), 'properties.a.type', /is "strin", expected array, boolean/],
    [object({ propertes: {} }), 'propertes', /is not a supported keyword/],
    [object({ $defs: { b: { minimum: '1' } } }), '$defs.b.minimum', /must be a number/],
    [field({ $ref: '#' }), 'properties.a.$ref', /refers to a schema that it is part of/],
    [field({ $ref: 'https://example.com/s' }), 'properties.a.$ref', /expected #\/… within/],
    [field({ $ref: '#/$defs/none' }), 'properties.a.$ref', /expected #\/… within/],
    [field({ pattern: '(a)\\1' }), 'properties.a.pattern', /cannot be used: .*escape/],
    [
      field({ pattern: '(?<n>a)\\k<n>' }),
      'properties.a.pattern',
      /cannot be used: a reference back/,
    ],
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

  it('refuses, and does not throw on, values whose keys its comparison cannot handle', () => {
    const validator = validatorOf(JSON.stringify(field({ enum: [{ b: 1 }], uniqueItems: true })))
    for (const a of [{ valueOf: 1 }, { toString: [] }, { constructor: {} }, [{ valueOf: 1 }]])
      assert.notEqual(validator.findProblem({ a }, 'the answer'), undefined)
    const twice = validatorOf(JSON.stringify(field({ uniqueItems: true })))
    const problem = twice.findProblem({ a: [{ valueOf: 1 }, { valueOf: 1 }] }, 'the answer')
    assert.match(problem?.why ?? '', /the answer has a key that cannot be compared/)
  })

  it('takes every price in cents for a multiple of 0.01, and none in tenths of a cent', () => {
    const validator = validatorOf(JSON.stringify(field({ multipleOf: 0.01 })))
    const isTaken = (a: number): boolean => validator.findProblem({ a }, 'it') === undefined
    for (let cents = 0; cents <= 20_000; cents++) {
      assert.ok(isTaken(Number((cents / 100).toFixed(2))), String(cents))
      if (cents % 10 !== 0) assert.ok(!isTaken(cents / 1_000), String(cents / 1_000))
    }
    for (const price of [1_000_000.07, 123_456_789.01]) assert.ok(isTaken(price), String(price))
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
      // CPU time of this thread, so that other load does not matter.
      const began = process.threadCpuUsage()
      assert.notEqual(validator.findProblem(value, 'the answer'), undefined)
      const { user, system } = process.threadCpuUsage(began)
      assert.ok(user + system < 1_000_000, `${user + system} µs`)
    }
  })
})
