import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { behind, type Cursor } from '../db/keyset.ts'
import { actorType } from '../engine/run/fields.ts'
import type { Comment } from './schema.ts'

/** SQL of assignees and comments of cases. */
export interface NotedCase {
  run_id: string
  assignee_id: string | null
}

export async function findNoted(
  database: Database | Transaction,
  accountId: string,
  pendingId: string,
): Promise<NotedCase | undefined> {
  const { rows } = await sql<NotedCase>`
    select run_id, assignee_id from cases
    where account_id = ${accountId} and pending_id = ${pendingId}`.execute(database)
  return rows[0]
}

/** Stores the assignee of a case. */
export async function putAssignee(
  transaction: Transaction,
  accountId: string,
  { pendingId, runId, userId }: { pendingId: string; runId: string; userId: string | null },
): Promise<void> {
  await sql`
    insert into cases (account_id, pending_id, run_id, assignee_id, assigned_at)
    values (${accountId}, ${pendingId}, ${runId}, ${userId}, now())
    on conflict (account_id, pending_id) do update
    set assignee_id = excluded.assignee_id, assigned_at = excluded.assigned_at`.execute(transaction)
}

type CommentRow = Omit<Comment, 'author'> & { author_id: string; author_name: string }

const columns = sql.raw('id, pending_id, run_id, author_id, author_name, text, created_at')

export async function insertComment(
  transaction: Transaction,
  accountId: string,
  comment: Pick<CommentRow, 'id' | 'pending_id' | 'run_id' | 'author_id' | 'author_name' | 'text'>,
): Promise<Comment> {
  const { id, pending_id, run_id, author_id, author_name, text } = comment
  const { rows } = await sql<CommentRow>`
    insert into case_comments (account_id, id, pending_id, run_id, author_id, author_name, text)
    values (${accountId}, ${id}, ${pending_id}, ${run_id}, ${author_id}, ${author_name}, ${text})
    on conflict (account_id, id) do update set id = excluded.id
    returning ${columns}`.execute(transaction)
  return toComment(rows[0] as CommentRow)
}

/** Newest first. */
export async function listComments(
  database: Database,
  accountId: string,
  pendingId: string,
  { limit, after }: { limit: number; after: Cursor | undefined },
): Promise<Comment[]> {
  const { rows } = await sql<CommentRow>`
    select ${columns} from case_comments
    where account_id = ${accountId} and pending_id = ${pendingId} and ${behind('created_at', after)}
    order by created_at desc, id desc limit ${limit}`.execute(database)
  return rows.map(toComment)
}

export async function countComments(
  transaction: Transaction,
  accountId: string,
  pendingId: string,
): Promise<{ count: number; runId: string | null }> {
  const { rows } = await sql<{ count: number; runId: string | null }>`
    select count(*)::int as count, min(run_id) as "runId" from case_comments
    where account_id = ${accountId} and pending_id = ${pendingId}`.execute(transaction)
  return rows[0] ?? { count: 0, runId: null }
}

function toComment({ author_id: id, author_name: name, ...row }: CommentRow): Comment {
  return { ...row, author: { type: actorType(id), id, name } }
}
