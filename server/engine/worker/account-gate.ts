import { Batcher } from '../../db/batcher.ts'
import type { Database } from '../../db/client.ts'
import { countCost, mayCost, readGates, type Gate } from '../state/quota-store.ts'

const maxKept = 10_000
const open: Gate = { isHeld: false, hasCostQuota: false }

/**
 * Whether a model call of an account may begin: not while the account is suspended, nor when its model
 * calls have cost what its operator allows. An account without such a quota is looked up as often as leases
 * are renewed, together with others; one with a quota is asked for before each call, over all processes.
 */
export class AccountGate {
  readonly #database: Database
  readonly #freshMs: number
  readonly #reads: Batcher<string, Gate | undefined>
  readonly #known = new Map<string, { at: number; gate: Promise<Gate | undefined> }>()

  /** What is known of an account counts for `freshMs`: a suspension takes hold that late at most. */
  constructor(database: Database, freshMs: number) {
    this.#freshMs = freshMs
    this.#database = database
    this.#reads = new Batcher((ids) => readGates(database, ids))
  }

  async mayCall(accountId: string): Promise<boolean> {
    const gate = await this.#look(accountId)
    if (gate === undefined || gate.isHeld) return false
    return !gate.hasCostQuota || mayCost(this.#database, accountId)
  }

  /** Counts what a call has cost, before its answer is written. */
  async count(accountId: string, costUsd: number): Promise<void> {
    if (costUsd === 0) return
    const gate = await this.#look(accountId)
    if (gate?.hasCostQuota === true) await countCost(this.#database, accountId, costUsd)
  }

  #look(accountId: string): Promise<Gate | undefined> {
    const now = performance.now()
    const known = this.#known.get(accountId)
    if (known !== undefined && now - known.at < this.#freshMs) return known.gate
    if (this.#known.size >= maxKept) this.#known.clear()
    // While the database is away, what was known before holds: no write gets through either.
    const gate = this.#reads.add(accountId).catch(() => known?.gate ?? open)
    this.#known.set(accountId, { at: now, gate })
    return gate
  }
}
