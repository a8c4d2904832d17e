import { Readable } from 'node:stream'
import type { Call } from '../http/operation.ts'
import { refusal, Slots } from '../slots.ts'
import { exportAccount } from './export.ts'

/** An export reads for long, each over a connection of the pool for reads: few at a time. */
const slots = new Slots(
  { active: 2, activePerAccount: 1, waiting: 20, waitingPerAccount: 1, waitMs: 30_000 },
  refusal('rate_limited', 'other exports are under way, try again later', 30),
)

/** Sends an account as it is read; who breaks off ends the reading. */
export async function sendExport(
  { ctx, reply }: Pick<Call, 'ctx' | 'reply'>,
  accountId: string,
): Promise<void> {
  const slot = await slots.take(accountId, ctx.action)
  if (reply.raw.destroyed) slot[Symbol.dispose]()
  else reply.raw.once('close', () => slot[Symbol.dispose]())
  const lines = exportAccount(ctx.reads, accountId)
  const name = `muster-${accountId}.jsonl`
  void reply
    .type('application/x-ndjson; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(Readable.from(lines, { objectMode: false, highWaterMark: 64 * 1024 }))
}
