import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { FromSchema } from './index.ts'

it('the type of a constant schema is that of its values', () => {
  const schema = {
    type: 'object',
    properties: {
      kind: { enum: ['leak', 'noise'] },
      cost: { type: ['number', 'null'] },
      parts: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } },
      note: { anyOf: [{ type: 'string' }, { const: false }] },
    },
    required: ['kind', 'cost'],
  } as const
  const value: FromSchema<typeof schema> = {
    kind: 'leak',
    cost: null,
    parts: [{ id: 1 }],
    note: false,
  }
  // @ts-expect-error -- not one of the list
  const wrong: FromSchema<typeof schema>['kind'] = 'pump'
  // @ts-expect-error -- cost is required
  const incomplete: FromSchema<typeof schema> = { kind: 'leak' }
  assert.deepEqual([value.parts?.[0]?.id, wrong, incomplete.note], [1, 'pump', undefined])
})
