import { sql } from 'kysely'

/** What every request has to know of its account. */
export interface AccountState {
  isSuspended: boolean
  /** It may trigger only so many runs, or store only so many bytes. */
  hasQuota: boolean
}

export const unlimited: AccountState = { isSuspended: false, hasQuota: false }

/** Of the table `accounts`, in the statement that finds out who asks. */
export const accountState = sql<AccountState>`json_build_object(
  'isSuspended', accounts.suspended_at is not null,
  'hasQuota', coalesce(accounts.max_runs_a_day, accounts.max_stored_bytes) is not null)`
