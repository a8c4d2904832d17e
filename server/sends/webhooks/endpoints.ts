import { whileLocked } from '../../accounts/bounds.ts'
import { isRepeated, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../db/client.ts'
import { cannot, notFound, tooMany } from '../../errors.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { checkWorkflow } from '../../workflows/workflows.ts'
import type {
  CreateWebhook,
  UpdateWebhook,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from './schema.ts'
import { makeSecret, webhookPlace } from './delivery.ts'
import { endpoints, isThere, markDeleted, readDeleted, replaceSecret } from './store.ts'

/**
 * Webhook endpoints of an account: addresses that receive events of its runs. Whatever writes an
 * event inserts its deliveries in the same statement; `definition.ts` sends them. A delivery is
 * pending, succeeded or failed. An endpoint can be inactive, and is deleted in two steps: marked
 * here, its deliveries removed in the background. Its secret, which signs the deliveries, is only
 * in the responses that create or rotate it.
 */

const maxPerAccount = 20

/** Creates an endpoint; its secret is only in this response. */
export async function createWebhook(
  ctx: Context,
  id: string,
  input: CreateWebhook,
): Promise<WebhookEndpointWithSecret> {
  await checkTarget(ctx, input)
  const { secret, sealed } = newSecret(ctx, id)
  return whileLocked(ctx, async (transaction) => {
    const row = { id, ...input, events: [...new Set(input.events)], secret: sealed }
    const deleted = await readDeleted(transaction, ctx.accountId, id)
    // After a crash, a repeated request gets another secret, unless the endpoint was deleted
    // meanwhile.
    if (deleted.hasOne) throw notFound(ctx, 'webhook', id)
    const max = maxPerAccount + deleted.count
    const after = await endpoints.insert(transaction, ctx.accountId, row, max, ['secret'])
    if (after === undefined) throw tooMany(ctx, 'too_many_webhooks', maxPerAccount, 'endpoints')
    await recordAudit(transaction, ctx, { objectId: id, after: toAudited(after) })
    return { ...after, secret }
  })
}

/** Newest first; all if no limit is given. */
export function listWebhooks(
  ctx: Context,
  { limit = maxPerAccount, after }: PageRequest,
): Promise<Page<WebhookEndpoint>> {
  return endpoints.list(ctx.reads, ctx.accountId, { limit, after }, isThere)
}

export async function retrieveWebhook(ctx: Context, id: string): Promise<WebhookEndpoint> {
  const endpoint = await endpoints.find(ctx.database, ctx.accountId, { id, ...isThere })
  if (endpoint === undefined) throw notFound(ctx, 'webhook', id)
  return endpoint
}

/**
 * Changes the given fields; activating it resets its failures. Pending deliveries use the
 * endpoint's state at each attempt.
 */
export async function updateWebhook(
  ctx: Context,
  id: string,
  input: UpdateWebhook,
): Promise<WebhookEndpoint> {
  const { url, workflow_id: workflowId } = await retrieveWebhook(ctx, id)
  // An endpoint can be sent back as it was read, even if the host or workflow no longer exists.
  await checkTarget(ctx, {
    ...(input.url !== undefined && input.url !== url && { url: input.url }),
    ...(input.workflow_id !== workflowId && { workflow_id: input.workflow_id ?? null }),
  })
  const change = {
    ...input,
    ...(input.events && { events: [...new Set(input.events)] }),
    ...(input.active && { consecutive_failures: 0, disabled_at: null, disabled_reason: null }),
  }
  return ctx.database.transaction().execute(async (transaction) => {
    const before = await lockWebhook(transaction, ctx, id)
    const after = await endpoints.update(transaction, ctx.accountId, id, change)
    const audited = { before: toAudited(before), after: toAudited(after) }
    await recordAudit(transaction, ctx, { objectId: id, ...audited })
    return after
  })
}

/**
 * Creates a new secret; the old one also signs for 24 hours. A new secret whose response was lost
 * in a crash never signs.
 */
export function rotateSecret(ctx: Context, id: string): Promise<WebhookEndpointWithSecret> {
  const { secret, sealed } = newSecret(ctx, id)
  return ctx.database.transaction().execute(async (transaction) => {
    await lockWebhook(transaction, ctx, id)
    const keepsPrevious = await isRepeated(transaction, ctx)
    const endpoint = await replaceSecret(transaction, ctx.accountId, id, sealed, { keepsPrevious })
    await recordAudit(transaction, ctx, { objectId: id })
    return { ...endpoint, secret }
  })
}

/**
 * Deletes an endpoint at once; nothing more is sent to it. The background loop deletes its history.
 */
export async function deleteWebhook(ctx: Context, id: string): Promise<void> {
  await ctx.database.transaction().execute(async (transaction) => {
    const before = await lockWebhook(transaction, ctx, id)
    await markDeleted(transaction, ctx.accountId, id)
    await recordAudit(transaction, ctx, { objectId: id, before: toAudited(before) })
  })
}

async function lockWebhook(
  transaction: Transaction,
  ctx: Context,
  id: string,
): Promise<WebhookEndpoint> {
  const where = { id, ...isThere }
  const found = await endpoints.find(transaction, ctx.accountId, where, 'for no key update')
  if (found === undefined) throw notFound(ctx, 'webhook', id)
  return found
}

/** Throws for a URL that may not be called, and for a workflow of another account. */
async function checkTarget(
  ctx: Context,
  { url, workflow_id: workflowId }: { url?: string; workflow_id?: string | null },
): Promise<void> {
  const refusal =
    url === undefined ? undefined : await ctx.outbound.check(url, { allowHttp: 'inside' })
  if (refusal !== undefined) throw cannot(ctx, 'invalid_url', `url ${refusal}`, { param: 'url' })
  if (workflowId != null) await checkWorkflow(ctx, workflowId)
}

function newSecret(
  { secrets, accountId }: Context,
  id: string,
): { secret: string; sealed: Buffer } {
  const secret = makeSecret()
  return { secret, sealed: secrets.seal(Buffer.from(secret), webhookPlace(accountId, id)) }
}

/** Without the query string, which some receivers use as a secret. */
function toAudited({ url, description, events, workflow_id, active }: WebhookEndpoint): object {
  const { origin, pathname, search } = new URL(url)
  const shown = `${origin}${pathname}${search === '' ? '' : '?…'}`
  return { url: shown, description, events, workflow_id, active }
}
