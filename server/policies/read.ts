import type { Database, Transaction } from '../db/client.ts'
import type { Policies } from './schema.ts'
import { findPolicies } from './store.ts'

const defaults: Policies = {
  approvals_floor: 'none',
  four_eyes: false,
  require_pending_id: false,
  web_fetch_hosts: null,
  sensitive_actions: [],
  rules: [],
  mails_a_day: null,
  updated_at: null,
}

/** What holds in an account now: one row by its key, read anew each time, so that a change holds at once. */
export async function readPolicies(
  database: Database | Transaction,
  accountId: string,
): Promise<Policies> {
  return (await findPolicies(database, accountId)) ?? defaults
}
