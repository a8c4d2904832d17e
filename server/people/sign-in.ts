import { checkPassword, confirmPassword, type Checking } from './check-password.ts'
import { normalizeEmail } from '../email-text.ts'
import { beginSession, type Browser, type SignedIn } from './session.ts'
import { findUserByEmail } from './user-store.ts'

/** Signs in by password. */
export async function signIn(
  services: Checking,
  input: { email: string; password: string },
  browser: Browser,
): Promise<SignedIn> {
  const email = normalizeEmail(input.email)
  const { database } = services
  const user = await findUserByEmail(database, email)
  await checkPassword(services, user ?? { email, passwordHash: null }, input.password, browser)
  // If there is no user, no password matches.
  const known = user as NonNullable<typeof user>
  return database.transaction().execute(async (transaction) => {
    await confirmPassword(transaction, known)
    return beginSession(transaction, known, browser)
  })
}
