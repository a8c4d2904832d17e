import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { checkTarget } from './check-target.ts'
import type { CreateWebhook, WebhookEndpointWithSecret } from './schema.ts'
import { sealSecret } from './secret.ts'
import { makeSecret } from './sign.ts'
import { insertEndpoint, maxEndpointsPerAccount } from './store.ts'
import { toAudited } from './to-audited.ts'

/** The secret is in this answer only. */
export async function createWebhook(
  ctx: Context,
  id: string,
  input: CreateWebhook,
): Promise<WebhookEndpointWithSecret> {
  await checkTarget(ctx, 'create webhook', input)
  const secret = makeSecret()
  const endpoint = await ctx.database.transaction().execute(async (transaction) => {
    const inserted = await insertEndpoint(transaction, ctx.accountId, {
      id,
      url: input.url,
      description: input.description ?? null,
      events: [...new Set(input.events)],
      workflowId: input.workflow_id ?? null,
      sealedSecret: sealSecret(ctx, id, secret),
    })
    if (inserted !== undefined) {
      await recordAudit(transaction, ctx, { objectId: id, after: toAudited(inserted) })
    }
    return inserted
  })
  if (endpoint === undefined) {
    throw new DomainError(
      'too_many_webhooks',
      `Cannot create webhook: the account has ${maxEndpointsPerAccount} endpoints, the maximum`,
    )
  }
  return { ...endpoint, secret }
}
