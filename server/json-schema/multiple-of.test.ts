import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isMultipleOf } from './multiple-of.ts'
import { validatorOf } from './validator.ts'

it('multiples are those of the decimals that were written', () => {
  const multiples = [
    [19.99, 0.01],
    [-19.99, 0.01],
    [0.3, 0.1],
    [1.1, 0.1],
    [4.35, 0.05],
    [1_000_000.07, 0.01],
    [12_391_239_123, 1e-8],
    [1e308, 1e-300],
    [1e-7, 1e-9],
    [0, 0.01],
    [-0, 7],
    [9, 3],
    [1e300, 7.5e299 / 3],
    [5e-324, 5e-324],
    [1_500, 100],
    [1e22, 1e20],
    [123_456_789_012_345.25, 0.25],
  ] as const
  for (const [value, step] of multiples) assert.ok(isMultipleOf(value, step), `${value} of ${step}`)
  const others = [
    [19.999, 0.01],
    [19.990_000_1, 0.01],
    [0.305, 0.1],
    [1, 0.3],
    [1e308, 0.123_456_789],
    [0.1, 1],
    [1e-9, 1e-7],
    [10, 3],
    [1_550, 100],
    [1e22, 3e20],
    [123_456_789_012_345.25, 0.5],
    [5e-324, 1e-323],
  ] as const
  for (const [value, step] of others) assert.ok(!isMultipleOf(value, step), `${value} of ${step}`)
})

it('every price in cents is a multiple of 0.01, and no price in tenths of a cent', () => {
  for (let cents = 0; cents <= 200_000; cents++) {
    assert.ok(
      isMultipleOf(
        Number(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`),
        0.01,
      ),
    )
    if (cents % 10 !== 0) assert.ok(!isMultipleOf(cents / 1_000, 0.01), String(cents / 1_000))
  }
})

it('a price is checked so, and what is wrong is said', () => {
  const price = { type: 'number', multipleOf: 0.01 }
  const schema = JSON.stringify({ type: 'object', properties: { price } })
  const validator = validatorOf(schema)
  assert.equal(validator.findProblem({ price: 19.99 }, 'answer'), undefined)
  assert.deepEqual(validator.findProblem({ price: 19.995 }, 'answer'), {
    path: 'price',
    why: 'price must be multiple of 0.01',
  })
})
