import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findInexact, parseAsWritten, parseWithTexts } from './exact-json.ts'

void test('finds the number that JavaScript would make another one of', () => {
  for (const [text, found] of [
    ['{"a":[1,12345678901234567890]}', '12345678901234567890'],
    ['{"a":"\\\\","b":-9007199254740993}', '-9007199254740993'],
    ['[-1e400]', '-1e400'],
    ['[1E+999]', '1E+999'],
    ['[8.202522731445525542e18]', '8.202522731445525542e18'],
    ['[-9007199254740993.5]', '-9007199254740993.5'],
    ['[1.5e300,9007199254740990.5e3]', '9007199254740990.5e3'],
    ['{"12345678901234567890":"1e400 12345678901234567890"}', undefined],
    ['"\\"12345678901234567890"', undefined],
    ['[9007199254740991,0.12345678901234567,1e20,1.5E+20,1e-400,10.000000000000000]', undefined],
    ['not JSON', undefined],
  ] as const) {
    assert.equal(findInexact(text), found, text)
  }
})

void test('looks once at each letter, also of what is no JSON', () => {
  assert.equal(findInexact(`1234567890123456 "${'\\"'.repeat(500_000)}`), undefined)
})

void test('keeps such numbers as they were written', () => {
  const text = '{"id":8202522731445525542,"n":[1e400,1.50,-7],"s":"8202522731445525542"}'
  assert.equal(
    JSON.stringify(parseAsWritten(text)),
    '{"id":8202522731445525542,"n":[1e400,1.5,-7],"s":"8202522731445525542"}',
  )
  assert.deepEqual(parseWithTexts(text), {
    id: '8202522731445525542',
    n: ['1e400', 1.5, -7],
    s: '8202522731445525542',
  })
})
