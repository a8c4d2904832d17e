import { refuseEnded } from '../accounts/authenticate.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context, Services } from '../context.ts'
import { cannot, notFound } from '../errors.ts'
import { personOf, personRequired } from '../identity.ts'
import { checkPassword, confirmPassword, hashNewPassword } from './check-password.ts'
import { canResetPasswords } from './reset-password.ts'
import type { ChangeMe, Me, Session, WaysIn } from './schema.ts'
import type { Browser } from './session.ts'
import * as sessions from './session-store.ts'
import * as users from './user-store.ts'

/** The signed-in user's own profile. */
export async function retrieveMe(ctx: Context): Promise<Me> {
  const { userId, sessionId } = personOf(ctx, 'retrieve user')
  return readMe(ctx, userId, sessionId)
}

/** A new password requires the current one, if there is one, and ends the user's other sessions. */
export async function changeMe(ctx: Context, input: ChangeMe, browser: Browser): Promise<Me> {
  const { userId, sessionId } = personOf(ctx, 'update user')
  const user = await users.findUser(ctx.database, userId)
  if (user === undefined) throw personRequired('update user')
  const { name, password } = input
  const refusal = { action: ctx.action, why: 'current_password is wrong' }
  if (password !== undefined && user.passwordHash !== null) {
    if (input.current_password === undefined) {
      const param = 'current_password'
      throw cannot(ctx, 'required', `${param} is missing`, { param })
    }
    await checkPassword(ctx, user, input.current_password, browser, refusal)
  }
  const passwordHash =
    password === undefined ? undefined : await hashNewPassword(ctx, password, browser, ctx.action)
  await ctx.database.transaction().execute(async (transaction) => {
    if (passwordHash !== undefined) {
      await confirmPassword(transaction, user, refusal)
      await refuseEnded(transaction, ctx)
    }
    await users.changeUser(transaction, userId, {
      ...(name === undefined ? {} : { name }),
      ...(passwordHash === undefined ? {} : { passwordHash }),
    })
    if (passwordHash !== undefined) {
      await sessions.endSessions(transaction, userId, { except: sessionId })
    }
    await recordAudit(transaction, ctx, {
      objectId: userId,
      before: { name: user.name },
      after: { name: name ?? user.name, ...(passwordHash && { changed: 'password' }) },
    })
  })
  return readMe(ctx, userId, sessionId)
}

/** Moves the session to another account of the user. */
export async function switchAccount(ctx: Context, accountId: string): Promise<Me> {
  const { userId, sessionId } = personOf(ctx, 'switch account')
  await ctx.database.transaction().execute(async (transaction) => {
    const memberships = await users.listMemberships(transaction, userId, { keep: true })
    if (!memberships.some(({ id }) => id === accountId)) {
      throw notFound(ctx, 'account', accountId)
    }
    await sessions.moveSession(transaction, sessionId, accountId)
    const change = { before: { account_id: ctx.accountId }, after: { account_id: accountId } }
    await recordAudit(transaction, ctx, { objectId: sessionId, ...change })
  })
  return readMe({ ...ctx, accountId }, userId, sessionId)
}

export async function listMySessions(ctx: Context): Promise<Session[]> {
  const { userId, sessionId } = personOf(ctx, 'list sessions')
  const rows = await sessions.listSessions(ctx.database, userId)
  return rows.map((row) => ({ ...row, current: row.id === sessionId }))
}

/** Ends the current session, or another of the same user; API keys have none. */
export async function endMySession(ctx: Context, id?: string): Promise<string> {
  const { userId, sessionId } =
    id === undefined || ctx.actor.type === 'user'
      ? personOf(ctx, 'end session')
      : { userId: '', sessionId: '' }
  const ended = id ?? sessionId
  await ctx.database.transaction().execute(async (transaction) => {
    if (!(await sessions.deleteSession(transaction, userId, ended))) {
      throw notFound({ action: 'end session' }, 'session', ended)
    }
    await recordAudit(transaction, ctx, { objectId: ended, before: { user_id: userId } })
  })
  return ended
}

/** Sign-in methods for the sign-in page; as long as there are no users, the setup link. */
export async function retrieveWaysIn(
  services: Pick<Services, 'database' | 'oidc' | 'publicUrl' | 'secrets' | 'toolSettings'>,
): Promise<WaysIn> {
  const { database, oidc, publicUrl } = services
  return {
    password: true,
    oidc: oidc !== undefined,
    oidc_url: oidc === undefined ? null : new URL('/v1/session/oidc', publicUrl).href,
    password_reset: canResetPasswords(services),
    setup_required: !(await users.hasUsers(database)),
  }
}

export async function readMe(
  { database, accountId }: Pick<Context, 'database' | 'accountId'>,
  userId: string,
  sessionId: string,
): Promise<Me> {
  const [user, accounts] = await Promise.all([
    users.findUser(database, userId),
    users.listMemberships(database, userId),
  ])
  const current = accounts.find(({ id }) => id === accountId)
  if (user === undefined || current === undefined) throw personRequired('retrieve user')
  const { role, ...account } = current
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    has_password: user.passwordHash !== null,
    session_id: sessionId,
    account,
    role,
    accounts,
  }
}
