import type { Context } from '../context.ts'
import { checkTarget } from './check-target.ts'
import { webhookNotFound } from './retrieve.ts'
import type { UpdateWebhook, WebhookEndpoint } from './schema.ts'
import { updateEndpoint } from './store.ts'

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
  const endpoint = await updateEndpoint(ctx.database, ctx.accountId, id, {
    ...input,
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(workflowId === undefined ? {} : { workflowId }),
  })
  if (endpoint === undefined) throw webhookNotFound('update webhook', id)
  return endpoint
}
