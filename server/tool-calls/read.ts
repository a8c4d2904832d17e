import type { Context } from '../context.ts'
import { toActor } from '../engine/reads/rows.ts'
import {
  findRequest,
  listRequests,
  listToolWorkers,
  type RequestRow,
} from '../engine/reads/requests.ts'
import type { RequestStatus } from '../engine/run/requests.ts'
import { notFound } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import type { RequestedCall, ToolWorker } from './schema.ts'

export async function retrieveCall(ctx: Context, id: string): Promise<RequestedCall> {
  const row = await findRequest(ctx.database, ctx.accountId, id)
  if (row === undefined) throw notFound(ctx, 'tool call', id)
  return toCall(row)
}

/** Newest first, 50 by default. */
export async function listCalls(
  ctx: Context,
  { limit = 50, after }: PageRequest,
  filter: { status?: RequestStatus; name?: string; run_id?: string },
): Promise<Page<RequestedCall>> {
  const page = await listRequests(ctx.reads, ctx.accountId, { limit, after }, filter)
  return { ...page, items: page.items.map(toCall) }
}

function toCall({ claimed_by: id, claimer_name: name, ...row }: RequestRow): RequestedCall {
  return { ...row, claimed_by: toActor(id, name) }
}

const maxShownWorkers = 200

/** The one seen last first. */
export async function listWorkers(ctx: Context): Promise<ToolWorker[]> {
  const rows = await listToolWorkers(ctx.reads, ctx.accountId, maxShownWorkers)
  return rows.map(({ actor_id, actor_name, first_seen_at: since, ...row }) => ({
    ...row,
    key: toActor(actor_id, actor_name) as ToolWorker['key'],
    since,
  }))
}
