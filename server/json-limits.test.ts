import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findInexact } from './json-limits.ts'

void test('finds the number that JavaScript would make another one of', () => {
  for (const [text, found] of [
    ['{"a":[1,12345678901234567890]}', '12345678901234567890'],
    ['{"a":"\\\\","b":-9007199254740993}', '-9007199254740993'],
    ['[-1e400]', '-1e400'],
    ['[1E+999]', '1E+999'],
    ['{"12345678901234567890":"1e400 12345678901234567890"}', undefined],
    ['"\\"12345678901234567890"', undefined],
    ['[9007199254740991,0.12345678901234567,1e20,1e-400]', undefined],
    ['not JSON', undefined],
  ] as const) {
    assert.equal(findInexact(text), found, text)
  }
})

void test('looks once at each letter, also of what is no JSON', () => {
  assert.equal(findInexact(`1234567890123456 "${'\\"'.repeat(500_000)}`), undefined)
})
