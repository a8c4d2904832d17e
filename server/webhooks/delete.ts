import type { Context } from '../context.ts'
import { webhookNotFound } from './retrieve.ts'
import { deleteEndpoint } from './store.ts'

/** Deletes an endpoint and its history; nothing more is sent to it. */
export async function deleteWebhook(ctx: Context, id: string): Promise<void> {
  if (!(await deleteEndpoint(ctx.database, ctx.accountId, id))) {
    throw webhookNotFound('delete webhook', id)
  }
}
