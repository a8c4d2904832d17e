import type { Services } from '../../context.ts'
import { sql } from 'kysely'
import type { Transaction } from '../../db/client.ts'
import { eachAccount, type OneAccount } from '../../db/one-account.ts'
import { expire } from './ledger.ts'
import { decideCall, findCall } from './ledger-store.ts'
import { applyChanges, lockExpired, resumeRun, type ExpiredWait } from './run-store.ts'
import { failStep } from './run.ts'
import { runEvent } from './event.ts'

type Deps = Pick<Services, 'database' | 'queue' | 'watcher'>

const batch = 100

/**
 * Ends waits whose time is over, the oldest first: the run fails, or goes on as if refused. An expiry
 * is never a person's rejection. Returns how many it ended, at most 100; several processes may do
 * this at once.
 */
export function expireWaits(deps: Deps): Promise<number> {
  const over = sql`runs where expires_at <= now()`
  return eachAccount(deps.database, over, (account) => expireSome(deps, account))
}

async function expireSome(
  { database, queue, watcher }: Deps,
  account: OneAccount,
): Promise<number> {
  const expired = await database.transaction().execute(async (transaction) => {
    const waits = await lockExpired(transaction, batch, account)
    for (const wait of waits) await recordExpiry(transaction, wait)
    const failing = waits.filter(({ onTimeout }) => onTimeout === 'fail')
    if (failing.length > 0) await applyChanges(transaction, failing.map(toFailure))
    const resumed = waits.filter(({ onTimeout }) => onTimeout === 'reject')
    for (const { fence, pending } of resumed) {
      const data = { pending_id: pending.id, call_id: pending.call_id, decision: 'expired' }
      const expired = { ...data, decided_by: null }
      const event = runEvent(fence.runId, 'run.resumed', expired, pending.id)
      await resumeRun(transaction, fence, [event])
    }
    return waits
  })
  if (expired.length > 0) queue.wake()
  for (const { fence } of expired) watcher.changed(fence.runId)
  return expired.length
}

async function recordExpiry(
  transaction: Transaction,
  { fence: { accountId, runId }, pending }: ExpiredWait,
): Promise<void> {
  const where = { accountId, runId, callId: pending.call_id }
  const call = await findCall(transaction, where)
  await decideCall(transaction, {
    ...where,
    ...expire(call),
    decidedBy: null,
    approvals: pending.approvals?.by ?? [],
  })
}

function toFailure({ fence, pending, model, recorded, waitedSeconds }: ExpiredWait) {
  const step = { position: pending.step_order, role: pending.role, model, recorded }
  const message = `nobody answered within ${waitedSeconds} s (human_in_the_loop.timeout_seconds)`
  return failStep(fence, step, { code: 'wait_expired', message })
}
