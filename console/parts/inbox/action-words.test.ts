import assert from 'node:assert/strict'
import { it } from 'node:test'
import { wordsOf } from './action-words.ts'

const ask = (tool: string, tool_input: Record<string, unknown>, prompt = 'clerk asks to run x') =>
  wordsOf({ kind: 'approval', role: 'clerk', tool, tool_input, prompt })

it('a request says what happens, and what tells it from others', () => {
  const mail = { to: 'ada@example.com', subject: 'Your order', text: 'Hello' }
  assert.deepEqual(ask('email.send', mail), {
    title: 'Send an email to ada@example.com',
    detail: 'Your order',
  })
  assert.deepEqual(ask('crm.refund', { customer: 'C-17', amount: 500 }), {
    title: 'Refund (crm)',
    detail: 'customer C-17 · amount 500',
  })
  assert.equal(ask('hubspot.create_contact', {}).title, 'Create contact (hubspot)')
  assert.equal(ask('crm.refund', {}, 'It is unknown whether …').detail, 'It is unknown whether …')
  assert.equal(ask('email.send', { to: 7 }).title, 'Send an email to ')
  const cost = { spent_usd: 0.47, limit_usd: 0.5, estimate_usd: 0.06, run_cost_usd: 0.47 }
  const money = { kind: 'budget', role: 'clerk', prompt: '', cost } as const
  assert.deepEqual(wordsOf(money), {
    title: 'Raise the spend limit of the run',
    detail: '$0.4700 of $0.5000 spent; the next call costs up to $0.0600',
  })
  const calls = [
    {
      id: 'pnd_1',
      call_id: 'call_1',
      kind: 'approval',
      prompt: '',
      tool: 'email.send',
      tool_input: mail,
    },
    { id: 'pnd_2', call_id: 'call_2', kind: 'input', prompt: 'Which line?' },
    { id: 'pnd_3', call_id: 'call_3', kind: 'input', prompt: 'Which town?' },
  ] as const
  assert.deepEqual(wordsOf({ kind: 'approval', role: 'clerk', prompt: '', calls: [...calls] }), {
    title: '3 requests of clerk',
    detail: 'Send an email to ada@example.com · 2 × Question from clerk',
  })
  const question = { kind: 'input', role: 'clerk', prompt: 'Which line?' } as const
  assert.deepEqual(wordsOf(question), { title: 'Question from clerk', detail: 'Which line?' })
})
