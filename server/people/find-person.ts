import { sql } from 'kysely'
import { accountState } from '../accounts/account-state.ts'
import type { Database } from '../db/client.ts'
import { normalizeEmail } from '../email-text.ts'
import type { AccountState, Role } from '../identity.ts'

/** A user as a member of an account, for work without a session. */
export interface Person {
  id: string
  email: string
  name: string
  role: Role
  account: AccountState
}

/** Undefined if no user of the account has the address. */
export async function findPerson(
  database: Database,
  accountId: string,
  by: { email: string } | { id: string },
): Promise<Person | undefined> {
  const which =
    'id' in by ? sql`users.id = ${by.id}` : sql`users.email = ${normalizeEmail(by.email)}`
  const { rows } = await sql<Person>`
    select users.id, users.email, users.name, memberships.role, ${accountState} as account
    from memberships
    join users on users.id = memberships.user_id
    join accounts on accounts.id = memberships.account_id and accounts.deleted_at is null
    where memberships.account_id = ${accountId} and ${which}`.execute(database)
  return rows[0]
}
