import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { checkTarget } from './check-target.ts'
import { webhookNotFound } from './retrieve.ts'
import type { UpdateWebhook, WebhookEndpoint } from './schema.ts'
import * as store from './store.ts'
import { toAudited } from './to-audited.ts'

/** Changes the given fields. What is pending goes to the endpoint as it is at each attempt. */
export async function updateWebhook(
  ctx: Context,
  id: string,
  { workflow_id: workflowId, events, ...input }: UpdateWebhook,
): Promise<WebhookEndpoint> {
  await checkTarget(ctx, 'update webhook', {
    ...(input.url === undefined ? {} : { url: input.url }),
    ...(workflowId === undefined ? {} : { workflow_id: workflowId }),
  })
  return ctx.database.transaction().execute(async (transaction) => {
    const before = await store.lockEndpoint(transaction, ctx.accountId, id)
    if (before === undefined) throw webhookNotFound('update webhook', id)
    const after = await store.updateEndpoint(transaction, ctx.accountId, id, {
      ...input,
      ...(events === undefined ? {} : { events: [...new Set(events)] }),
      ...(workflowId === undefined ? {} : { workflowId }),
    })
    const change = { before: toAudited(before), after: toAudited(after) }
    await recordAudit(transaction, ctx, { objectId: id, ...change })
    return after
  })
}
