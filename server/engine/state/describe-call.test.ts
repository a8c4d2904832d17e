import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeCall } from './describe-call.ts'

it('an e-mail is told by whom it goes to and what it is about', () => {
  const input = {
    text: 'Dear Ada',
    subject: 'Your order',
    to: 'ada@example.com',
    cc: 'bo@b.example',
  }
  assert.equal(
    describeCall('email.send', input),
    'email.send (to: ada@example.com, subject: Your order, text: Dear Ada, and 1 more)',
  )
})

it('other actions are told by their first arguments, as JSON where they are no text', () => {
  assert.equal(
    describeCall('crm.refund', { customer: 'C-17', express: false, items: [1, 2] }),
    'crm.refund (customer: C-17, express: false, items: [1,2])',
  )
  assert.equal(describeCall('crm.list', {}), 'crm.list')
  assert.equal(describeCall('crm.list', null), 'crm.list')
})

it('nothing of it is hidden, spans lines or goes on without end', () => {
  const text = describeCall('a.b', { to: 'x\u200by\u202ez\n\nlater', note: '😀'.repeat(500) })
  assert.equal(text, `a.b (to: xyz later, note: ${'😀'.repeat(79)}…)`)
  const names = describeCall('a.b', { ['n'.repeat(500)]: 1 })
  assert.ok(names.length < 60)
})
