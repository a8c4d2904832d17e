import { sql } from 'kysely'
import type { Role } from '../identity.ts'
import type { Database, Transaction } from '../db/client.ts'
import { OwnedTable } from '../db/owned-table.ts'
import { Invitation } from './schema.ts'

/** SQL of one-time links: the setup link for the first admin, and invitations. */
const setupMinutes = 15
const invitationDays = 7

/**
 * Links of earlier starts stay valid until they expire: several processes of a service start at
 * once, and each prints its own.
 */
export async function insertSetupLink(
  transaction: Transaction,
  accountId: string,
  tokenHash: Buffer,
): Promise<void> {
  await sql`
    delete from setup_links where account_id = ${accountId} and expires_at <= now()`.execute(
    transaction,
  )
  await sql`
    insert into setup_links (token_hash, account_id, expires_at)
    values (${tokenHash}, ${accountId}, now() + make_interval(mins => ${setupMinutes}))`.execute(
    transaction,
  )
}

export async function hasSetupLink(database: Database, tokenHash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    select from setup_links where token_hash = ${tokenHash} and expires_at > now()`.execute(
    database,
  )
  return rows.length > 0
}

/** Uses up the link and all others of its account, which it returns. */
export async function takeSetupLink(
  transaction: Transaction,
  tokenHash: Buffer,
): Promise<string | undefined> {
  const { rows } = await sql<{ account_id: string }>`
    delete from setup_links
    where account_id = (
      select account_id from setup_links where token_hash = ${tokenHash} and expires_at > now())
    returning account_id`.execute(transaction)
  return rows[0]?.account_id
}

export const invitations = new OwnedTable<Invitation>(
  'invitations',
  Object.keys(Invitation.properties),
)

/** Withdraws the unaccepted invitations to an address; returns their ids. */
export async function withdrawInvitations(
  transaction: Transaction,
  accountId: string,
  email: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from invitations
    where account_id = ${accountId} and email = ${email} and accepted_at is null
    returning id`.execute(transaction)
  return rows.map(({ id }) => id)
}

export async function insertInvitation(
  transaction: Transaction,
  accountId: string,
  invitation: Pick<Invitation, 'id' | 'email' | 'role' | 'invited_by'> & { tokenHash: Buffer },
): Promise<Invitation> {
  const { rows } = await sql<Invitation>`
    insert into invitations (account_id, id, email, role, token_hash, invited_by, expires_at)
    values (${accountId}, ${invitation.id}, ${invitation.email}, ${invitation.role},
            ${invitation.tokenHash}, ${invitation.invited_by},
            now() + make_interval(days => ${invitationDays}))
    on conflict (account_id, id) do update set token_hash = excluded.token_hash
    returning ${invitations.fields}`.execute(transaction)
  return rows[0] as Invitation
}

/** Does not count the invitation with this id, which a crashed request may have created. */
export async function countOpenInvitations(
  transaction: Transaction,
  accountId: string,
  { except }: { except: string },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from invitations
    where account_id = ${accountId} and id <> ${except} and accepted_at is null
      and expires_at > now()`.execute(transaction)
  return rows[0]?.count ?? 0
}

/** The email address of the open invitation with this token. */
export async function findInvited(
  database: Database,
  tokenHash: Buffer,
): Promise<string | undefined> {
  const { rows } = await sql<{ email: string }>`
    select email from invitations
    where token_hash = ${tokenHash} and accepted_at is null and expires_at > now()`.execute(
    database,
  )
  return rows[0]?.email
}

/** Marks an open invitation as accepted. */
export async function takeInvitation(
  transaction: Transaction,
  by: { tokenHash: Buffer } | { email: string },
): Promise<{ accountId: string; id: string; email: string; role: Role }[]> {
  const which = 'tokenHash' in by ? sql`token_hash = ${by.tokenHash}` : sql`email = ${by.email}`
  const { rows } = await sql<{ accountId: string; id: string; email: string; role: Role }>`
    update invitations set accepted_at = now()
    where ${which} and accepted_at is null and expires_at > now()
    returning account_id as "accountId", id, email, role`.execute(transaction)
  return rows
}
