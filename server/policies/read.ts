import { LRUCache } from 'lru-cache'
import { cached } from '../cached.ts'
import type { Database, Transaction } from '../db/client.ts'
import type { Rule, Policies } from './schema.ts'
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

/** An account's current policies: one row, read each time so that changes apply at once. */
export async function readPolicies(
  database: Database | Transaction,
  accountId: string,
): Promise<Policies> {
  return (await findPolicies(database, accountId)) ?? defaults
}

const freshMs = 1_000

/**
 * Caches accounts' rules for up to a second, to decide which tools a model is offered. Calls are
 * judged by `readPolicies`, which is not cached.
 */
export class KnownRules {
  readonly #known: LRUCache<string, () => Promise<Rule[]>>

  constructor(database: Database) {
    this.#known = new LRUCache({
      max: 10_000,
      memoMethod: (accountId) =>
        cached(async () => (await readPolicies(database, accountId)).rules, freshMs),
    })
  }

  of(accountId: string): Promise<Rule[]> {
    return this.#known.memo(accountId)()
  }
}
