import { cached } from '../cached.ts'
import type { Database, Transaction } from '../db/client.ts'
import type { Rule } from './rule.ts'
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

const freshMs = 1_000
const maxKept = 10_000

/**
 * Rules of accounts as models are shown them, read at most once a second for each. They choose what a model is offered;
 * what becomes of its calls is judged by `readPolicies`.
 */
export class KnownRules {
  readonly #database: Database
  readonly #known = new Map<string, () => Promise<Rule[]>>()

  constructor(database: Database) {
    this.#database = database
  }

  of(accountId: string): Promise<Rule[]> {
    if (this.#known.size >= maxKept) this.#known.clear()
    const read = async () => (await readPolicies(this.#database, accountId)).rules
    return this.#known.getOrInsertComputed(accountId, () => cached(read, freshMs))()
  }
}
