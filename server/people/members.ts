import { refuseEnded, refuseIfExpiring } from '../accounts/authenticate.ts'
import { whileLocked } from '../accounts/bounds.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Database, Transaction } from '../db/client.ts'
import { cannot, notFound } from '../errors.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import { allows, type Role } from '../identity.ts'
import { changeAccess } from './change-access.ts'
import { normalizeEmail } from '../email-text.ts'
import type { UpdateUser, User } from './schema.ts'
import { endSessions } from './session-store.ts'
import * as users from './user-store.ts'

/** The users of an account, for its admins. */
const defaultLimit = 50

export async function listUsers(
  { reads, accountId }: Pick<Context, 'reads' | 'accountId'>,
  page: PageRequest,
): Promise<Page<User>> {
  const limit = page.limit ?? defaultLimit
  const rows = await users.listMembers(reads, accountId, limit + 1, page.after)
  return toPage(rows, limit, (row) => row.created_at)
}

export function retrieveUser(ctx: Context, userId: string): Promise<User> {
  return inAccount(ctx, userId, async (_transaction, member) => member)
}

/** Changes a user's role in this account, and their address. */
export function updateUser(ctx: Context, userId: string, input: UpdateUser): Promise<User> {
  return inAccount(ctx, userId, async (transaction, member) => {
    const { role = member.role } = input
    const email = input.email === undefined ? member.email : normalizeEmail(input.email)
    const ended = await changeRole(transaction, ctx, member, role)
    if (email !== member.email) await changeEmail(transaction, ctx, member, email)
    const before = { email: member.email, role: member.role, ...ended }
    await recordAudit(transaction, ctx, { objectId: userId, before, after: { email, role } })
    return { ...member, email, role }
  })
}

async function changeRole(
  transaction: Transaction,
  ctx: Context,
  member: users.Member,
  role: Role,
): Promise<object> {
  if (member.role === role) return {}
  if (!allows(member.role, role)) await refuseIfExpiring(transaction, ctx)
  if (role !== 'admin') await keepAnAdmin(transaction, ctx, member)
  return changeAccess(transaction, ctx.accountId, member, role)
}

/**
 * An admin of one account must not take over a user with access to another account by changing
 * their address.
 */
async function changeEmail(
  transaction: Transaction,
  ctx: Context,
  { id }: users.Member,
  email: string,
): Promise<void> {
  if ((await users.findUserByEmail(transaction, email)) !== undefined) {
    throw cannot(ctx, 'user_exists', `${email} is taken`, { param: 'email' })
  }
  // Written first: this waits for accounts that the person is just joining, and keeps new ones out.
  await users.changeUser(transaction, id, { email })
  if ((await users.listMemberships(transaction, id)).length > 1) {
    const why = 'the person also belongs to another account; they change it at the provider'
    throw cannot(ctx, 'shared_user', why, { param: 'email' })
  }
}

/** Unlinks a user from the OIDC provider, and ends their sessions in this account. */
export async function unlinkUser(ctx: Context, userId: string): Promise<void> {
  await inAccount(ctx, userId, async (transaction, { email, identity }) => {
    if (identity === null) throw notFound(ctx, 'identity of user', userId)
    await users.unlinkSubject(transaction, userId)
    await endSessions(transaction, userId, { accountId: ctx.accountId })
    await recordAudit(transaction, ctx, { objectId: userId, before: { email, identity } })
  })
}

/** Removes a user from this account; a user with other accounts keeps those. */
export async function removeUser(ctx: Context, userId: string): Promise<void> {
  await inAccount(ctx, userId, async (transaction, member) => {
    await keepAnAdmin(transaction, ctx, member)
    const ended = await changeAccess(transaction, ctx.accountId, member, null)
    const { email, role } = member
    await recordAudit(transaction, ctx, { objectId: userId, before: { email, role, ...ended } })
  })
}

/** Locks the account, so that two admins cannot remove each other's role at the same time. */
function inAccount<T>(
  ctx: Context,
  userId: string,
  work: (transaction: Transaction, member: users.Member) => Promise<T>,
): Promise<T> {
  return whileLocked(ctx, async (transaction) => {
    await refuseEnded(transaction, ctx)
    const member = await users.findMember(transaction, ctx.accountId, userId)
    if (member === undefined) throw notFound(ctx, 'user', userId)
    return work(transaction, member)
  })
}

async function keepAnAdmin(
  transaction: Transaction,
  ctx: Pick<Context, 'accountId' | 'action'>,
  { id, role }: users.Member,
): Promise<void> {
  if (role !== 'admin' || (await users.hasOtherAdmin(transaction, ctx.accountId, id))) return
  const why = 'no one else could administer the account, create another admin first'
  throw cannot(ctx, 'last_admin', why)
}

/** The ids that are not users of the account. */
export async function findStrangers(
  database: Database,
  accountId: string,
  userIds: string[],
): Promise<string[]> {
  if (userIds.length === 0) return []
  const members = await users.findMembers(database, accountId, userIds)
  return userIds.filter((id) => !members.includes(id))
}
