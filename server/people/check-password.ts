import type { Database, Transaction } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { countAttempts, forgetAttempts, type AttemptCount } from './attempt-store.ts'
import { verifyPassword } from './password.ts'
import type { Browser } from './session.ts'
import { keepPassword, type User } from './user-store.ts'

const windowSeconds = 15 * 60
/** Attempts in a window, at one email address and from one network address. */
const maxPerEmail = 10
const maxPerAddress = 100

const wrongSignIn = { action: 'sign in', why: 'the email address or the password is wrong' }

/**
 * Checks the password of a user, or of nobody. Neither the answer nor its time tells whether the user
 * exists, and attempts are counted before the password is looked at, so that many at once are not more
 * than many in turn.
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
 * In the transaction that relies on a password that was right: hashing takes a while, and one that was changed
 * meanwhile, perhaps because somebody else knows it, opens nothing.
 */
export async function confirmPassword(
  transaction: Transaction,
  { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
  { action, why } = wrongSignIn,
): Promise<void> {
  if (await keepPassword(transaction, id, passwordHash)) return
  throw new DomainError('invalid_credentials', `Cannot ${action}: ${why}`)
}

/** Email addresses get few links, whether or not they have a user; so do network addresses ask for them. */
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

/** After a right password, or with a new one: the attempts before it no longer count. */
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
