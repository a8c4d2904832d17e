import { sql } from 'kysely'
import type { AccountState } from '../identity.ts'

export const unlimited: AccountState = { isSuspended: false, hasQuota: false, hasBudgets: false }

/** Expression over the table `accounts`, for the statements that authenticate a request. */
export const accountState = sql<AccountState>`json_build_object(
  'isSuspended', accounts.suspended_at is not null,
  'hasQuota', coalesce(accounts.max_runs_a_day, accounts.max_stored_bytes) is not null,
  'hasBudgets', accounts.has_budgets)`

const idleDays = 7

/** Condition on the table `sessions`: the session is active. */
export const isLive = sql`expires_at > now() and last_seen_at > now() - make_interval(days => ${sql.lit(idleDays)})`
