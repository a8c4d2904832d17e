import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createAccount } from '../accounts/create-account.ts'
import type { Database } from '../db/client.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { listLog } from '../operator/accounts.ts'
import { testLimits } from '../start/test-limits.ts'
import {
  inviteAsOperator,
  listPeople,
  removeAsOperator,
  resetPassword,
  setRoleAsOperator,
} from './operate.ts'
import { acceptInvitation } from './setup.ts'
import { signIn } from './sign-in.ts'
import { insertUser, putMembership } from './user-store.ts'

let stack: AsyncDisposableStack
let database: Database
const limits = testLimits()

before(async () => {
  stack = new AsyncDisposableStack()
  database = stack.use(await createTestDatabase()).open(2)
  stack.defer(() => database.destroy())
})
after(() => stack.disposeAsync())

async function makePerson(id: string, accountId: string): Promise<string> {
  const email = `${id}@example.com`
  await database.transaction().execute(async (transaction) => {
    await insertUser(transaction, { id, email, name: 'Ada', passwordHash: null })
    await putMembership(transaction, accountId, id, 'viewer')
  })
  return email
}

const actionsOf = (accountId: string) =>
  database
    .selectFrom('audit')
    .select('action')
    .where('account_id', '=', accountId)
    .where('action', 'not in', ['account.created', 'api_key.created'])
    .orderBy('id')
    .execute()

it('what an operator does for people is in the log of the operator, without addresses', async () => {
  const { id: accountId } = await createAccount(database, 'Acme')
  const operated = { database, accountId, publicUrl: 'http://127.0.0.1' }
  const email = await makePerson('usr_ada', accountId)
  await inviteAsOperator(operated, 'bob@example.com', 'member')
  await setRoleAsOperator(operated, email, 'admin')
  await resetPassword(operated, email)
  await removeAsOperator(operated, email)
  const { items } = await listLog(database, { limit: 10, after: undefined })
  const entries = items.map(({ action, object_id, before: was, after: is }) => {
    assert.equal(object_id, accountId)
    return [action, was, is]
  })
  assert.deepEqual(entries.slice(0, 3), [
    ['user.removed', { id: 'usr_ada' }, null],
    ['user.updated', null, { id: 'usr_ada', changed: 'password' }],
    ['user.updated', null, { id: 'usr_ada', role: 'admin' }],
  ])
  assert.equal(entries[3]?.[0], 'invitation.created')
  assert.equal((await actionsOf(accountId)).length, 4)
})

it('older invitations bring nobody back whom an operator has removed', async () => {
  const { id: accountId } = await createAccount(database, 'Acme')
  const operated = { database, accountId, publicUrl: 'http://127.0.0.1' }
  const email = await makePerson('usr_back', accountId)
  const link = await inviteAsOperator(operated, email, 'admin')
  await removeAsOperator(operated, email)
  const person = { token: new URL(link).hash.slice(1), name: 'Ada', password: 'correct horse' }
  const browser = { address: null, userAgent: null, requestId: null }
  await assert.rejects(acceptInvitation({ database, limits }, person, browser), {
    code: 'invalid_link',
  })
})

it('without any account says how one is made', async () => {
  await using empty = await createTestDatabase()
  await using database = empty.open(1)
  const operated = { database, accountId: undefined, publicUrl: 'http://127.0.0.1' }
  await assert.rejects(
    listPeople(operated),
    /no account yet, create one with muster accounts create/,
  )
})

it('wrong passwords from elsewhere lock nobody out, until there are very many', async () => {
  const { id: accountId } = await createAccount(database, 'Acme')
  const email = await makePerson('usr_own', accountId)
  const attempt = (password: string, address: string) =>
    signIn({ database, limits }, { email, password }, { address, userAgent: null, requestId: null })
  for (let tries = 0; tries < 10; tries++) {
    await assert.rejects(attempt('wrong', '192.0.2.9'), { code: 'invalid_credentials' })
  }
  await assert.rejects(attempt('wrong', '192.0.2.9'), { code: 'too_many_sign_ins' })
  await assert.rejects(attempt('wrong', '198.51.100.1'), { code: 'invalid_credentials' })
  // The addresses of one IPv6 subscriber are one network.
  for (let tries = 0; tries < 10; tries++) {
    await assert.rejects(attempt('wrong', `2001:db8::${tries}`), { code: 'invalid_credentials' })
  }
  await assert.rejects(attempt('wrong', '2001:db8::ff'), { code: 'too_many_sign_ins' })
  await sql`update sign_in_attempts set attempts = 100 where attempts > 20`.execute(database)
  await assert.rejects(attempt('wrong', '203.0.113.1'), { code: 'too_many_sign_ins' })
})

it('passwords are hashed a few at a time, and one network does not stop the others', async () => {
  const { id: accountId } = await createAccount(database, 'Acme')
  const email = await makePerson('usr_slow', accountId)
  const { passwordHashes } = limits
  const browserAt = (address: string) => ({ address, userAgent: null, requestId: null })
  const held = ['a', 'b'].map((network) => passwordHashes.takeNow(network, 'sign in'))
  const waiting = Array.from({ length: 20 }, () => passwordHashes.take('192.0.2.9', 'sign in'))
  const attempt = (address: string) =>
    signIn({ database, limits }, { email, password: 'x' }, browserAt(address))
  await assert.rejects(attempt('192.0.2.9'), { code: 'too_many_sign_ins' })
  const link = await inviteAsOperator(
    { database, accountId, publicUrl: 'http://x' },
    'new@example.com',
    'admin',
  )
  const person = { token: new URL(link).hash.slice(1), name: 'New', password: 'correct horse' }
  const accepting = acceptInvitation({ database, limits }, person, browserAt('192.0.2.9'))
  await assert.rejects(accepting, { code: 'too_many_sign_ins' })
  const other = attempt('198.51.100.1')
  for (const slot of held) slot[Symbol.dispose]()
  await assert.rejects(other, { code: 'invalid_credentials' })
  for (const slot of waiting) (await slot)[Symbol.dispose]()
})

it('a password that an operator has reset is good at once, whatever was tried before', async () => {
  const { id: accountId } = await createAccount(database, 'Acme')
  const email = await makePerson('usr_bob', accountId)
  const browser = { address: '192.0.2.1', userAgent: null, requestId: null }
  const attempt = (password: string) => signIn({ database, limits }, { email, password }, browser)
  for (let tries = 0; tries < 10; tries++) {
    await assert.rejects(attempt('wrong'), { code: 'invalid_credentials' })
  }
  await assert.rejects(attempt('wrong'), { code: 'too_many_sign_ins' })
  const password = await resetPassword({ database, accountId, publicUrl: 'http://x' }, email)
  assert.equal((await attempt(password)).userId, 'usr_bob')
})

it('who is not in the account cannot be taken out of it', async () => {
  const { id: accountId } = await createAccount(database, 'Acme')
  const other = await createAccount(database, 'Other')
  const email = await makePerson('usr_eve', other.id)
  const operated = { database, accountId, publicUrl: 'http://127.0.0.1' }
  await assert.rejects(removeAsOperator(operated, email), /no user usr_eve@example\.com/)
  assert.deepEqual(await actionsOf(accountId), [])
})

it('setting a role adds nobody to an account, and says what does', async () => {
  const { id: accountId } = await createAccount(database, 'Acme')
  const other = await createAccount(database, 'Other')
  const email = await makePerson('usr_kim', other.id)
  const operated = { database, accountId, publicUrl: 'http://127.0.0.1' }
  await assert.rejects(setRoleAsOperator(operated, email, 'admin'), {
    code: 'not_found',
    message: `${email} is not in account ${accountId}, muster users invite adds people`,
  })
  assert.deepEqual(await listPeople(operated), [])
  assert.deepEqual(await actionsOf(accountId), [])
  await setRoleAsOperator({ ...operated, accountId: other.id }, email, 'admin')
  assert.equal((await listPeople({ ...operated, accountId: other.id }))[0]?.role, 'admin')
})
