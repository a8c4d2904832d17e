import type { Services } from '../context.ts'
import type { Transaction } from '../db/client.ts'
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
import { canBeToken, hashToken, makeToken } from '../accounts/credentials.ts'
import { checkPassword, confirmPassword, hashNewPassword, type Checking } from './check-password.ts'
import { beginSession, type Browser, type SignedIn } from './session.ts'

/**
 * One-time links: the setup link creates the first admin, an invitation adds a user to an account.
 * Anyone with a link may use it, once, until it expires.
 */

/** A new setup link; none once there are users. */
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

/** For the first account. */
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

/** The token is after the `#`, which browsers do not send to servers. */
export function linkTo(publicUrl: string, path: string, token: string): string {
  return `${new URL(path, publicUrl).href}#${token}`
}

export interface NewPerson {
  token: string
  name: string
  password: string
}

export async function enterBySetupLink(
  services: Checking,
  input: NewPerson & { email: string },
  browser: Browser,
): Promise<SignedIn> {
  const { database } = services
  const tokenHash = readToken(input.token)
  // Checked before the password is hashed, which is expensive, so that invalid links cost little.
  if (!(await hasSetupLink(database, tokenHash))) throw invalidLink()
  const passwordHash = await hashNewPassword(services, input.password, browser, 'set up')
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
 * Joins the account of an invitation: as a new user with this name and password, or as an existing
 * user with this address, confirmed by their password, whose name is kept.
 */
export async function acceptInvitation(
  services: Checking,
  input: NewPerson,
  browser: Browser,
): Promise<SignedIn> {
  const { database } = services
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
    await checkPassword(services, existing, input.password, browser, refusal)
  }
  const passwordHash = isFree
    ? await hashNewPassword(services, input.password, browser, refusal.action)
    : null
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
