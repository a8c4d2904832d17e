import { sql } from 'kysely'
import { withNotices } from '../../../db/fragments.ts'
import type { Database, Transaction } from '../../../db/client.ts'
import { eachAccount, eachPart, inScope, run, type SweepScope } from '../../../db/run.ts'
import { mayWork } from '../../../work/claim.ts'
import { complete, toolEvent } from '../../run/ledger.ts'
import { lapse } from '../../run/requests.ts'
import { isTerminal, type RunKey } from '../../run/run.ts'
import { closeRequest, lockRequest, requestNotice, wakeRequester } from './requests.ts'
import { lockRun } from '../respond.ts'

interface Deps {
  database: Database
  queue: { wake(): void }
  feed: { changed(runId: string): void }
}

const batch = 100

/**
 * Ends leases and times of requested calls that are over, the oldest first. A call that only reads is given out again,
 * the outcome of another is unknown; a call that no worker took has failed. Returns how many, at most 100 of each kind.
 * Safe to run in several processes at once.
 */
export async function expireRequests(deps: Deps): Promise<number> {
  const again = await eachPart(
    deps.database,
    sql`requested_calls where due_at <= now()`,
    (scope, connection) => giveOutAgain(connection, scope),
  )
  const ended = await eachAccount(
    deps.database,
    sql`requested_calls where due_at <= now()`,
    (scope) => endSome(deps, scope),
  )
  return again + ended
}

/** Calls that only read, whose lease has ended before their time. */
async function giveOutAgain(database: Database | Transaction, scope: SweepScope): Promise<number> {
  const query = sql`
    with reopened as (
      update requested_calls as request
      set status = 'requested', lease = null, lease_expires_at = null, due_at = expires_at
      where ctid = any(array(
        select ctid from requested_calls
        where due_at <= now() and status = 'claimed' and not sensitive and expires_at > now()
          and ${mayWork('requested_calls')}${inScope('requested_calls', scope)}
        order by due_at limit ${sql.lit(batch)} for update skip locked))
      returning ${requestNotice}
    )
    ${withNotices(sql`select 1 as one from reopened`, 'reopened')}`
  return (await run(database, scope, query)).length
}

async function endSome({ database, queue, feed }: Deps, scope: SweepScope): Promise<number> {
  const query = sql<RunKey & { id: string }>`
    select account_id as "accountId", run_id as "runId", id from requested_calls
    where due_at <= now() and ${mayWork('requested_calls')}${inScope('requested_calls', scope)}
    order by due_at limit ${sql.lit(batch)}`
  let count = 0
  for (const { id, ...key } of await run(database, scope, query)) {
    const hasEnded = await database
      .transaction()
      .execute((transaction) => end(transaction, key, id))
    if (!hasEnded) continue
    count++
    queue.wake()
    feed.changed(key.runId)
  }
  return count
}

/** False if the request is not due any more. */
async function end(transaction: Transaction, key: RunKey, id: string): Promise<boolean> {
  const { accountId, runId } = key
  const locked = await lockRun(transaction, key)
  if (locked === undefined || isTerminal(locked.status)) return false
  const request = await lockRequest(transaction, accountId, id)
  if (request === undefined) return false
  const { status, isInTime, isLeaseOver, position, role } = request
  if (status !== 'requested' && status !== 'claimed') return false
  if (isInTime && !(status === 'claimed' && isLeaseOver)) return false
  const outcome = lapse({ ...request, status })
  if (outcome.kind === 'again') return false
  if (outcome.kind === 'unknown') {
    // The run's worker asks a person, or tells the agent.
    const { reason: output } = outcome
    const state = complete(request.call, { status: 'unknown', output }, { asksPeople: true })
    await closeRequest(transaction, accountId, request, { ...state, status: 'unknown', events: [] })
    await wakeRequester(transaction, key, { isNow: true })
    return true
  }
  const { output } = outcome
  const step = { position, role }
  const event = toolEvent(runId, 'tool.completed', step, { ...request.call, status: 'failed' })
  const closing = { status: 'failed' as const, output, unknownReason: null, events: [event] }
  await closeRequest(transaction, accountId, request, closing)
  await wakeRequester(transaction, key)
  return true
}
