import { createHash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { toAuditRow } from '../audit/record.ts'
import type { ClaimLine, Context } from '../context.ts'
import { logFailure } from '../db/outage.ts'
import { claimRequests, extendLease, returnClaims } from '../engine/journal/requests/claims.ts'
import { noteToolWorker } from '../engine/reads/requests.ts'
import { cannot } from '../errors.ts'
import { retrieveCall } from './read.ts'
import type { ClaimCalls, ClaimedCall, ExtendClaim, RequestedCall } from './schema.ts'

/**
 * Calls for a worker, which holds them until their leases end. Without any, waits for one up to `wait_seconds`; `hold`
 * counts the request while it waits, and its signal aborts when the client has left.
 */
export async function claimCalls(
  ctx: Context,
  waiting: ClaimLine,
  { names, limit = 1, lease_seconds: leaseSeconds = 60, wait_seconds: waitSeconds = 0 }: ClaimCalls,
  hold: () => AbortSignal,
): Promise<ClaimedCall[]> {
  const { accountId, database, actor } = ctx
  const lease = randomBytes(24).toString('base64url')
  await noteWorker(ctx, names)
  const claim = (): Promise<ClaimedCall[]> => {
    const audit = toAuditRow(accountId, ctx.audit, { objectId: '', after: {} })
    if (audit === undefined) throw new Error('A claim has an entry in the audit log')
    return claimRequests(database, accountId, {
      names: names && [...new Set(names)],
      limit,
      leaseSeconds,
      lease,
      claimer: actor,
      audit,
    })
  }
  const found = await claim()
  if (found.length > 0 || waitSeconds === 0) return found
  const signal = hold()
  const awaited = await waiting.wait({ accountId, names }, claim, waitSeconds * 1_000, signal)
  if (!signal.aborted) return awaited
  // The client has left, or its key has ended: nobody gets these calls.
  const ids = awaited.map(({ id }) => id)
  if (ids.length > 0) await returnClaims(database, accountId, lease, ids)
  throw signal.reason
}

/** Renews a claim; refused with `lease_lost` if the caller does not hold it. */
export async function extendClaim(
  ctx: Context,
  id: string,
  { lease, lease_seconds: seconds = 60 }: ExtendClaim,
): Promise<RequestedCall> {
  const isHeld = await extendLease(ctx.database, ctx.accountId, { id, lease, seconds })
  const call = await retrieveCall(ctx, id)
  if (isHeld) return call
  const why = `the call is ${call.status}, and this lease does not hold it, or no longer`
  throw cannot(ctx, 'lease_lost', why)
}

const noteEveryMs = 10_000
/** Workers that were noted a moment ago. */
const noted = new LRUCache<string, true>({ max: 10_000, ttl: noteEveryMs })

/** Records now and then who serves which tools, for people. */
async function noteWorker(ctx: Context, names: string[] | undefined): Promise<void> {
  const { accountId, database, actor, audit, log } = ctx
  const served = names === undefined ? null : [...new Set(names)].sort()
  const facts = JSON.stringify([actor.id, served, audit.address])
  const key = `${accountId} ${facts}`
  if (noted.has(key)) return
  noted.set(key, true)
  const id = createHash('sha256').update(facts).digest('base64url').slice(0, 22)
  const row = { actor_id: actor.id, actor_name: actor.name, names: served }
  await noteToolWorker(database, accountId, { id, ...row, address: audit.address }).catch(
    (error: unknown) => logFailure(log, error, 'a worker of tools was not noted'),
  )
}
