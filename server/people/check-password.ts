import type { Database, Transaction } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { countAttempts, forgetAttempts, type AttemptCount } from './attempt-store.ts'
import { verifyPassword } from './password.ts'
import type { Browser } from './session.ts'
import { keepPassword, type User } from './user-store.ts'

const windowSeconds = 15 * 60
/** Attempts in a window, for one email address and from one network address. */
const maxPerEmail = 10
const maxPerAddress = 100

const wrongSignIn = { action: 'sign in', why: 'the email address or the password is wrong' }

/**
 * Checks a user's password. Neither the result nor the time it takes reveals whether the user
 * exists. Attempts are counted before the password is checked, so that parallel attempts are
 * limited like sequential ones.
 */
export async function checkPassword(
  database: Database,
  user: Pick<User, 'email' | 'passwordHash'>,
  password: string,
  browser: Browser,
  { action, why } = wrongSignIn,
): Promise<void> {
  const ofEmail = subjectOf(user.email)
  const ofAddress = `address ${browser.address ?? ''}`
  const counts = await countAttempts(database, [ofEmail, ofAddress], windowSeconds)
  refuseTooMany(action, counts[0], maxPerEmail)
  refuseTooMany(action, counts[1], maxPerAddress)
  if (!(await verifyPassword(password, user.passwordHash))) {
    throw new DomainError('invalid_credentials', `Cannot ${action}: ${why}`)
  }
  await allowAttempts(database, user.email)
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
 * Limits on reset links for an email address, whether or not a user has it, and on requests from a
 * network address.
 */
const maxResetsPerEmail = 3
const maxResetsPerAddress = 20

export async function countResetRequest(
  database: Database,
  email: string,
  address: string | null,
): Promise<void> {
  const subjects = [`reset email ${email}`, `reset address ${address ?? ''}`]
  const [ofEmail, ofAddress] = await countAttempts(database, subjects, windowSeconds)
  refuseTooMany('reset password', ofEmail, maxResetsPerEmail)
  refuseTooMany('reset password', ofAddress, maxResetsPerAddress)
}

/** Resets the count after a correct password, or a new one. */
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
