import type { Services } from '../context.ts'
import type { Database, Transaction } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import { normalizeEmail } from '../email-text.ts'
import {
  joinAccount,
  claimUser,
  findFirstAccount,
  findUserByEmail,
  hasUsers,
  insertUser,
  isAbandonedUser,
  putMembership,
} from './user-store.ts'
import {
  findInvited,
  hasSetupLink,
  insertSetupLink,
  takeInvitation,
  takeSetupLink,
} from './link-store.ts'
import { canBeToken, hashToken, makeToken } from '../accounts/one-time-token.ts'
import { checkPassword, confirmPassword } from './check-password.ts'
import { hashPassword } from './password.ts'
import { beginSession, type Browser, type SignedIn } from './session.ts'

/**
 * One-time links: the one of the first start makes the first admin, an invitation adds somebody to an
 * account. Whoever has a link may use it, once, until it expires.
 */

/** A new set-up link, whole, which replaces the one before; none once there are users. */
export async function makeSetupLink(
  transaction: Transaction,
  publicUrl: string,
  accountId: string,
): Promise<string | undefined> {
  if (await hasUsers(transaction)) return undefined
  const token = makeToken()
  await insertSetupLink(transaction, accountId, hashToken(token))
  return linkTo(publicUrl, '/setup', token)
}

/** Of the first account. */
export function renewSetupLink({
  database,
  publicUrl,
}: Pick<Services, 'database' | 'publicUrl'>): Promise<string | undefined> {
  return database
    .transaction()
    .execute(async (transaction) =>
      makeSetupLink(transaction, publicUrl, await findFirstAccount(transaction)),
    )
}

/** The token is behind the `#`, which no browser sends to a server. */
export function linkTo(publicUrl: string, path: string, token: string): string {
  return `${new URL(path, publicUrl).href}#${token}`
}

export interface NewPerson {
  token: string
  name: string
  password: string
}

export async function enterBySetupLink(
  database: Database,
  input: NewPerson & { email: string },
  browser: Browser,
): Promise<SignedIn> {
  const tokenHash = readToken(input.token)
  // Hashing is dear, so nobody makes the service do it with a link that is none.
  if (!(await hasSetupLink(database, tokenHash))) throw invalidLink()
  const passwordHash = await hashPassword(input.password)
  return database.transaction().execute(async (transaction) => {
    const accountId = await takeSetupLink(transaction, tokenHash)
    if (accountId === undefined) throw invalidLink()
    const user = { id: newId('usr'), email: normalizeEmail(input.email), name: input.name }
    await addUser(transaction, { ...user, passwordHash })
    await putMembership(transaction, accountId, user.id, 'admin')
    return beginSession(transaction, user, browser, {
      accountId,
      action: 'user.created',
      objectId: user.id,
    })
  })
}

/**
 * Joins the account of an invitation: a new user with this name and password, or one who has the
 * address already and proves it with their password, whose name stays.
 */
export async function acceptInvitation(
  database: Database,
  input: NewPerson,
  browser: Browser,
): Promise<SignedIn> {
  const tokenHash = readToken(input.token)
  const email = await findInvited(database, tokenHash)
  if (email === undefined) throw invalidLink()
  const found = await findUserByEmail(database, email)
  const isFree = found === undefined || (await isAbandonedUser(database, found.id))
  const existing = isFree ? undefined : found
  const refusal = {
    action: 'accept invitation',
    why:
      existing?.passwordHash === null
        ? 'the email address has a user without a password: sign in through your organisation, and the invitation counts'
        : 'the email address has a user already, with another password',
  }
  if (existing !== undefined) {
    await checkPassword(database, existing, input.password, browser, refusal)
  }
  const passwordHash = isFree ? await hashPassword(input.password) : null
  return database.transaction().execute(async (transaction) => {
    const [taken] = await takeInvitation(transaction, { tokenHash })
    if (taken === undefined) throw invalidLink()
    if (existing !== undefined) await confirmPassword(transaction, existing, refusal)
    const user = existing ?? { id: found?.id ?? newId('usr'), name: input.name }
    if (passwordHash !== null) {
      const isClaimed =
        found !== undefined && (await claimUser(transaction, { ...user, passwordHash }))
      if (!isClaimed) await addUser(transaction, { ...user, email, passwordHash })
    }
    await joinAccount(transaction, taken.accountId, user.id, taken.role)
    return beginSession(transaction, user, browser, {
      accountId: taken.accountId,
      action: 'invitation.accepted',
      objectId: taken.id,
    })
  })
}

async function addUser(
  transaction: Transaction,
  user: { id: string; email: string; name: string; passwordHash: string },
): Promise<void> {
  if (await insertUser(transaction, user)) return
  throw new DomainError('user_exists', `Cannot create user: ${user.email} is taken`, {
    param: 'email',
  })
}

function readToken(token: string): Buffer {
  if (!canBeToken(token)) throw invalidLink()
  return hashToken(token)
}

export function invalidLink(): DomainError {
  return new DomainError(
    'invalid_link',
    'Cannot use the link: it is unknown, used or expired, ask for a new one',
    { param: 'token' },
  )
}
