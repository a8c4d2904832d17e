import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Validator as Independent } from '@cfworker/json-schema'
import { checkedFormats } from './compile.ts'
import { findSchemaProblem, type JsonSchema } from './check-schema.ts'
import { field } from './test-schemas.ts'
import { validatorOf } from './validator.ts'

/**
 * Runs the JSON Schema Test Suite on the schemas that are supported. No package has it for draft
 * 2020-12, so the variable names a clone of github.com/json-schema-org/JSON-Schema-Test-Suite.
 */
const clone = process.env['MUSTER_TEST_JSON_SCHEMA_SUITE']
const skip = clone === undefined && 'MUSTER_TEST_JSON_SCHEMA_SUITE names no clone of the suite'

interface Group {
  description: string
  schema: unknown
  tests: { description: string; data: unknown; valid: boolean }[]
}

const read = (name: string): Group[] =>
  JSON.parse(readFileSync(join(clone ?? '', 'tests/draft2020-12', name), 'utf8')) as Group[]

/** Makes the schema one of a field, with its references changed to the new place. */
function moved(schema: unknown): JsonSchema {
  const move = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(move)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(
      Object.entries(part).map(([name, value]) => {
        if (name === 'enum' || name === 'const') return [name, value]
        const isRef = name === '$ref' && typeof value === 'string' && value.startsWith('#')
        return [name, isRef ? `#/properties/a${value.slice(1)}` : move(value)]
      }),
    )
  }
  if (typeof schema !== 'object' || schema === null) return field(schema as object)
  const { $schema: _, ...rest } = schema as JsonSchema
  return field(move(rest) as object)
}

/** Calls `see` for each value of a supported schema, and returns how many schemas are supported. */
function look(
  name: string,
  see: (at: string, taken: boolean, expected: boolean, other: () => boolean) => void,
): number {
  const groups = read(name).map((group) => ({ ...group, schema: moved(group.schema) }))
  const supported = groups.filter(({ schema }) => findSchemaProblem(schema) === undefined)
  for (const { schema, description, tests } of supported) {
    const validator = validatorOf(JSON.stringify(schema))
    const independent = new Independent(schema, '2020-12')
    for (const one of tests) {
      const value = { a: one.data }
      const isTaken = validator.findProblem(value, 'it') === undefined
      const at = `${name}: ${description}: ${one.description}`
      see(at, isTaken, one.valid, () => independent.validate(value).valid)
    }
  }
  return supported.length
}

describe('the JSON Schema Test Suite', { skip }, () => {
  it('is answered as it expects wherever its schemas are supported', (t) => {
    const files = readdirSync(join(clone ?? '', 'tests/draft2020-12'))
    const seen = { schemas: 0, values: 0 }
    // The suite takes `format` for an annotation; here it is checked.
    for (const name of files.filter((file) => file.endsWith('.json') && file !== 'format.json')) {
      seen.schemas += look(name, (at, isTaken, expected) => {
        seen.values += 1
        assert.equal(isTaken, expected, at)
      })
    }
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.schemas > 200 && seen.values > 700, JSON.stringify(seen))
  })

  it('finds no format taken that it and an independent validator both refuse', (t) => {
    let values = 0
    for (const format of checkedFormats) {
      look(join('optional/format', `${format}.json`), (at, isTaken, expected, other) => {
        values += 1
        assert.ok(!isTaken || expected || other(), at)
      })
    }
    t.diagnostic(`${values} values`)
    assert.ok(values > 300)
  })
})
