import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Me, WaitingRun } from '../../../sdk/generated.ts'
import { hindranceOf } from './who-may.ts'

const person = {} as Me
const ada = { id: 'usr_ada', role: 'approver', person } as const
const key = { id: 'key_1', role: 'admin', person: undefined } as const
const pending = (fields: Partial<WaitingRun['pending']>) =>
  ({
    approvers: { users: [], roles: ['approver', 'member', 'admin'] },
    approvals: { required: 1, given: 0, by: [] },
    ...fields,
  }) as unknown as WaitingRun['pending']
const by = [{ id: 'usr_ada', name: 'Ada', reason: null, at: '' }]

it('anybody with a role that may answer may, where nothing else is said', () => {
  assert.deepEqual(hindranceOf(pending({}), ada), {})
  assert.deepEqual(hindranceOf(pending({}), key), {})
})

it('only those may answer who are named, by themselves or by their role', () => {
  const approvers = { users: ['usr_ada'], roles: [] }
  assert.deepEqual(hindranceOf(pending({ approvers }), ada), {})
  assert.match(hindranceOf(pending({ approvers }), key).answer ?? '', /not an approver/)
})

it('who triggered the run may not approve where four eyes are demanded', () => {
  const { answer, approve } = hindranceOf(pending({ excluded: ['usr_ada'] }), ada)
  assert.equal(answer, undefined)
  assert.match(approve ?? '', /You triggered/)
})

it('of several approvals each comes from another person', () => {
  const approvals = { required: 2, given: 1, by }
  assert.match(hindranceOf(pending({ approvals }), ada).again ?? '', /You approved this/)
  assert.deepEqual(hindranceOf(pending({ approvals }), { ...ada, id: 'usr_bo' }), {})
  assert.match(hindranceOf(pending({ approvals }), key).approve ?? '', /a key does not count/)
})
