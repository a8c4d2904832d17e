import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unlimited } from './accounts/account-state.ts'
import { refuseSuspended } from './identity.ts'

it('only a suspended account is refused', () => {
  assert.doesNotThrow(() => refuseSuspended({ account: unlimited }, 'trigger run'))
  assert.throws(
    () => refuseSuspended({ account: { ...unlimited, isSuspended: true } }, 'trigger run'),
    {
      code: 'account_suspended',
    },
  )
})
