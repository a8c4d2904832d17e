import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkInput } from './check-input.ts'
import type { Action } from './contract.ts'

const inputSchema: Action['inputSchema'] = {
  type: 'object',
  properties: {
    to: { type: 'string', maxLength: 5 },
    deep: { type: 'object', properties: { list: { type: 'array', items: { type: 'number' } } } },
  },
  required: ['to'],
  additionalProperties: false,
}
const check = (input: unknown) => checkInput({ inputSchema }, input)

describe('arguments', () => {
  it('that fit are taken', () => {
    assert.equal(check({ to: 'a' }), undefined)
    assert.equal(
      check({ to: 'a\\u0000', deep: { list: [1] } }),
      'to must NOT have more than 5 characters',
    )
    assert.equal(check({ to: '\\u00' }), undefined, 'a backslash is a character as any other')
  })

  it('that do not are refused with the field and the reason', () => {
    assert.equal(check({}), "the arguments must have required property 'to'")
    assert.equal(check({ to: 1 }), 'to must be string')
    assert.equal(
      check({ to: 'a', cc: 'b' }),
      'the arguments must NOT have additional properties (cc)',
    )
    assert.equal(check({ to: 'a', deep: { list: ['x'] } }), 'deep.list.0 must be number')
    for (const wrong of [undefined, null, 1, 'x', []]) {
      assert.equal(check(wrong), 'the arguments are no JSON object')
    }
  })

  it('that nobody could store or review are refused whatever the schema says', () => {
    const open = (input: unknown) => checkInput({ inputSchema: {} }, input)
    assert.match(open({ a: ['\0'] }) ?? '', /NUL/)
    assert.match(open({ '\uD800': 1 }) ?? '', /surrogate/)
    assert.equal(open({ a: '😀' }), undefined)
    const deep: unknown = JSON.parse(`${'['.repeat(12_000)}${']'.repeat(12_000)}`)
    assert.equal(open({ deep }), 'the arguments are nested more than 100 levels deep')
    assert.match(open({ a: 'x'.repeat(32_768) }) ?? '', /at most 32768/)
  })
})
