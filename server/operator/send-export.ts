import { Readable } from 'node:stream'
import { HeldRequests } from '../http/traffic/held-requests.ts'
import type { Call } from '../http/operation.ts'
import { refusal, Slots } from '../slots.ts'
import { exportAccount } from './export.ts'

/**
 * An export takes long and uses a connection of the pool for reads, so only a few run at a time.
 */
const slots = new Slots(
  { active: 2, activePerAccount: 1, waiting: 20, waitingPerAccount: 1, waitMs: 30_000 },
  refusal('rate_limited', 'other exports are under way, try again later', 30),
)

const held = new HeldRequests()

/** Streams an account's export; a disconnect, or the end of the key or session, stops it. */
export async function sendExport(
  { ctx, request, reply }: Pick<Call, 'ctx' | 'request' | 'reply'>,
  accountId: string,
): Promise<void> {
  // The operator's key comes from the configuration and does not expire.
  const signal = ctx.role === 'operator' ? undefined : held.hold(request, reply)
  const slot = await slots.take(accountId, ctx.action)
  if (reply.raw.destroyed) slot[Symbol.dispose]()
  else reply.raw.once('close', () => slot[Symbol.dispose]())
  signal?.throwIfAborted()
  const lines = exportAccount(ctx.reads, accountId)
  const options = { objectMode: false, highWaterMark: 64 * 1024, ...(signal && { signal }) }
  const name = `muster-${accountId}.jsonl`
  void reply
    .type('application/x-ndjson; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(Readable.from(lines, options))
}
