import { refuseIfExpiring } from '../accounts/authenticate.ts'
import { whileLocked } from '../accounts/bounds.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { cannot, notFound } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { normalizeEmail } from '../email-text.ts'
import * as links from './link-store.ts'
import { mailInvitation } from './mail-invitation.ts'
import { hashToken, makeToken } from '../accounts/credentials.ts'
import type { CreateInvitation, CreatedInvitation, Invitation } from './schema.ts'
import { linkTo } from './setup.ts'
import { countMembers, findMember, findUserByEmail } from './user-store.ts'

/**
 * Invitations are one-time links: always shown to be copied, and emailed if the operator has
 * configured SMTP.
 */
const maxPeople = 1_000

export async function invite(
  ctx: Context,
  id: string,
  { email: address, role }: CreateInvitation,
): Promise<CreatedInvitation> {
  const email = normalizeEmail(address)
  const token = makeToken()
  const invitation = await whileLocked(ctx, async (transaction) => {
    await refuseIfExpiring(transaction, ctx)
    const user = await findUserByEmail(transaction, email)
    if (user !== undefined && (await findMember(transaction, ctx.accountId, user.id))) {
      const why = `${email} belongs to the account already`
      throw cannot(ctx, 'user_exists', why, { param: 'email' })
    }
    const people =
      (await countMembers(transaction, ctx.accountId)) +
      (await links.countOpenInvitations(transaction, ctx.accountId, { except: id }))
    if (people >= maxPeople) {
      const why = `the account has ${people} users and invitations, up to ${maxPeople} are allowed`
      throw cannot(ctx, 'too_many_users', why)
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

/** Newest first, 50 by default; `open` leaves out accepted ones. */
export function listInvitations(
  { reads, accountId }: Pick<Context, 'reads' | 'accountId'>,
  { limit = 50, after }: PageRequest,
  { open = false }: { open?: boolean },
): Promise<Page<Invitation>> {
  const where = open ? { accepted_at: null } : {}
  return links.invitations.list(reads, accountId, { limit, after }, where)
}

export async function withdrawInvitation(ctx: Context, id: string): Promise<void> {
  await ctx.database.transaction().execute(async (transaction) => {
    const gone = await links.invitations.delete(transaction, ctx.accountId, { id })
    if (gone === undefined) throw notFound(ctx, 'invitation', id)
    const { email, role } = gone
    await recordAudit(transaction, ctx, { objectId: id, before: { email, role } })
  })
}
