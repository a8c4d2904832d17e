import { checkListBytes, isLarger } from '../accounts/list-bytes.ts'
import { lockAccount } from '../accounts/lock.ts'
import { recordAudit } from '../accounts/record-audit.ts'
import { checkCapabilities } from '../connectors/check-capabilities.ts'
import type { Context } from '../context.ts'
import { checkModel } from '../fine-tunes/check-model.ts'
import { agentNotFound } from './retrieve.ts'
import type { Agent, UpdateAgent } from './schema.ts'
import * as store from './store.ts'
import { withoutRepeats } from './without-repeats.ts'

/** Changes the given fields; linked workflows see it with their next run. */
export async function updateAgent(ctx: Context, id: string, input: UpdateAgent): Promise<Agent> {
  const action = 'update agent'
  if (typeof input.model === 'string') await checkModel(ctx, action, 'model', input.model)
  return ctx.database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, ctx.accountId)
    const current = await store.lockAgent(transaction, ctx.accountId, id)
    if (current === undefined) throw agentNotFound(action, id)
    const wanted = { ...current, ...input }
    if (input.connectors !== undefined || input.capabilities !== undefined) {
      // The two must fit each other as they will be, so the row is locked meanwhile.
      await checkCapabilities({ ...ctx, database: transaction }, action, wanted)
    }
    const changed = withoutRepeats(wanted)
    const updated = await store.updateAgent(transaction, ctx.accountId, changed)
    await recordAudit(transaction, ctx, { objectId: id, before: current, after: updated })
    if (isLarger(changed, current)) {
      const bytes = await store.countAgentBytes(transaction, ctx.accountId)
      checkListBytes(action, 'agents', bytes)
    }
    return updated
  })
}
