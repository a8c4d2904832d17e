import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fieldsOf, parseTyped, typedOf, type Arguments } from './arguments.ts'

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Who' },
    amount: { type: 'number' },
    count: { type: 'integer' },
    express: { type: 'boolean' },
    kind: { type: 'string', enum: ['a', 'b'] },
    level: { enum: [1, 2] },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object' },
  },
  required: ['name', 'amount'],
}

const value: Arguments = {
  name: 'Ada',
  amount: 1.5,
  count: 3,
  express: false,
  kind: 'b',
  level: 2,
  tags: ['x', 'y'],
  place: { city: 'Ghent' },
}

const edit = (value: Arguments, typed: Record<string, string>) => {
  const fields = fieldsOf(schema, value)
  return parseTyped(fields, { ...typedOf(fields, value), ...typed })
}

describe('the arguments of an action in a form', () => {
  it('come back as they were, each with its type', () => {
    assert.deepEqual(edit(value, {}), { value })
    assert.deepEqual(
      fieldsOf(schema, value).map(({ kind }) => kind),
      ['text', 'number', 'integer', 'boolean', 'choice', 'choice', 'lines', 'json'],
    )
  })

  it('keep the type of what is typed', () => {
    const typed = { amount: ' 1e2 ', count: '-4', express: 'true', level: '1', name: '12' }
    assert.deepEqual(edit(value, typed), {
      value: { ...value, amount: 100, count: -4, express: true, level: 1, name: '12' },
    })
  })

  it('say what is wrong with which field', () => {
    const typed = { amount: 'ten', count: '1.5', place: '{', name: '' }
    const { problems } = edit(value, typed) as { problems: Record<string, string> }
    assert.deepEqual(Object.keys(problems), ['amount', 'count', 'place'])
  })

  it('refuse a number that would be sent as another one', () => {
    for (const amount of ['9007199254740993', '1e999', '0x10', 'NaN']) {
      assert.ok('problems' in edit(value, { amount }), amount)
    }
  })

  it('leave out what is emptied, but not what is required', () => {
    assert.deepEqual(edit(value, { count: '', tags: '', place: '' }), {
      value: {
        name: 'Ada',
        amount: 1.5,
        express: false,
        kind: 'b',
        level: 2,
      },
    })
    assert.deepEqual(edit(value, { amount: '' }), { problems: { amount: 'This is required' } })
  })

  it('show what does not fit its schema as it is', () => {
    const odd: Arguments = { name: 5, amount: '7', tags: ['a\nb'], kind: 'z', more: [1] }
    assert.deepEqual(edit(odd, {}), { value: odd })
    assert.deepEqual(
      fieldsOf(undefined, { a: 1, b: 'x', c: null }).map(({ kind }) => kind),
      ['number', 'text', 'json'],
    )
  })
})
