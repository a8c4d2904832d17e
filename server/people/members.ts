import { refuseEnded } from '../accounts/authenticate.ts'
import { refuseIfExpiring } from '../accounts/key-expiry.ts'
import { whileLocked } from '../accounts/lock.ts'
import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { cannot, notFound } from '../errors.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import { allows, type Role } from '../roles.ts'
import { changeAccess } from './change-access.ts'
import type { User } from './schema.ts'
import * as users from './user-store.ts'

/** The people of an account, for its admins. */
const defaultLimit = 50

export async function listUsers(ctx: Context, page: PageRequest): Promise<Page<User>> {
  const limit = page.limit ?? defaultLimit
  const rows = await users.listMembers(ctx.reads, ctx.accountId, limit + 1, page.after)
  return toPage(rows, limit, (row) => row.created_at)
}

export function retrieveUser(ctx: Context, userId: string): Promise<User> {
  return inAccount(ctx, userId, async (_transaction, member) => member)
}

export function changeRole(ctx: Context, userId: string, role: Role): Promise<User> {
  return inAccount(ctx, userId, async (transaction, member) => {
    if (member.role === role) return member
    if (!allows(member.role, role)) await refuseIfExpiring(transaction, ctx)
    if (role !== 'admin') await keepAnAdmin(transaction, ctx, member)
    const ended = await changeAccess(transaction, ctx.accountId, member, role)
    const change = { before: { role: member.role, ...ended }, after: { role } }
    await recordAudit(transaction, ctx, { objectId: userId, ...change })
    return { ...member, role }
  })
}

/** Takes a person out of this account; one who belongs to another stays a user of that. */
export async function removeUser(ctx: Context, userId: string): Promise<void> {
  await inAccount(ctx, userId, async (transaction, member) => {
    await keepAnAdmin(transaction, ctx, member)
    const ended = await changeAccess(transaction, ctx.accountId, member, null)
    const { email, role } = member
    await recordAudit(transaction, ctx, { objectId: userId, before: { email, role, ...ended } })
  })
}

/** Admins cannot take each other's role at once. */
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
  ctx: Context,
  { id, role }: users.Member,
): Promise<void> {
  if (role !== 'admin' || (await users.hasOtherAdmin(transaction, ctx.accountId, id))) return
  const why = 'nobody else could administer the account, make another admin first'
  throw cannot(ctx, 'last_admin', why)
}
