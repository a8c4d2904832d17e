import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findHit } from './hit.ts'

void test('a hit is the first word of the search in the first text that has it, with what is around it', () => {
  const long = `${'x '.repeat(60)}the Pump failed on\nMonday`
  assert.deepEqual(findHit(['nothing here', long], 'pump'), {
    before: `…${'x '.repeat(18)}the `,
    word: 'Pump',
    after: ' failed on Monday',
  })
  assert.equal(findHit(['Überholung fällig'], 'über')?.word, 'Überholung')
  assert.equal(findHit(['a pumps', null], 'ump'), undefined, 'only the beginning of a word counts')
  assert.equal(findHit(['anything'], '***'), undefined)
  assert.equal(findHit([], 'pump'), undefined)
})
