import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOf } from '../schema-form/fields.ts'
import { messageFields } from './message-fields.ts'

const text = { type: 'string' }

void test('an email has the fields of a mail program, in their order', () => {
  const properties = { extra: text, text, to: text, subject: text, cc: text }
  const fields = messageFields('email.send', fieldsOf({ properties }, {}))
  assert.deepEqual(
    fields.map(({ name, label, lines }) => [name, label, lines]),
    [
      ['to', 'To', 1],
      ['cc', 'Cc', 1],
      ['subject', 'Subject', 1],
      ['text', 'Message', 10],
      ['extra', undefined, undefined],
    ],
  )
})

void test('other actions keep the fields of their schema', () => {
  const fields = fieldsOf({ properties: { to: text } }, {})
  assert.equal(messageFields('crm.write', fields), fields)
})
