import { createHash } from 'node:crypto'
import type { Services } from '../context.ts'
import type { Database, Transaction } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { countAttempts, forgetAttempts, networkOf, type AttemptCount } from '../db/attempts.ts'
import { hashPassword, verifyPassword } from './password.ts'
import type { Browser } from './session.ts'
import { keepPassword, type User } from './user-store.ts'

const windowSeconds = 15 * 60
/**
 * Attempts in a window: for one email address from one network, which is what a person who forgot the password makes;
 * for one email address from all networks together, so that a stranger elsewhere cannot lock its owner out with a few
 * wrong passwords; and from one network for all email addresses.
 */
const maxPerEmailAndNetwork = 10
const maxPerEmail = 100
const maxPerNetwork = 100

/** What it takes to check or hash a password for a request. */
export type Checking = Pick<Services, 'database' | 'limits'>

const wrongSignIn = { action: 'sign in', why: 'the email address or the password is wrong' }

/**
 * Checks a user's password. Neither the result nor the time it takes reveals whether the user
 * exists. Attempts are counted before the password is checked, so that parallel attempts are
 * limited like sequential ones.
 */
export async function checkPassword(
  { database, limits }: Checking,
  user: Pick<User, 'email' | 'passwordHash'>,
  password: string,
  browser: Browser,
  { action, why } = wrongSignIn,
): Promise<void> {
  const network = networkOf(browser.address)
  // A new password starts a new count, whoever sets it.
  const generation = createHash('sha256')
    .update(user.passwordHash ?? '')
    .digest('base64url')
  const ofBoth = `email ${user.email} network ${network} password ${generation}`
  const subjects = [ofBoth, subjectOf(user.email), `network ${network}`]
  const counts = await countAttempts(database, subjects, windowSeconds)
  refuseTooMany(action, counts[0], maxPerEmailAndNetwork)
  refuseTooMany(action, counts[1], maxPerEmail)
  refuseTooMany(action, counts[2], maxPerNetwork)
  const isRight = async (): Promise<boolean> => {
    using _slot = await limits.passwordHashes.take(network, action)
    return await verifyPassword(password, user.passwordHash)
  }
  if (!(await isRight())) {
    throw new DomainError('invalid_credentials', `Cannot ${action}: ${why}`)
  }
  await forgetAttempts(database, [ofBoth, subjectOf(user.email)])
}

/** Hashes a new password. */
export async function hashNewPassword(
  { limits }: Pick<Services, 'limits'>,
  password: string,
  { address }: Browser,
  action: string,
): Promise<string> {
  using _slot = await limits.passwordHashes.take(networkOf(address), action)
  return await hashPassword(password)
}

/**
 * Confirms, in the transaction that relies on it, that a password that was checked is still the
 * current one: hashing takes a while, and the password may have been changed in between because it
 * was stolen.
 */
export async function confirmPassword(
  transaction: Transaction,
  { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
  { action, why } = wrongSignIn,
): Promise<void> {
  if (await keepPassword(transaction, id, passwordHash)) return
  throw new DomainError('invalid_credentials', `Cannot ${action}: ${why}`)
}

/**
 * Limits on reset links: for an email address, whether or not a user has it, from one network and from all together,
 * and from one network.
 */
const maxResetsPerEmailAndNetwork = 3
const maxResetsPerEmail = 10
const maxResetsPerNetwork = 20

export async function countResetRequest(
  database: Database,
  email: string,
  address: string | null,
): Promise<void> {
  const network = networkOf(address)
  const ofBoth = `reset email ${email} network ${network}`
  const subjects = [ofBoth, `reset email ${email}`, `reset network ${network}`]
  const counts = await countAttempts(database, subjects, windowSeconds)
  refuseTooMany('reset password', counts[0], maxResetsPerEmailAndNetwork)
  refuseTooMany('reset password', counts[1], maxResetsPerEmail)
  refuseTooMany('reset password', counts[2], maxResetsPerNetwork)
}

/** Resets the count for an email address after a new password. */
export function allowAttempts(database: Database | Transaction, email: string): Promise<void> {
  return forgetAttempts(database, [subjectOf(email)])
}

function subjectOf(email: string): string {
  return `email ${email}`
}

function refuseTooMany(action: string, count: AttemptCount | undefined, max: number): void {
  if (count === undefined || count.attempts <= max) return
  throw new DomainError(
    'too_many_sign_ins',
    `Cannot ${action}: too many attempts, wait before you try again`,
    { retryAfterSeconds: Math.max(1, Math.ceil(count.leftSeconds)) },
  )
}
