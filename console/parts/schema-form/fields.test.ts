import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultsOf, fieldsOf, type Field, type Values } from './fields.ts'
import { isForm, keyAt, parseTyped, typedOf } from './typed.ts'

const key = (...path: string[]) => JSON.stringify(path)
/** Typed text by the names of fields at the root. */
const typedAt = (typed: Record<string, string>) =>
  Object.fromEntries(Object.entries(typed).map(([name, text]) => [key(name), text]))
const problemsOf = (fields: Field[], typed: Record<string, string>) => {
  const parsed = parseTyped(fields, typedAt(typed))
  return 'problems' in parsed ? parsed.problems : {}
}

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
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    sizes: { type: 'array', items: { type: 'integer' } },
  },
  required: ['name', 'amount'],
}

const value: Values = {
  name: 'Ada',
  amount: 1.5,
  count: 3,
  express: false,
  kind: 'b',
  level: 2,
  tags: ['x', 'y'],
  place: { city: 'Ghent' },
  day: '2026-11-22',
  at: '2026-11-22T20:40:00Z',
  sizes: [1, -2],
}

const edit = (value: Values, typed: Record<string, string>) => {
  const fields = fieldsOf(schema, value)
  return parseTyped(fields, { ...typedOf(fields, value), ...typedAt(typed) })
}

describe('an object in a form', () => {
  it('comes back as it was, each field with its type', () => {
    assert.deepEqual(edit(value, {}), { value })
    assert.deepEqual(
      fieldsOf(schema, value).map(({ kind }) => kind),
      ['text', 'number', 'integer', 'boolean', 'choice', 'choice', 'lines', 'json'].concat(
        'date',
        'moment',
        'lines',
      ),
    )
  })

  it('keeps the type of what is typed', () => {
    const typed = { amount: ' 1e2 ', count: '-4', express: 'true', level: '1', name: '12' }
    assert.deepEqual(edit(value, { ...typed, sizes: '3\n\n4' }), {
      value: {
        ...value,
        amount: 100,
        count: -4,
        express: true,
        level: 1,
        name: '12',
        sizes: [3, 4],
      },
    })
  })

  it('says what is wrong with which field', () => {
    const typed = { amount: 'ten', count: '1.5', place: '{', name: '', sizes: '1\ntwo', at: 'x' }
    const { problems } = edit(value, typed) as { problems: Record<string, string> }
    assert.deepEqual(
      Object.keys(problems),
      ['amount', 'count', 'place', 'at', 'sizes'].map((name) => key(name)),
    )
    assert.equal(problems[key('sizes')], 'Line 2: expected a number, such as 12.5')
  })

  it('refuses a number that would be sent as another one', () => {
    for (const amount of ['9007199254740993', '1e999', '0x10', 'NaN']) {
      assert.ok('problems' in edit(value, { amount }), amount)
    }
  })

  it('leaves out what is emptied, but not what is required', () => {
    const { count: _, tags: __, place: ___, day: ____, ...rest } = value
    assert.deepEqual(edit(value, { count: '', tags: '', place: '', day: '' }), { value: rest })
    const problems = { [key('amount')]: 'This is required' }
    assert.deepEqual(edit(value, { amount: '' }), { problems })
  })

  it('shows what does not fit its schema as it is', () => {
    const odd: Values = {
      name: 5,
      amount: '7',
      tags: ['a\nb'],
      kind: 'z',
      more: [1],
      day: 'Monday',
      at: '2026-11-22T20:40:00.5+02:00',
      sizes: ['1'],
      express: null,
    }
    assert.deepEqual(edit(odd, {}), { value: odd })
    assert.deepEqual(
      fieldsOf(undefined, { a: 1, b: 'x', c: null }).map(({ kind }) => kind),
      ['number', 'text', 'json'],
    )
  })

  it('has fields of objects within it, of references, and of what may be null', () => {
    const nested = {
      type: 'object',
      $defs: {
        site: {
          type: 'object',
          properties: { city: { type: 'string' }, floor: { type: ['integer', 'null'] } },
          required: ['city', 'floor'],
        },
      },
      properties: {
        site: { $ref: '#/$defs/site' },
        other: { anyOf: [{ $ref: '#/$defs/site' }, { type: 'null' }] },
        note: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      },
      required: ['site'],
    }
    const fields = fieldsOf(nested, {})
    assert.deepEqual(
      fields.map(({ kind }) => kind),
      ['object', 'object', 'json'],
    )
    const required = { problems: { [key('site', 'city')]: 'This is required' } }
    assert.deepEqual(parseTyped(fields, {}), required)
    assert.deepEqual(parseTyped(fields, { [key('site', 'city')]: 'Ghent' }), {
      value: { site: { city: 'Ghent', floor: null } },
    })
    // An optional object that has one value must have its other required values too.
    const begun = { [key('site', 'city')]: 'Ghent', [key('other', 'floor')]: '2' }
    assert.deepEqual(Object.keys((parseTyped(fields, begun) as { problems: object }).problems), [
      key('other', 'city'),
    ])
    const known = { site: { city: 'Ghent', floor: 1, more: true } }
    const shown = fieldsOf(nested, known)
    assert.deepEqual(parseTyped(shown, typedOf(shown, known)), { value: known })
  })

  it('is bounded: deep objects and very many fields are JSON, a reference to itself ends', () => {
    const self = { type: 'object', $defs: {}, properties: { next: { $ref: '#' } } }
    const deep = fieldsOf(self, {})
    assert.equal(deep[0]?.fields?.[0]?.fields?.[0]?.kind ?? deep[0]?.fields?.[0]?.kind, 'json')
    const circle = {
      type: 'object',
      $defs: { a: { $ref: '#/$defs/a' } },
      properties: { x: { $ref: '#/$defs/a' } },
    }
    assert.equal(fieldsOf(circle, {})[0]?.kind, 'json')
    const many = Array.from({ length: 100 }, (_, at) => [`f${at}`, { type: 'string' }])
    assert.equal(isForm(fieldsOf({ properties: Object.fromEntries(many) }, {})), false)
    assert.equal(isForm(fieldsOf({ type: 'object' }, {})), false)
  })

  it('is not fooled by names: of prototypes, or with dots', () => {
    const tricky = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"a.b":{"type":"string"},"a":{"type":"object","properties":{"b":{"type":"string"}}}}}',
    ) as object
    const given = JSON.parse('{"__proto__":"p","a.b":"one","a":{"b":"two"}}') as Values
    const fields = fieldsOf(tricky, given)
    const parsed = parseTyped(fields, typedOf(fields, given))
    assert.equal(JSON.stringify(parsed), JSON.stringify({ value: given }))
    assert.equal(isForm(fieldsOf(tricky, {})), true)
  })

  it('begins with what its schema names, and knows required ticks and bounds', () => {
    const bounded = {
      type: 'object',
      properties: {
        line: { type: 'integer', default: 4, minimum: 1, maximum: 9 },
        isUrgent: { type: 'boolean' },
        code: { type: 'string', minLength: 2, maxLength: 3 },
        version: { const: 'v1' },
        site: { type: 'object', properties: { city: { type: 'string', default: 'Ghent' } } },
      },
      required: ['line', 'isUrgent'],
    }
    const begin = { line: 4, version: 'v1', site: { city: 'Ghent' } }
    assert.deepEqual(defaultsOf(bounded), begin)
    const fields = fieldsOf(bounded, begin)
    assert.deepEqual(parseTyped(fields, typedOf(fields, begin)), {
      value: { ...begin, isUrgent: false },
    })
    assert.deepEqual(problemsOf(fields, { line: '10', code: '😀😀😀😀' }), {
      [key('line')]: 'Expected up to 9',
      [key('code')]: 'It has 4 characters, expected up to 3',
    })
  })

  it('finds the field at a path that the API names', () => {
    const fields = fieldsOf(
      {
        properties: {
          tags: { type: 'array', items: { type: 'string' } },
          site: { type: 'object', properties: { city: { type: 'string' } } },
        },
      },
      {},
    )
    assert.equal(keyAt(fields, 'tags[2]'), key('tags'))
    assert.equal(keyAt(fields, 'site.city'), key('site', 'city'))
    assert.equal(keyAt(fields, 'sites'), undefined)
  })
})
