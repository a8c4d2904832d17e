import { personOf } from '../../accounts/authors.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { cannot, notFound } from '../../errors.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { findProblem } from '../../runs/check-request.ts'
import { storable } from '../../safe-text.ts'
import { valuesOf, type Event } from './fill-event.ts'
import { readHook } from './hooks.ts'
import { previewEvent, type Routing } from './render.ts'
import type { HookDelivery, HookDeliveryWithBody, HookPreview, PreviewHook } from './schema.ts'
import * as store from './store.ts'

/** Operations on deliveries: list, resend and preview. */

/** Newest first, 50 by default. */
export async function listDeliveries(
  ctx: Context,
  hookId: string,
  { limit = 50, after }: PageRequest,
  status: HookDelivery['status'] | undefined,
): Promise<Page<HookDelivery>> {
  await readHook(ctx, hookId)
  return store.listDeliveries(ctx.reads, ctx.accountId, hookId, { limit, after }, status)
}

export async function retrieveDelivery(
  ctx: Context,
  hookId: string,
  id: string,
): Promise<HookDeliveryWithBody> {
  await readHook(ctx, hookId)
  const { body, ...delivery } = await readDelivery(ctx, hookId, id)
  return { ...delivery, body: storable(body.toString('utf8')) }
}

/** Starts another run for an event, with the hook's current settings. */
export async function sendAgain(
  ctx: Context,
  hookId: string,
  id: string,
  runId: string,
): Promise<HookDelivery> {
  await readHook(ctx, hookId)
  const { status } = await readDelivery(ctx, hookId, id)
  if (status === 'refused') {
    throw cannot(ctx, 'delivery_refused', 'it was refused, and its body was not stored')
  }
  return ctx.database.transaction().execute(async (transaction) => {
    if (!(await store.sendAgain(transaction, ctx.accountId, id, runId, personOf(ctx.actor)))) {
      throw cannot(ctx, 'delivery_pending', 'it is being routed, wait for its run')
    }
    await recordAudit(transaction, ctx, { objectId: hookId, after: { delivery_id: id } })
    const found = await store.findDelivery(transaction, ctx.accountId, hookId, id)
    if (found === undefined) throw notFound(ctx, 'delivery', id)
    const { body: _, headers: __, ...delivery } = found
    return delivery
  })
}

async function readDelivery(
  ctx: Context,
  hookId: string,
  id: string,
): Promise<store.DeliveryWithBytes> {
  const found = await store.findDelivery(ctx.database, ctx.accountId, hookId, id)
  if (found === undefined) throw notFound(ctx, 'delivery', id)
  return found
}

const nothing: Routing = {
  filter: null,
  input: null,
  data: null,
  files: [],
  tags: {},
  version: null,
}

/** Previews the result of a filter and templates for a stored or a given event. Starts no run. */
export async function previewHook(ctx: Context, input: PreviewHook): Promise<HookPreview> {
  const { hook_id: hookId, delivery_id: deliveryId } = input
  if (deliveryId !== undefined && hookId === undefined) {
    const why = 'delivery_id needs the hook_id of its hook'
    throw cannot(ctx, 'required', why, { param: 'hook_id' })
  }
  const hook = hookId === undefined ? undefined : await readHook(ctx, hookId)
  const given = Object.fromEntries(
    Object.keys(nothing).flatMap((name) => (name in input ? [[name, input[name as never]]] : [])),
  )
  const routing = { ...nothing, ...hook, ...given } as Routing
  const event = await eventOf(ctx, input, hook)
  const previewed = await previewEvent(ctx, routing, event)
  const wrong = previewed.run === null ? undefined : findProblem(previewed.run)
  const found = wrong === undefined ? [] : [{ field: wrong.field, why: wrong.why }]
  const problems = [...previewed.problems, ...found]
  const values = valuesOf(event)
  const isDeep = previewed.problems.some(({ field }) => field === 'body')
  return {
    passes: previewed.passes,
    run: wrong === undefined ? previewed.run : null,
    problems,
    values: isDeep ? { ...values, body: null } : values,
  }
}

async function eventOf(
  ctx: Context,
  { delivery_id: deliveryId, body = '{}', content_type: contentType, headers = {} }: PreviewHook,
  hook: store.HookRow | undefined,
): Promise<Event> {
  const named = { id: hook?.id ?? '', name: hook?.name ?? '' }
  if (deliveryId === undefined) {
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    const event = { id: '', type: '', received_at: new Date().toISOString() }
    return {
      bytes: Buffer.from(body),
      contentType: contentType ?? 'application/json',
      headers: Object.fromEntries(lower),
      event,
      hook: named,
    }
  }
  const found = await readDelivery(ctx, hook?.id ?? '', deliveryId)
  return {
    bytes: found.body,
    contentType: found.content_type,
    headers: found.headers,
    event: {
      id: found.event_id ?? '',
      type: found.event_type ?? '',
      received_at: found.received_at.toISOString(),
    },
    hook: named,
  }
}
