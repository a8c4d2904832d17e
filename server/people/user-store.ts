import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { behind, type Cursor } from '../db/keyset.ts'
import { preventDeletion } from '../db/fragments.ts'
import { DomainError } from '../errors.ts'
import { type Role, allows } from '../identity.ts'
import type { Me, User as Member } from './schema.ts'

export type { Member }

/** SQL of users and their accounts. */
export interface User {
  id: string
  email: string
  name: string
  passwordHash: string | null
}

const userColumns = sql.raw(
  'users.id, users.email, users.name, users.password_hash as "passwordHash"',
)

export async function findUserByEmail(
  database: Database | Transaction,
  email: string,
): Promise<User | undefined> {
  const { rows } = await sql<User>`
    select ${userColumns} from users where email = ${email}`.execute(database)
  return rows[0]
}

export async function findUser(
  database: Database | Transaction,
  id: string,
): Promise<User | undefined> {
  const { rows } = await sql<User>`select ${userColumns} from users where id = ${id}`.execute(
    database,
  )
  return rows[0]
}

export async function findUserBySubject(
  database: Database | Transaction,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<User | undefined> {
  const { rows } = await sql<User>`
    select ${userColumns} from users
    where oidc_issuer = ${issuer} and oidc_subject = ${subject}`.execute(database)
  return rows[0]
}

/** False if the address is taken. */
export async function insertUser(
  transaction: Transaction,
  user: User & { subject?: { issuer: string; subject: string } },
): Promise<boolean> {
  const { rows } = await sql`
    insert into users (id, email, name, password_hash, oidc_issuer, oidc_subject)
    values (${user.id}, ${user.email}, ${user.name}, ${user.passwordHash},
            ${user.subject?.issuer ?? null}, ${user.subject?.subject ?? null})
    on conflict do nothing returning id`.execute(transaction)
  return rows.length > 0
}

/**
 * Links a user, whose address the provider has verified, to their subject there. The password is
 * removed, because it may have been set by someone who does not own the address.
 */
export async function linkSubject(
  transaction: Transaction,
  userId: string,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<boolean> {
  const { rows } = await sql`
    update users
    set oidc_issuer = ${issuer}, oidc_subject = ${subject}, password_hash = null
    where id = ${userId} and oidc_subject is null returning id`.execute(transaction)
  return rows.length > 0
}

/**
 * Unlinks a user from the provider's subject: the verified address counts again at the next
 * sign-in.
 */
export async function unlinkSubject(transaction: Transaction, userId: string): Promise<void> {
  await sql`
    update users set oidc_issuer = null, oidc_subject = null where id = ${userId}`.execute(
    transaction,
  )
}

/** A user without account, password and identity: anyone with the address may claim it. */
const isAbandoned = sql`password_hash is null and oidc_subject is null
  and not exists (select from memberships where memberships.user_id = users.id)`

export async function isAbandonedUser(database: Database, id: string): Promise<boolean> {
  const { rows } = await sql`select from users where id = ${id} and ${isAbandoned}`.execute(
    database,
  )
  return rows.length > 0
}

/** Gives an abandoned user to the person who was invited; false if it is no longer abandoned. */
export async function claimUser(
  transaction: Transaction,
  { id, name, passwordHash }: Pick<User, 'id' | 'name' | 'passwordHash'>,
): Promise<boolean> {
  const { rows } = await sql`
    update users set name = ${name}, password_hash = ${passwordHash}
    where id = ${id} and ${isAbandoned} returning id`.execute(transaction)
  return rows.length > 0
}

export async function changeUser(
  transaction: Transaction,
  id: string,
  change: { name?: string; email?: string; passwordHash?: string },
): Promise<void> {
  await sql`
    update users set name = coalesce(${change.name ?? null}, name),
      email = coalesce(${change.email ?? null}, email),
      password_hash = coalesce(${change.passwordHash ?? null}, password_hash)
    where id = ${id}`.execute(transaction)
}

/**
 * Whether the user's password hash is still this one, or still none; prevents changes until the
 * transaction ends. A write instead of a lock, because a cluster cannot lock one row of a reference
 * table.
 */
export async function keepPassword(
  transaction: Transaction,
  id: string,
  hash: string | null,
): Promise<boolean> {
  const { rows } = await sql`
    update users set last_signed_in_at = last_signed_in_at
    where id = ${id} and password_hash is not distinct from ${hash}
    returning id`.execute(transaction)
  return rows.length > 0
}

/** Sets a user's role in an account; adds the membership if there is none. */
export async function putMembership(
  transaction: Transaction,
  accountId: string,
  userId: string,
  role: Role,
): Promise<void> {
  await sql`
    insert into memberships (account_id, user_id, role) values (${accountId}, ${userId}, ${role})
    on conflict (account_id, user_id) do update set role = excluded.role`.execute(transaction)
}

/** Also ends the user's sessions in the account. */
export async function deleteMembership(
  transaction: Transaction,
  accountId: string,
  userId: string,
): Promise<void> {
  await sql`
    delete from memberships where account_id = ${accountId} and user_id = ${userId}`.execute(
    transaction,
  )
}

/** With `keep`, none can be deleted before the transaction ends, except on a cluster. */
export async function listMemberships(
  database: Database | Transaction,
  userId: string,
  { keep = false } = {},
): Promise<Me['accounts']> {
  const { rows } = await sql<Me['accounts'][number]>`
    select accounts.id, accounts.name, role
    from memberships join accounts on accounts.id = memberships.account_id
    where user_id = ${userId} order by memberships.created_at, account_id limit 1000
    ${keep ? preventDeletion('memberships') : sql``}`.execute(database)
  return rows
}

const memberColumns = sql.raw(`
  users.id, email, name, role, memberships.created_at, last_signed_in_at,
  case when oidc_subject is not null
    then json_build_object('issuer', oidc_issuer, 'subject', oidc_subject) end as identity`)

export async function findMember(
  database: Database | Transaction,
  accountId: string,
  userId: string,
): Promise<Member | undefined> {
  const { rows } = await sql<Member>`
    select ${memberColumns} from memberships join users on users.id = memberships.user_id
    where account_id = ${accountId} and user_id = ${userId}`.execute(database)
  return rows[0]
}

/** The ids that belong to the account. */
export async function findMembers(
  database: Database,
  accountId: string,
  userIds: string[],
): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select user_id from memberships
    where account_id = ${accountId} and user_id = any(${userIds})`.execute(database)
  return rows.map((row) => row.user_id)
}

/** Newest members first. */
export async function listMembers(
  database: Database | Transaction,
  accountId: string,
  limit: number,
  after: Cursor | undefined,
): Promise<Member[]> {
  const { rows } = await sql<Member>`
    select * from (
      select ${memberColumns} from memberships join users on users.id = memberships.user_id
      where account_id = ${accountId}
    ) as members
    where ${behind('created_at', after)}
    order by created_at desc, id desc limit ${limit}`.execute(database)
  return rows
}

export async function countMembers(transaction: Transaction, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from memberships where account_id = ${accountId}`.execute(
    transaction,
  )
  return rows[0]?.count ?? 0
}

/** Whether another user, or a key that never expires, can administer the account. */
export async function hasOtherAdmin(
  transaction: Transaction,
  accountId: string,
  userId: string,
): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from memberships
                   where account_id = ${accountId} and role = 'admin' and user_id <> ${userId})
        or exists (select from api_keys
                   where account_id = ${accountId} and role = 'admin' and expires_at is null)
      as has`.execute(transaction)
  return rows[0]?.has === true
}

export async function hasUsers(database: Database | Transaction): Promise<boolean> {
  const { rows } = await sql`select from users limit 1`.execute(database)
  return rows.length > 0
}

/** The account that users without an invitation join: the first one. */
export async function findFirstAccount(database: Database | Transaction): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts where deleted_at is null order by created_at, id limit 1`.execute(
    database,
  )
  const [account] = rows
  if (account === undefined) {
    throw new DomainError('not_found', 'no account yet, create one with muster accounts create')
  }
  return account.id
}

/**
 * Adds a user to an account. An invitation, which may be old, does not lower an existing member's
 * role.
 */
export async function joinAccount(
  transaction: Transaction,
  accountId: string,
  userId: string,
  role: Role,
): Promise<void> {
  const member = await findMember(transaction, accountId, userId)
  if (member !== undefined && allows(member.role, role)) return
  await putMembership(transaction, accountId, userId, role)
}
