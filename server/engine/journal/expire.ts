import { sql } from 'kysely'
import type { Usage } from '../../models/contract.ts'
import type { HumanInTheLoop } from '../run/definition.ts'
import { isServed } from '../../work/claim.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { type SweepScope, eachAccount, inScope } from '../../db/run.ts'
import { requestsOf } from '../run/case.ts'
import { expire } from '../run/ledger.ts'
import { noRoom, type PendingRequest } from '../run/pending.ts'
import { applyChanges } from './boundary.ts'
import { failStep, type Fence, type RunFailure } from '../run/run.ts'
import { recordedUsage } from './record.ts'
import { decideCall, findCall, resumeRun } from './respond.ts'
import { runEvent } from '../run/step.ts'

interface Deps {
  database: Database
  queue: { wake(): void }
  feed: { changed(runId: string): void }
}

const batch = 100

/**
 * Ends waits whose time is over, the oldest first: the run fails, or continues as if the request
 * was rejected, but is never recorded as a person's rejection. Returns how many waits it ended, at
 * most 100. Safe to run in several processes at once.
 */
export function expireWaits(deps: Deps): Promise<number> {
  const over = sql`runs where expires_at <= now()`
  return eachAccount(deps.database, over, (scope) => expireSome(deps, scope))
}

async function expireSome({ database, queue, feed }: Deps, scope: SweepScope): Promise<number> {
  const expired = await database.transaction().execute(async (transaction) => {
    const waits = await lockExpired(transaction, batch, scope)
    for (const wait of waits) await recordExpiry(transaction, wait)
    // A run that waits for a higher spend limit cannot continue without it.
    const { failing = [], resumed = [] } = Object.groupBy(waits, ({ onTimeout, pending }) =>
      onTimeout === 'fail' || pending.cost !== undefined ? 'failing' : 'resumed',
    )
    if (failing.length > 0) await applyChanges(transaction, failing.map(toFailure))
    for (const { fence, pending } of resumed) {
      const decisions = requestsOf(pending).map(({ id, call_id }) => ({
        pending_id: id,
        call_id,
        decision: 'expired',
        decided_by: null,
      }))
      const all = decisions.length === 1 ? {} : { decisions }
      const event = runEvent(fence.runId, 'run.resumed', { ...decisions[0], ...all }, pending.id)
      await resumeRun(transaction, fence, [event])
    }
    return waits
  })
  if (expired.length > 0) queue.wake()
  for (const { fence } of expired) feed.changed(fence.runId)
  return expired.length
}

async function recordExpiry(
  transaction: Transaction,
  { fence: { accountId, runId }, pending }: ExpiredWait,
): Promise<void> {
  for (const { call_id: callId, approvals } of requestsOf(pending)) {
    if (callId === undefined) continue
    const where = { accountId, runId, callId }
    const call = await findCall(transaction, where)
    await decideCall(transaction, {
      ...where,
      ...expire(call),
      decidedBy: null,
      approvals: approvals?.by ?? [],
    })
  }
}

function toFailure({ fence, pending, model, recorded, timeoutSeconds }: ExpiredWait) {
  const step = { position: pending.step_order, role: pending.role, model, recorded }
  const message = `nobody answered within ${timeoutSeconds} s (human_in_the_loop.timeout_seconds)`
  const failure: RunFailure =
    pending.cost === undefined
      ? { code: 'wait_expired', message }
      : { code: 'budget_exceeded', message: `${noRoom(pending.cost)}; ${message}` }
  return failStep(fence, step, failure)
}

interface ExpiredWait {
  fence: Fence
  pending: PendingRequest
  onTimeout: HumanInTheLoop['on_timeout']
  /** Model of the step in progress. */
  model: string
  recorded: Usage
  timeoutSeconds: number
}

/**
 * Runs whose wait is over, the oldest first, of one account or of all. Locked until the transaction
 * ends.
 */
export async function lockExpired(
  transaction: Transaction,
  limit: number,
  scope: SweepScope,
): Promise<ExpiredWait[]> {
  const { rows } = await sql<Fence & Omit<ExpiredWait, 'fence'>>`
    with expired as materialized (
      select * from runs where expires_at <= now() and ${isServed('runs')}${inScope('runs', scope)}
      order by expires_at limit ${limit} for update skip locked
    )
    select expired.id as "runId", expired.account_id as "accountId", expired.attempt,
           expired.thread_id is not null as "isTurn", expired.pending, steps.model, ${recordedUsage} as recorded,
           (definitions.body -> 'humanInTheLoop' ->> 'timeout_seconds')::float8 as "timeoutSeconds",
           definitions.body -> 'humanInTheLoop' ->> 'on_timeout' as "onTimeout"
    from expired
    join definitions on definitions.account_id = expired.account_id${inScope('definitions', scope)}
      and definitions.hash = expired.definition_hash
    join steps on steps.account_id = expired.account_id${inScope('steps', scope)} and steps.run_id = expired.id
      and steps.position = (expired.pending ->> 'step_order')::int`.execute(transaction)
  return rows.map(({ runId, accountId, attempt, ...wait }) => ({
    fence: { runId, accountId, attempt },
    ...wait,
  }))
}
