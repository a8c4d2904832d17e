import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toChange } from './record.ts'

describe('what the audit keeps of a change', () => {
  it('is the fields that differ, without the time of the update', () => {
    const at = (ms: number) => ({ updated_at: new Date(ms) })
    assert.deepEqual(toChange({ a: 1, b: [1], ...at(1) }, { a: 2, b: [1], c: null, ...at(2) }), {
      before: { a: 1, c: null },
      after: { a: 2, c: null },
    })
    assert.equal(toChange({ a: 1, ...at(1) }, { a: 1, ...at(2) }), undefined)
  })

  it('is all of what was made or is gone, or nothing where nothing is told', () => {
    assert.deepEqual(toChange(undefined, { a: 1 }), { before: null, after: { a: 1 } })
    assert.deepEqual(toChange({ a: 1 }, undefined), { before: { a: 1 }, after: null })
    assert.deepEqual(toChange(undefined, undefined), { before: null, after: null })
  })

  it('hides what has the name of a secret, at any depth', () => {
    const fields = {
      token: 'a',
      nested: { password: 'b', headers: { x: 'c' }, list: [{ api_key: 'd' }] },
      max_tokens: 5,
      credentials_replaced: true,
      name: 'kept',
    }
    assert.deepEqual(toChange(undefined, fields)?.after, {
      token: '[secret]',
      nested: { password: '[secret]', headers: '[secret]', list: [{ api_key: '[secret]' }] },
      max_tokens: 5,
      credentials_replaced: true,
      name: 'kept',
    })
  })

  it('is cut: texts, lists, depth and the whole', () => {
    const after = toChange(undefined, {
      text: `${'x'.repeat(499)}😀${'y'.repeat(100)}`,
      list: Array.from({ length: 60 }, (_, number) => number),
    })?.after as { text: string; list: unknown[] }
    assert.equal(after.text, `${'x'.repeat(499)}… (cut, 601 characters)`)
    assert.equal(after.list.length, 51)
    assert.equal(after.list.at(-1), '… (10 more)')
    let deep: unknown = 'end'
    for (let depth = 0; depth < 20; depth++) deep = { deep }
    assert.match(JSON.stringify(toChange(undefined, { deep })), /nested deeper/)
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, number) => [`field${number}`, 'z'.repeat(400)]),
    )
    const whole = toChange(undefined, many)?.after
    assert.ok(JSON.stringify(whole).length < 2_000)
    assert.equal(whole?.['cut'], 'More than 8192 bytes')
  })
})
