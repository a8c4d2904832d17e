import { createHash, timingSafeEqual } from 'node:crypto'
import { recordAudit } from '../audit/record.ts'
import type { Services } from '../context.ts'
import { cannot } from '../errors.ts'
import { normalizeEmail } from '../email-text.ts'
import { newId } from '../ids.ts'
import {
  allowAttempts,
  countResetRequest,
  hashNewPassword,
  type Checking,
} from './check-password.ts'
import { mailLink } from './mail-invitation.ts'
import { beginSession, type Browser, type SignedIn } from './session.ts'
import { endSessions } from './session-store.ts'
import { invalidLink, linkTo } from './setup.ts'
import * as users from './user-store.ts'

/**
 * Resets a forgotten password with a link by email. The token is encrypted and not stored. It
 * contains the user, the expiry and the current password hash, so it works once, and not after the
 * password was changed.
 */
const linkMinutes = 30
const place = ['password-reset'] as const

type Resetting = Pick<Services, 'database' | 'publicUrl' | 'secrets' | 'toolSettings' | 'log'>

export function canResetPasswords({
  secrets,
  toolSettings,
}: Pick<Resetting, 'secrets' | 'toolSettings'>): boolean {
  return toolSettings.smtp !== undefined && secrets.keyId !== undefined
}

/**
 * Looks the user up after the response, which therefore does not reveal whether the address has
 * one.
 */
export async function requestReset(
  services: Resetting,
  input: { email: string },
  browser: Browser,
): Promise<{ requested: true }> {
  if (!canResetPasswords(services)) {
    const why = 'this server sends no email, ask an admin'
    throw cannot({ action: 'reset password' }, 'not_found', why)
  }
  const email = normalizeEmail(input.email)
  await countResetRequest(services.database, email, browser.address)
  mailReset(services, email, browser).catch((error: unknown) => {
    services.log.warn({ err: error }, 'a link for a new password was not made')
  })
  return { requested: true }
}

async function mailReset(services: Resetting, email: string, browser: Browser): Promise<void> {
  const user = await users.findUserByEmail(services.database, email)
  // Users without a password sign in through the organisation's provider.
  if (user === undefined || user.passwordHash === null) return
  const [membership] = await users.listMemberships(services.database, user.id)
  if (membership === undefined) return
  const { address, requestId } = browser
  const actor = { type: 'user', id: user.id, name: user.name, sessionId: '' } as const
  const audit = {
    id: newId('aud'),
    actor,
    action: 'user.reset_requested',
    address,
    requestId,
  } as const
  const change = { objectId: user.id, after: { email } }
  await recordAudit(services.database, { accountId: membership.id, audit }, change)
  const end = Date.now() + linkMinutes * 60_000
  const plain = JSON.stringify([user.id, end, digestOf(user.passwordHash)])
  const token = services.secrets.seal(Buffer.from(plain), place).toString('base64url')
  const link = linkTo(services.publicUrl, '/reset-password', token)
  await mailLink(services, email, {
    subject: 'Reset your Muster password',
    text: `This link sets a new password. It works once and for ${linkMinutes} minutes:\n\n${link}\n\nIf you did not ask for it, ignore this message: your password stays as it is.\n`,
  })
}

/** Sets the password, ends all sessions of the user and starts a new one. */
export async function resetPassword(
  services: Checking & Pick<Resetting, 'secrets'>,
  input: { token: string; password: string },
  browser: Browser,
): Promise<SignedIn> {
  const { userId, digest } = readToken(services, input.token)
  const user = await users.findUser(services.database, userId)
  if (user?.passwordHash == null || !isSame(digestOf(user.passwordHash), digest))
    throw invalidLink()
  const passwordHash = await hashNewPassword(services, input.password, browser, 'reset password')
  return services.database.transaction().execute(async (transaction) => {
    if (!(await users.keepPassword(transaction, userId, user.passwordHash))) throw invalidLink()
    await users.changeUser(transaction, userId, { passwordHash })
    await endSessions(transaction, userId)
    await allowAttempts(transaction, user.email)
    return beginSession(transaction, user, browser, {
      action: 'user.password_reset',
      objectId: userId,
    })
  })
}

function readToken(
  { secrets }: Pick<Resetting, 'secrets'>,
  token: string,
): { userId: string; digest: string } {
  let fields: unknown
  try {
    fields = JSON.parse(secrets.open(Buffer.from(token, 'base64url'), place).toString())
  } catch {
    throw invalidLink()
  }
  const [userId, end, digest] = fields as [string, number, string]
  if (end < Date.now()) throw invalidLink()
  return { userId, digest }
}

function digestOf(passwordHash: string): string {
  return createHash('sha256').update(passwordHash).digest('base64url')
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
