import { Readable } from 'node:stream'
import { HeldRequests } from '../http/traffic/held-requests.ts'
import type { Call } from '../http/operation.ts'
import { refusal, Slots } from '../slots.ts'
import { exportAccount } from './export.ts'

/** An export reads for long, each over a connection of the pool for reads: few at a time. */
const slots = new Slots(
  { active: 2, activePerAccount: 1, waiting: 20, waitingPerAccount: 1, waitMs: 30_000 },
  refusal('rate_limited', 'other exports are under way, try again later', 30),
)

const held = new HeldRequests()

/** Sends an account as it is read; who breaks off ends the reading, and so does the end of the key or session. */
export async function sendExport(
  { ctx, request, reply }: Pick<Call, 'ctx' | 'request' | 'reply'>,
  accountId: string,
): Promise<void> {
  // The operator's key is the one of the configuration, and does not end.
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
