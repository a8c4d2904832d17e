import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkInput } from './check-input.ts'
import { pinTools } from '../connectors/mcp/pins.ts'

/** Checks arguments as they are checked against the schema of an MCP server. */
async function check(schema: object, input: unknown): Promise<string | undefined> {
  const inputSchema = { type: 'object', ...schema }
  const [pinned] = await pinTools([{ name: 'tool', inputSchema }])
  assert.ok(pinned !== undefined)
  return checkInput({ inputSchema: pinned.input_schema, isForeign: true }, input)
}
const checkValue = (value: object | boolean, input: unknown) =>
  check({ properties: { a: value } }, { a: input })

const tooMuch = /too many steps, send fewer or less nested ones/
const hostile = `${'a'.repeat(50)}!`

describe('arguments for an MCP server', () => {
  it('that fit are taken, others are refused with the field and the reason', async () => {
    const cases: [schema: object | boolean, good: unknown[], bad: unknown, why: string][] = [
      [{ type: 'string' }, ['', 'x'], 1, 'must be string'],
      [{ type: ['integer', 'null'] }, [1, null], 1.5, 'must be integer or null'],
      [{ type: 'string', nullable: true }, ['x', null], [], 'must be string'],
      [{ type: 'array' }, [[]], {}, 'must be array'],
      [{ type: 'object' }, [{}], [], 'must be object'],
      [{ const: 'x' }, ['x'], 'y', 'must be equal to the one accepted value'],
      [{ enum: ['x', 2] }, ['x', 2], '2', 'must be equal to one of the accepted values'],
      [{ minimum: 1, maximum: 3 }, [1, 3, 'x'], 0, 'must be >= 1'],
      [{ maximum: 3 }, [3], 4, 'must be <= 3'],
      [{ exclusiveMinimum: 1 }, [1.1], 1, 'must be > 1'],
      [{ exclusiveMaximum: 1 }, [0.9], 1, 'must be < 1'],
      [{ minLength: 2 }, ['ab', 1], '😀', 'must NOT have fewer than 2 characters'],
      [{ maxLength: 2 }, ['😀😀'], 'abc', 'must NOT have more than 2 characters'],
      [{ minItems: 1 }, [[1]], [], 'must NOT have fewer than 1 items'],
      [{ maxItems: 1 }, [[1]], [1, 2], 'must NOT have more than 1 items'],
      [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1], 3, 'must be <= 2'],
      [{ anyOf: [{ const: 1 }, false] }, [1], 2, 'must fit one of the accepted shapes'],
      [{ oneOf: [{ const: 1 }, { const: 2 }] }, [2], 3, 'must fit one of the accepted shapes'],
      [false, [], 1, 'is not accepted'],
    ]
    for (const [schema, good, bad, why] of cases) {
      for (const value of good) assert.equal(await checkValue(schema, value), undefined)
      assert.equal(await checkValue(schema, bad), `a ${why}`)
    }
  })

  it('are looked at in depth', async () => {
    const row = {
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
      additionalProperties: { type: 'string' },
    }
    const rows = (value: unknown) => checkValue({ items: row }, value)
    assert.equal(await rows([{ id: 1, note: 'x' }]), undefined)
    assert.equal(await rows([{ id: 1 }, {}]), "a.1 must have required property 'id'")
    assert.equal(await rows([{ id: 1, note: 2 }]), 'a.0.note must be string')
    assert.equal(
      await check({ properties: {}, additionalProperties: false }, { cc: 1 }),
      'the arguments must NOT have additional properties (cc)',
    )
    const $schema = 'https://json-schema.org/draft/2020-12/schema'
    const text = { type: 'string' }
    for (const tuple of [
      { $schema, properties: { a: { prefixItems: [text], items: false } } },
      { properties: { a: { items: [text], additionalItems: false } } },
    ]) {
      assert.equal(await check(tuple, { a: ['x'] }), undefined)
      assert.equal(await check(tuple, { a: [1] }), 'a.0 must be string')
      assert.equal(await check(tuple, { a: ['x', 'y'] }), 'a.1 is not accepted')
    }
  })

  it('may nest as a schema that refers to itself does', async () => {
    const tree = {
      $defs: {
        'a/b': {
          type: 'object',
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/$defs/a~1b' } },
          },
          required: ['name'],
        },
      },
      properties: { root: { $ref: '#/$defs/a~1b' }, self: { $ref: '#' } },
    }
    const leaf = { name: 'leaf' }
    const inside = (value: unknown) => ({
      root: { name: 'r', children: [{ name: 's', children: [value] }] },
    })
    assert.equal(await check(tree, inside(leaf)), undefined)
    assert.equal(
      await check(tree, { self: inside({}) }),
      "self.root.children.0.children.0 must have required property 'name'",
    )
  })

  it('never meet the regular expressions of the server, which may check them itself', async () => {
    assert.equal(await checkValue({ type: 'string', pattern: '^[0-9]+$' }, 'x'), undefined)
    assert.equal(await checkValue({ type: 'string', pattern: '^(a+)+$' }, hostile), undefined)
    const keys = { patternProperties: { '^(a+)+$': false }, additionalProperties: false }
    assert.equal(await check(keys, { [hostile]: 1 }), undefined)
    assert.equal(
      await check({ propertyNames: { pattern: '^(a+)+$' } }, { [hostile]: 1 }),
      undefined,
    )
  })

  it('are refused where checking them has no end in sight', async () => {
    const last = 40
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const chain = Array.from({ length: last }, (_, i) => {
        const next = { $ref: `#/$defs/${i + 1}` }
        return [i, { [keyword]: [next, next] }]
      })
      const $defs = { ...Object.fromEntries(chain), [last]: keyword === 'allOf' }
      assert.match((await check({ $defs, $ref: '#/$defs/0' }, {})) ?? '', tooMuch)
    }
    assert.match((await check({ allOf: [{ anyOf: [{ $ref: '#' }] }] }, {})) ?? '', tooMuch)

    const child = { properties: { c: { $ref: '#/$defs/node' } }, required: ['c'] }
    const branching = { $defs: { node: { anyOf: [child, child] } }, $ref: '#/$defs/node' }
    const deep = (levels: number): object => (levels === 0 ? {} : { c: deep(levels - 1) })
    assert.match((await check(branching, deep(3))) ?? '', /must fit one of/)
    assert.match((await check(branching, deep(90))) ?? '', tooMuch)
  })

  it('are refused where many values meet a wide schema, and taken where few do', async () => {
    const wide: [schema: object, one: unknown][] = [
      [{ enum: Array.from({ length: 5_000 }, (_, i) => i) }, 4_999],
      [{ anyOf: Array.from({ length: 2_000 }, (_, i) => ({ const: i })) }, 1_999],
      [{ required: Array.from({ length: 3_000 }, () => 'k') }, { k: 1 }],
    ]
    for (const [items, one] of wide) {
      assert.equal(await checkValue({ items }, [one, one]), undefined)
      assert.match((await checkValue({ items }, Array(3_000).fill(one))) ?? '', tooMuch)
    }
    const long = { allOf: Array.from({ length: 1_000 }, () => ({ minLength: 1 })) }
    assert.match((await checkValue(long, 'x'.repeat(30_000))) ?? '', tooMuch)
    assert.equal(await checkValue({ items: { type: 'number' } }, Array(15_000).fill(1)), undefined)
    const text = { anyOf: [{ type: 'null' }, { $ref: '#/properties/b' }] }
    const page = { properties: { a: text, b: { type: 'string', maxLength: 30_000 } } }
    assert.equal(await check(page, { a: 'x'.repeat(30_000) }), undefined)
  })
})
