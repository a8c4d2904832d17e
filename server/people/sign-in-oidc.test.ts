import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import { bySystem } from '../audit/record.ts'
import type { Database } from '../db/client.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { addAdminKey } from '../operator/accounts.ts'
import { deleteAccount } from '../operator/erase.ts'
import { testLimits } from '../start/test-limits.ts'
import type { Checking } from './check-password.ts'
import { inviteAsOperator, removeAsOperator, unlinkAsOperator } from './operate.ts'
import { listSessions } from './session-store.ts'
import { acceptInvitation } from './setup.ts'
import { signIn as signInByPassword } from './sign-in.ts'
import { signInByOidc } from './sign-in-oidc.ts'
import { findUser, listMembers } from './user-store.ts'

/** Tests the ways into an account directly on the database. */
let stack: AsyncDisposableStack
let database: Database
let services: Checking
let accountId: string

before(async () => {
  stack = new AsyncDisposableStack()
  database = stack.use(await createTestDatabase()).open(2)
  stack.defer(() => database.destroy())
  services = { database, limits: testLimits() }
  accountId = (await createAccount(database, 'First')).id
})
after(() => stack.disposeAsync())

const publicUrl = 'http://127.0.0.1'
const browser = { address: null, userAgent: null, requestId: null }
const signIn = (subject: string, { email = `${subject}@example.com`, name = 'Ada' } = {}) => {
  const settings = { allowedDomains: [], defaultRole: 'viewer' as const }
  const claims = { issuer: 'https://login.example.com', subject, email, name }
  return signInByOidc(database, settings, claims, browser)
}
const invite = (email: string, role: 'viewer' | 'admin', into = accountId) =>
  inviteAsOperator({ database, accountId: into, publicUrl }, email, role)
const tokenOf = (link: string): string => new URL(link).hash.slice(1)
const roleOf = async (userId: string) =>
  (await listMembers(database, accountId, 100, undefined)).find(({ id }) => id === userId)?.role

it('who comes in through the provider stands in the audit, with their role', async () => {
  await invite('invited@example.com', 'admin')
  const invited = await signIn('invited')
  const admitted = await signIn('admitted')
  for (const [{ userId }, action, role] of [
    [invited, 'invitation.accepted', 'admin'],
    [admitted, 'user.created', 'viewer'],
  ] as const) {
    assert.equal(await roleOf(userId), role)
    const rows = await database
      .selectFrom('audit')
      .select(['action', 'after'])
      .where('account_id', '=', accountId)
      .where('actor_id', '=', userId)
      .where('action', '<>', 'session.created')
      .execute()
    assert.deepEqual(rows, [{ action, after: { user_id: userId, role } }])
    await signIn(userId === invited.userId ? 'invited' : 'admitted')
  }
})

it('a name of the provider is cut between characters, and holds none that cannot be stored', async () => {
  for (const [subject, name, kept] of [
    ['long', `${'x'.repeat(119)}😀`, 'x'.repeat(119)],
    ['nul', 'Ada\0 \u202ELovelace', 'Ada Lovelace'],
    ['blank', '\0 ', 'blank@example.com'],
  ] as const) {
    const { userId } = await signIn(subject, { name })
    assert.equal((await findUser(database, userId))?.name, kept)
  }
})

it('who is known has an address of an allowed domain, also where the provider tells none', async () => {
  const email = 'eve@elsewhere.example'
  await signIn('eve', { email })
  const settings = { allowedDomains: ['example.com'], defaultRole: undefined }
  const issuer = 'https://login.example.com'
  for (const told of [email, undefined]) {
    const claims = { issuer, subject: 'eve', email: told, name: 'Eve' }
    const again = signInByOidc(database, settings, claims, browser)
    await assert.rejects(again, { code: 'sign_in_refused' }, String(told))
  }
})

it('an invitation takes no rights from somebody who is in the account', async () => {
  await invite('ada@example.com', 'admin')
  const { userId } = await signIn('ada')
  await invite('ada@example.com', 'viewer')
  await signIn('ada')
  assert.equal(await roleOf(userId), 'admin')

  const person = { name: 'Bob', password: 'correct horse battery' }
  const asAdmin = await invite('bob@example.com', 'admin')
  const asViewer = await invite('bob@example.com', 'viewer')
  const bob = await acceptInvitation(services, { ...person, token: tokenOf(asAdmin) }, browser)
  await acceptInvitation(services, { ...person, token: tokenOf(asViewer) }, browser)
  assert.equal(await roleOf(bob.userId), 'admin')
})

it('nobody comes into an account that is being deleted, and the next one is the first', async () => {
  const audit = () => bySystem('operator', 'account.deleted')
  const next = await createAccount(database, 'Next')
  const operating = { database, action: 'delete account', audit: audit() }
  await deleteAccount(operating, accountId)
  await assert.rejects(addAdminKey({ ...operating, audit: audit() }, accountId), {
    code: 'not_found',
  })
  await assert.rejects(invite('late@example.com', 'viewer'), /no account acc_/)
  assert.equal((await signIn('late')).accountId, next.id)
})

it('what somebody else chose and opened under an address ends when the provider tells whose it is', async () => {
  const email = 'grace@example.com'
  const person = { name: 'Mallory', password: 'correct horse battery' }
  const mallorys = await createAccount(database, "Mallory's")
  const token = tokenOf(await invite(email, 'viewer', mallorys.id))
  const { userId, sessionId } = await acceptInvitation(services, { ...person, token }, browser)
  const theirs = await createAccount(database, 'Theirs')
  await invite(email, 'admin', theirs.id)
  assert.equal((await signIn('grace')).userId, userId)
  const byPassword = signInByPassword(services, { email, password: person.password }, browser)
  await assert.rejects(byPassword, { code: 'invalid_credentials' })
  const sessions = await listSessions(database, userId)
  assert.deepEqual([sessions.length, sessions.some(({ id }) => id === sessionId)], [1, false])
  await signIn('grace')
  assert.equal((await listSessions(database, userId)).length, 2)
  const told = await database
    .selectFrom('audit')
    .select('after')
    .where('account_id', '=', mallorys.id)
    .where('action', '=', 'user.updated')
    .execute()
  assert.deepEqual(told, [{ after: { name: 'Ada', changed: 'password' } }])
})

it('the same new person comes in by three browsers at once, as one user', async () => {
  await using wide = await createTestDatabase()
  const open = wide.open(4)
  await createAccount(open, 'First')
  const settings = { allowedDomains: [], defaultRole: 'viewer' as const }
  const issuer = 'https://login.example.com'
  const came = (subject: string, email: string) =>
    Promise.all(
      [1, 2, 3].map(() =>
        signInByOidc(open, settings, { issuer, subject, email, name: 'Ada' }, browser),
      ),
    )
  const isNew = await came('three', 'three@example.com')
  assert.equal(new Set(isNew.map(({ userId }) => userId)).size, 1)
  const { id } = await createAccount(open, 'Second')
  const token = tokenOf(
    await inviteAsOperator(
      { database: open, accountId: id, publicUrl },
      'eve@example.com',
      'admin',
    ),
  )
  const person = { name: 'Eve', password: 'correct horse battery', token }
  const { userId } = await acceptInvitation({ ...services, database: open }, person, browser)
  const isKnown = await came('eve', 'eve@example.com')
  assert.deepEqual([...new Set(isKnown.map((one) => one.userId))], [userId])
  // The earlier session ended; the sessions of the three browsers stay.
  assert.equal((await listSessions(open, userId)).length, 3)
  await open.destroy()
})

it('the address and the name follow the provider, where no other user has the address', async () => {
  const { userId } = await signIn('moving', { email: 'old@example.com', name: 'Old' })
  await signIn('staying', { email: 'taken@example.com' })
  const read = async () => {
    const user = await findUser(database, userId)
    return [user?.email, user?.name]
  }
  await signIn('moving', { email: 'new@example.com', name: 'New' })
  assert.deepEqual(await read(), ['new@example.com', 'New'])
  await signIn('moving', { email: 'taken@example.com', name: ' ' })
  assert.deepEqual(await read(), ['new@example.com', 'New'])
  const told = await database
    .selectFrom('audit')
    .select(['before', 'after'])
    .where('actor_id', '=', userId)
    .where('action', '=', 'user.updated')
    .execute()
  assert.deepEqual(told, [
    {
      before: { email: 'old@example.com', name: 'Old' },
      after: { email: 'new@example.com', name: 'New' },
    },
  ])
})

it('a refusal says which it is', async () => {
  const settings = { allowedDomains: ['example.com'], defaultRole: undefined }
  const claims = { issuer: 'https://login.example.com', subject: 'refused', name: 'Eve' }
  await signIn('taken', { email: 'linked@example.com' })
  for (const [email, reason] of [
    [undefined, 'email_not_verified'],
    ['eve@elsewhere.example', 'domain_not_allowed'],
    ['eve@example.com', 'not_invited'],
    ['linked@example.com', 'other_identity'],
  ] as const) {
    const signingIn = signInByOidc(database, settings, { ...claims, email }, browser)
    await assert.rejects(signingIn, { code: 'sign_in_refused', reason })
  }
})

it('a person comes back with another identity once an admin unlinks them, or after their removal', async () => {
  const operated = { database, accountId: undefined, publicUrl }
  const email = 'moved@example.com'
  const { userId } = await signIn('moved-1', { email })
  const refused = { code: 'sign_in_refused', reason: 'other_identity' }
  await assert.rejects(signIn('moved-2', { email }), refused)
  await unlinkAsOperator(operated, email)
  assert.deepEqual(await listSessions(database, userId), [])
  assert.equal((await signIn('moved-2', { email })).userId, userId)
  await assert.rejects(signIn('moved-1', { email }), refused)
  await removeAsOperator(operated, email)
  assert.equal((await signIn('moved-3', { email })).userId, userId)

  // An invitation is then accepted with a new password, since there is no old one to prove.
  await removeAsOperator(operated, email)
  const { accountId: first } = await signIn('reader')
  const token = tokenOf(await invite(email, 'viewer', first))
  const person = { name: 'Moved', password: 'correct horse battery', token }
  assert.equal((await acceptInvitation(services, person, browser)).userId, userId)
  await signInByPassword(services, { email, password: person.password }, browser)
})

it('a link chooses no password for a person who belongs to an account', async () => {
  const email = 'kept@example.com'
  await signIn('kept', { email })
  const elsewhere = await createAccount(database, 'Elsewhere')
  const token = tokenOf(await invite(email, 'admin', elsewhere.id))
  const person = { name: 'Mallory', password: 'correct horse battery', token }
  await assert.rejects(acceptInvitation(services, person, browser), /sign in through your organ/)
  await unlinkAsOperator({ database, accountId: undefined, publicUrl }, email)
  await assert.rejects(acceptInvitation(services, person, browser), /sign in through your organ/)
})
