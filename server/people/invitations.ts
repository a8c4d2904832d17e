import { refuseIfExpiring } from '../accounts/key-expiry.ts'
import { lockAccount } from '../accounts/lock.ts'
import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import { normalizeEmail } from './email.ts'
import * as links from './link-store.ts'
import { mailInvitation } from './mail-invitation.ts'
import { hashToken, makeToken } from './one-time-token.ts'
import type { CreateInvitation, CreatedInvitation, Invitation } from './schema.ts'
import { linkTo } from './setup.ts'
import { countMembers, findMember, findUserByEmail } from './user-store.ts'

/** Invitations are one-time links: always shown to be copied, and mailed where the operator set SMTP. */
const maxPeople = 1_000
const defaultLimit = 50

export async function invite(
  ctx: Context,
  id: string,
  { email: address, role }: CreateInvitation,
): Promise<CreatedInvitation> {
  const email = normalizeEmail(address)
  const token = makeToken()
  const invitation = await ctx.database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, ctx.accountId)
    await refuseIfExpiring(transaction, ctx)
    const user = await findUserByEmail(transaction, email)
    if (user !== undefined && (await findMember(transaction, ctx.accountId, user.id))) {
      throw new DomainError(
        'user_exists',
        `Cannot create invitation: ${email} belongs to the account already`,
        { param: 'email' },
      )
    }
    const people =
      (await countMembers(transaction, ctx.accountId)) +
      (await links.countOpenInvitations(transaction, ctx.accountId))
    if (people >= maxPeople) {
      throw new DomainError(
        'too_many_users',
        `Cannot create invitation: the account has ${people} users and invitations, up to ${maxPeople} are allowed`,
      )
    }
    await recordAudit(transaction, ctx, { objectId: id, after: { email, role } })
    return links.insertInvitation(transaction, ctx.accountId, {
      id,
      email,
      role,
      invited_by: ctx.actor.id,
      tokenHash: hashToken(token),
    })
  })
  const link = linkTo(ctx.publicUrl, '/accept-invitation', token)
  return { ...invitation, link, mailed: await mailInvitation(ctx, email, link) }
}

export async function listInvitations(ctx: Context, page: PageRequest): Promise<Page<Invitation>> {
  const limit = page.limit ?? defaultLimit
  const rows = await links.listInvitations(ctx.reads, ctx.accountId, limit + 1, page.after)
  return toPage(rows, limit, (row) => row.created_at)
}

export async function withdrawInvitation(ctx: Context, id: string): Promise<void> {
  await ctx.database.transaction().execute(async (transaction) => {
    const gone = await links.deleteInvitation(transaction, ctx.accountId, id)
    if (gone === undefined) {
      throw new DomainError('not_found', `Cannot delete invitation: no invitation ${id}`)
    }
    const { email, role } = gone
    await recordAudit(transaction, ctx, { objectId: id, before: { email, role } })
  })
}
