import assert from 'node:assert/strict'
import { it } from 'node:test'
import { hashPassword, verifyPassword } from './password.ts'

it('a password is verified against its hash, in any Unicode form, and no other is', async () => {
  const hash = await hashPassword('Grüße aus Köln')
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal(await verifyPassword('Grüße aus Köln'.normalize('NFD'), hash), true)
  assert.equal(await verifyPassword('Grusse aus Koln', hash), false)
})

it('hashes of one password differ', async () => {
  assert.notEqual(await hashPassword('the same'), await hashPassword('the same'))
})

it('without a hash nothing is verified', async () => {
  assert.equal(await verifyPassword('', null), false)
})
