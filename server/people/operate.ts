import { randomBytes } from 'node:crypto'
import { lockAccount } from '../accounts/bounds.ts'
import { bySystem, type AuditedChange } from '../audit/record.ts'
import type { SystemWord } from '../audit/words.ts'
import type { Database, Transaction } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import { recordOperated } from '../operator/change.ts'
import type { Role } from '../identity.ts'
import { changeAccess } from './change-access.ts'
import { allowAttempts } from './check-password.ts'
import { normalizeEmail } from '../email-text.ts'
import * as links from './link-store.ts'
import { hashToken, makeToken } from '../accounts/credentials.ts'
import { hashPassword } from './password.ts'
import * as sessions from './session-store.ts'
import { linkTo, makeSetupLink } from './setup.ts'
import * as users from './user-store.ts'

/**
 * What an operator can do for users directly on the database, even if no one can sign in any more.
 * The last admin can be removed this way, because the operator can create another.
 */
export interface Operated {
  database: Database
  /** Undefined for the first account. */
  accountId: string | undefined
  /** Base URL of links. */
  publicUrl: string
}

export function listPeople(operated: Operated): Promise<users.Member[]> {
  return inAccount(operated, (transaction, accountId) =>
    users.listMembers(transaction, accountId, 1_000, undefined),
  )
}

/** The setup link for the first admin; none once there are users. */
export function renewSetupLinkAsOperator(operated: Operated): Promise<string | undefined> {
  return inAccount(operated, (transaction, accountId) =>
    makeSetupLink(transaction, operated.publicUrl, accountId),
  )
}

/** Returns the one-time link. */
export function inviteAsOperator(operated: Operated, address: string, role: Role): Promise<string> {
  return inAccount(operated, async (transaction, accountId) => {
    const token = makeToken()
    const id = newId('inv')
    await audit(transaction, accountId, 'invitation.created', { objectId: id, after: { role } })
    await links.insertInvitation(transaction, accountId, {
      id,
      email: normalizeEmail(address),
      role,
      invited_by: null,
      tokenHash: hashToken(token),
    })
    return linkTo(operated.publicUrl, '/accept-invitation', token)
  })
}

export function setRoleAsOperator(operated: Operated, email: string, role: Role): Promise<void> {
  return inAccount(operated, async (transaction, accountId) => {
    const user = await findPerson(transaction, email)
    if ((await users.findMember(transaction, accountId, user.id)) === undefined) {
      const why = `${email} is not in account ${accountId}, muster users invite adds people`
      throw new DomainError('not_found', why)
    }
    const ended = await changeAccess(transaction, accountId, user, role)
    const before = ended.invitations === undefined ? {} : { before: ended }
    const change = { objectId: user.id, ...before, after: { role } }
    await audit(transaction, accountId, 'user.updated', change)
  })
}

export function removeAsOperator(operated: Operated, email: string): Promise<void> {
  return inAccount(operated, async (transaction, accountId) => {
    const user = await findPerson(transaction, email)
    if ((await users.findMember(transaction, accountId, user.id)) === undefined) {
      throw noUser(email)
    }
    const ended = await changeAccess(transaction, accountId, user, null)
    const before = { email: user.email, ...ended }
    await audit(transaction, accountId, 'user.removed', { objectId: user.id, before })
  })
}

/** Unlinks a user from the OIDC provider, in any account; ends all their sessions. */
export function unlinkAsOperator(operated: Operated, email: string): Promise<void> {
  return inAccount(operated, async (transaction, accountId) => {
    const user = await findPerson(transaction, email)
    await users.unlinkSubject(transaction, user.id)
    await sessions.endSessions(transaction, user.id)
    const after = { changed: 'identity' }
    await audit(transaction, accountId, 'user.updated', { objectId: user.id, after })
  })
}

/** Sets a new password, which cannot be shown again; ends all sessions of the user. */
export function resetPassword(operated: Operated, email: string): Promise<string> {
  return inAccount(operated, async (transaction, accountId) => {
    const user = await findPerson(transaction, email)
    const password = randomBytes(15).toString('base64url')
    await users.changeUser(transaction, user.id, { passwordHash: await hashPassword(password) })
    await sessions.endSessions(transaction, user.id)
    await allowAttempts(transaction, user.email)
    const after = { changed: 'password' }
    await audit(transaction, accountId, 'user.updated', { objectId: user.id, after })
    return password
  })
}

async function audit(
  transaction: Transaction,
  accountId: string,
  action: SystemWord,
  change: AuditedChange,
): Promise<void> {
  await recordOperated(transaction, accountId, bySystem('operator', action), change)
}

async function inAccount<T>(
  { database, accountId }: Operated,
  work: (transaction: Transaction, accountId: string) => Promise<T>,
): Promise<T> {
  const account = accountId ?? (await users.findFirstAccount(database))
  return database.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, account))) {
      throw new DomainError('not_found', `no account ${account}, see muster accounts list`)
    }
    return work(transaction, account)
  })
}

async function findPerson(transaction: Transaction, email: string): Promise<users.User> {
  const user = await users.findUserByEmail(transaction, normalizeEmail(email))
  if (user !== undefined) return user
  throw noUser(email)
}

function noUser(email: string): DomainError {
  return new DomainError('not_found', `no user ${email}, see muster users list`)
}
