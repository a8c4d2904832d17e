import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unlimited } from './accounts/account-state.ts'
import { allows, keyRoles, refuseSuspended, roles } from './identity.ts'

it('only a suspended account is refused', () => {
  assert.doesNotThrow(() => refuseSuspended({ account: unlimited }, 'trigger run'))
  assert.throws(
    () => refuseSuspended({ account: { ...unlimited, isSuspended: true } }, 'trigger run'),
    {
      code: 'account_suspended',
    },
  )
})

it('a role includes those before it; a worker and an operator are apart', () => {
  const allowed = (role: Parameters<typeof allows>[0]) => roles.filter((one) => allows(role, one))
  assert.deepEqual(allowed('viewer'), ['viewer'])
  assert.deepEqual(allowed('member'), ['viewer', 'approver', 'member'])
  assert.deepEqual(allowed('admin'), [...roles])
  assert.deepEqual(allowed('worker'), [])
  assert.deepEqual(allowed('operator'), [])
  assert.equal(allows('operator', 'operator'), true)
  for (const role of keyRoles) {
    assert.equal(allows(role, 'operator'), false)
    assert.equal(allows(role, 'anyone'), true)
  }
})
