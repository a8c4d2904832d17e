import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { OwnedTable } from '../../db/owned-table.ts'
import type { Cursor, Page } from '../../db/keyset.ts'
import { eachOf } from '../../db/page.ts'
import { execute } from '../../db/run.ts'
import { requestStatuses, type RequestStatus } from '../run/requests.ts'

/** Reads of calls that are or were requested of workers, with their arguments from the ledger; never a lease. */
export interface RequestRow {
  id: string
  run_id: string
  workflow_id: string
  step_order: number
  agent_id: string | null
  name: string
  input: Record<string, unknown>
  sensitive: boolean
  status: RequestStatus
  try: number
  requested_at: Date
  expires_at: Date
  lease_expires_at: Date | null
  claimed_by: string | null
  claimer_name: string | null
  claimed_at: Date | null
  output: unknown
  error: string | null
  finished_at: Date | null
}

/** The ledger's row is not yet deleted, because both are deleted together. */
const input = (accountId: string) => sql`(
  select call.input from tool_calls as call
  where call.account_id = ${accountId} and call.run_id = requested_calls.run_id
    and call.step_position = requested_calls.step_position and call.turn = requested_calls.turn
    and call.position = requested_calls.position) as input`

const requests = new OwnedTable<RequestRow>(
  'requested_calls',
  [
    'id',
    'run_id',
    'workflow_id',
    'agent_id',
    'name',
    'sensitive',
    'status',
    'try',
    'requested_at',
    'expires_at',
    'lease_expires_at',
    'claimed_by',
    'claimer_name',
    'claimed_at',
    'output',
    'error',
    'finished_at',
    sql`requested_calls.step_position::int as step_order`,
  ],
  'requested_at',
  {},
  input,
)

export function findRequest(
  database: Database | Transaction,
  accountId: string,
  id: string,
): Promise<RequestRow | undefined> {
  return requests.find(database, accountId, { id })
}

/** Newest first. */
export function listRequests(
  database: Database,
  accountId: string,
  page: { limit: number; after: Cursor | undefined },
  { status, ...where }: { status?: RequestStatus; name?: string; run_id?: string },
): Promise<Page<RequestRow>> {
  const each = eachOf('status', status, requestStatuses)
  return requests.list(database, accountId, page, where, each)
}

/** A key or user that asked for calls lately. */
export interface ToolWorkerRow {
  id: string
  actor_id: string
  actor_name: string
  names: string[] | null
  address: string | null
  first_seen_at: Date
  last_seen_at: Date
}

/** The one seen last first. */
export async function listToolWorkers(
  database: Database,
  accountId: string,
  limit: number,
): Promise<ToolWorkerRow[]> {
  const { rows } = await sql<ToolWorkerRow>`
    select id, actor_id, actor_name, names, address, first_seen_at, last_seen_at from tool_workers
    where account_id = ${accountId} and last_seen_at > now() - interval '1 day'
    order by last_seen_at desc, id desc limit ${limit}`.execute(database)
  return rows
}

const maxWorkers = 500

/**
 * Records that a worker has asked for calls. Its time begins anew after a minute of silence; workers that were silent
 * for a day are forgotten.
 */
export async function noteToolWorker(
  database: Database,
  accountId: string,
  {
    id,
    actor_id,
    actor_name,
    names,
    address,
  }: Omit<ToolWorkerRow, 'first_seen_at' | 'last_seen_at'>,
): Promise<void> {
  const query = sql`
    with forgotten as (
      delete from tool_workers
      where account_id = ${accountId} and last_seen_at < now() - interval '1 day' and id <> ${id}
    )
    insert into tool_workers as worker (account_id, id, actor_id, actor_name, names, address)
    select ${accountId}, ${id}, ${actor_id}, ${actor_name}, ${names}::text[], ${address}
    where ${maxWorkers}::int > (
      select count(*) from tool_workers where account_id = ${accountId} and tool_workers.id <> ${id})
    on conflict (account_id, id) do update
      set actor_name = excluded.actor_name, last_seen_at = now(),
          first_seen_at = case when worker.last_seen_at < now() - interval '90 seconds'
                            then now() else worker.first_seen_at end`
  await execute(database, accountId, query)
}
