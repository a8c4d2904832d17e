import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/client.ts'
import { intersect } from '../../db/intersect.ts'
import type { Cursor } from '../../db/keyset.ts'
import { pageOf } from '../../db/page.ts'
import type { PendingRequest } from '../run/pending.ts'
import type { PendingQuery, WaitingRun } from '../wire/pending.ts'
import { excluded, toPending } from './rows.ts'

/**
 * Runs that wait for a person, the longest first. The page is found by an index of what waits, and
 * the workflow's name, the preview of the input and the policies are read for its rows alone.
 */
export async function listWaiting(
  database: Database,
  accountId: string,
  asked: WaitingQuery,
): Promise<WaitingRun[]> {
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
    from ${await findPage(database, accountId, asked)} as runs
    order by waiting_since, id`.execute(database)
  return rows.map(({ pending, waiting_since, expires_at, excluded: ids, ...row }) => ({
    ...row,
    pending: toPending(pending, waiting_since, expires_at, ids),
  }))
}

interface WaitingQuery extends Omit<PendingQuery, 'created_before'> {
  /** Id of a request, or of a case of several. */
  pendingId?: string
  before?: Date | undefined
  limit: number
  after?: Cursor | undefined
}

const order = sql`waiting_since, id`

async function findPage(
  database: Database,
  accountId: string,
  asked: WaitingQuery,
): Promise<RawBuilder<unknown>> {
  const { workflow_id: workflowId, action, assignee, pendingId, before, q, limit, after } = asked
  const isWaiting = sql`account_id = ${accountId} and status = 'waiting_input'`
  const ofWorkflow = workflowId === undefined ? sql`true` : sql`workflow_id = ${workflowId}`
  const others = [
    q === undefined ? sql`true` : mentions(accountId, q.toLowerCase()),
    // The cursor stands for the last row seen: this list grows at its end.
    after === undefined ? sql`true` : sql`(waiting_since, id) > (${after.at}, ${after.id})`,
    before === undefined ? sql`true` : sql`waiting_since <= ${before}`,
  ]
  const where = sql.join([isWaiting, ofWorkflow, ...others], sql` and `)
  const page = { table: 'runs', order, limit } as const
  if (assignee !== undefined) {
    const ofAction = action === undefined ? sql`true` : hasAction(action)
    const ofRequest = pendingId === undefined ? sql`true` : asks(pendingId)
    return sql`(
      select runs.* from cases cross join lateral (
        select * from runs
        where ${where} and ${ofAction} and ${ofRequest} and id = cases.run_id
          and strpos(pending::text, cases.pending_id) > 0
        offset 0) as runs
      where cases.account_id = ${accountId} and cases.assignee_id = ${assignee}
      order by ${order} limit ${limit}::int)`
  }
  if (pendingId !== undefined) return pageOf({ ...page, where, each: withId(pendingId) })
  if (action === undefined) return pageOf({ ...page, where })
  if (workflowId === undefined || q !== undefined) {
    return pageOf({ ...page, where, each: forAction(action) })
  }
  const inOrder = { table: 'runs', at: 'waiting_since', id: 'id' } as const
  const { keys } = await intersect(database, {
    filters: [
      { ...inOrder, where: sql`${isWaiting} and ${ofWorkflow}` },
      { ...inOrder, where: isWaiting, each: forAction(action), isExpression: true },
    ],
    isAscending: true,
    after,
    earlier: before && new Date(before.getTime() + 1),
    limit,
  })
  const ids = keys.map(({ id }) => id)
  return sql`(select * from runs where ${isWaiting} and id = any(${ids}))`
}

/* The expressions of the indexes `runs_waiting_…`. A request's own fields come before those of its arguments. */
const isInCase = sql`pending::text ~ '"(calls|case_id)"'`
const isAlone = sql`pending::text !~ '"(calls|case_id)"'`
const actionOf = sql`
  coalesce(substring(pending::text from '"tool" ?: ?"([^"]*)"'), substring(pending::text from '"kind" ?: ?"([^"]*)"'))`
const idOf = sql`substring(pending::text from '"id" ?: ?"([^"]*)"')`

function forAction(action: string): RawBuilder<unknown>[] {
  const single = sql`(${isAlone} and ${actionOf} = ${action} and ${hasAction(action)})`
  return [single, sql`(${isInCase} and ${hasAction(action)})`]
}

function withId(id: string): RawBuilder<unknown>[] {
  return [sql`(${isAlone} and ${idOf} = ${id})`, sql`(${isInCase} and ${asks(id)})`]
}

function hasAction(action: string): RawBuilder<boolean> {
  const isKind = action === 'input' || action === 'budget'
  return hasInPending(isKind ? 'kind' : 'tool', action)
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
