import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/client.ts'
import type { Cursor } from '../../db/keyset.ts'
import type { PendingRequest } from '../run/pending.ts'
import type { PendingQuery, WaitingRun } from '../wire/pending.ts'
import { excluded, toPending } from './rows.ts'

/**
 * Runs that wait for a person, the longest first. The index `runs_waiting` finds the page. Not a
 * join with the workflows: the planner took it for a few rows, and read and sorted every waiting run.
 */
export async function listWaiting(
  database: Database,
  accountId: string,
  {
    limit,
    after,
    pendingId,
    ...filter
  }: WaitingFilter & { limit: number; after?: Cursor | undefined },
): Promise<WaitingRun[]> {
  // The cursor stands for the last row seen: this list grows at its end.
  const position =
    after === undefined ? sql`true` : sql`(waiting_since, id) > (${after.at}, ${after.id})`
  const { rows } = await sql<{
    run_id: string
    workflow_id: string
    workflow_name: string
    input_preview: string
    pending: PendingRequest
    waiting_since: Date
    expires_at: Date | null
    excluded: string[] | null
  }>`
    select id as run_id, workflow_id, pending, waiting_since, expires_at,
           (select name from workflows
            where workflows.account_id = ${accountId} and workflows.id = runs.workflow_id) as workflow_name,
           trim(left(regexp_replace(left(coalesce(input, ''), 1000), '\\s+', ' ', 'g'), 120)) as input_preview,
           ${excluded(accountId)} as excluded
    from runs
    where account_id = ${accountId} and status = 'waiting_input' and ${position}
      and ${pendingId === undefined ? sql`true` : asks(pendingId)} and ${isFound(accountId, filter)}
    order by waiting_since, id limit ${limit}`.execute(database)
  return rows.map(({ pending, waiting_since, expires_at, excluded: ids, ...row }) => ({
    ...row,
    pending: toPending(pending, waiting_since, expires_at, ids),
  }))
}

type WaitingFilter = Omit<PendingQuery, 'created_before'> & {
  pendingId?: string
  before?: Date | undefined
}

function isFound(
  accountId: string,
  { workflow_id: workflowId, action, assignee, before, q }: Omit<WaitingFilter, 'pendingId'>,
): RawBuilder<boolean> {
  const conditions = [sql`true`]
  if (workflowId !== undefined) conditions.push(sql`workflow_id = ${workflowId}`)
  if (before !== undefined) conditions.push(sql`waiting_since <= ${before}`)
  if (action !== undefined) {
    const isKind = action === 'input' || action === 'budget'
    conditions.push(hasInPending(isKind ? 'kind' : 'tool', action))
  }
  if (assignee !== undefined) {
    conditions.push(sql`id in (
      select run_id from cases where account_id = ${accountId} and assignee_id = ${assignee}
        and strpos(runs.pending::text, pending_id) > 0)`)
  }
  if (q !== undefined) conditions.push(mentions(accountId, q.toLowerCase()))
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

function mentions(accountId: string, text: string): RawBuilder<boolean> {
  return sql<boolean>`(
    strpos(lower(pending::text), ${inJson(text)}) > 0
    or strpos(lower(left(coalesce(input, ''), 1000)), ${text}) > 0
    or workflow_id = any(array(
      select id from workflows
      where account_id = ${accountId} and strpos(lower(name), ${text}) > 0)))`
}

/** Whether the request, or one of its calls, has a value in a field. */
function hasInPending(field: string, value: string): RawBuilder<boolean> {
  return sql<boolean>`(
    strpos(pending::text, ${inJson(value)}) > 0 and (pending ->> ${field} = ${value} or exists (
      select from json_array_elements(pending -> 'calls') as call where call ->> ${field} = ${value})))`
}

/** A text as it stands within JSON. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/**
 * Whether a run waits for a request, or for a case of several, of this id. Only texts that contain
 * the id are parsed, which is several times faster.
 */
function asks(id: string): RawBuilder<boolean> {
  return sql<boolean>`(
    strpos(pending::text, ${id}) > 0 and (
    ${id} in (pending ->> 'id', pending ->> 'case_id') or exists (
      select from json_array_elements(pending -> 'calls') as call where call ->> 'id' = ${id})))`
}
