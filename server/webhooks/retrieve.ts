import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { WebhookEndpoint } from './schema.ts'
import { findEndpoint } from './store.ts'

export async function retrieveWebhook(
  ctx: Context,
  id: string,
  action = 'retrieve webhook',
): Promise<WebhookEndpoint> {
  const endpoint = await findEndpoint(ctx.database, ctx.accountId, id)
  if (endpoint === undefined) throw webhookNotFound(action, id)
  return endpoint
}

export function webhookNotFound(action: string, id: string): DomainError {
  return new DomainError('not_found', `Cannot ${action}: no webhook ${id}`)
}
