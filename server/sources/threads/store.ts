import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { behind, toPage, type Cursor, type Page } from '../../db/keyset.ts'
import { eachOf, pageOf } from '../../db/page.ts'
import { OwnedTable, type RowLock } from '../../db/owned-table.ts'
import { readPendingIds } from '../../engine/reads/run-figures.ts'
import { actorType } from '../../engine/run/fields.ts'
import { threadStatuses, type Thread, type ThreadSummary } from './schema.ts'

/** SQL of threads and their summaries; that of messages is in `message-store.ts`. */

interface ThreadRow extends Omit<Thread, 'created_by' | 'waiting'> {
  created_by: string
  creator_name: string
  /** The run of the turn in progress. */
  open_run: string | null
}

const openRun = (accountId: string) => sql`(
  select run_id from thread_messages as message
  where message.account_id = ${accountId} and message.thread_id = threads.id and message.status = 'running'
  limit 1) as open_run`

const table = new OwnedTable<ThreadRow>(
  'threads',
  [
    sql`
      threads.id, workflow_id, version, key, title, tags, status, turns, last_message_at,
      cost_usd::float8 as cost_usd, tokens_in::float8 as tokens_in, tokens_out::float8 as tokens_out,
      created_by, creator_name, created_at, updated_at`,
  ],
  'updated_at',
  {},
  openRun,
)

async function toThreads(
  database: Database | Transaction,
  accountId: string,
  rows: ThreadRow[],
): Promise<Thread[]> {
  const runs = rows.flatMap(({ open_run: run }) => run ?? [])
  const waiting = await readPendingIds(database, accountId, runs)
  return rows.map(({ created_by: id, creator_name: name, open_run: run, ...row }) => ({
    ...row,
    waiting: waiting.get(run ?? '') ?? null,
    created_by: { type: actorType(id), id, name },
  }))
}

async function toThread(
  database: Database | Transaction,
  accountId: string,
  row: ThreadRow | undefined,
): Promise<Thread | undefined> {
  return row && (await toThreads(database, accountId, [row]))[0]
}

export interface NewThread {
  id: string
  workflow_id: string
  version: number | null
  key: string | null
  title: string | null
  tags: Record<string, string>
  words: string[]
  createdBy: { id: string; name: string }
}

/** Inserts a thread, unless its id or key is taken. */
export async function insertThread(
  transaction: Transaction,
  accountId: string,
  { createdBy, ...thread }: NewThread,
): Promise<void> {
  await sql`
    insert into threads (account_id, id, workflow_id, version, key, title, tags, words, created_by, creator_name)
    values (${accountId}, ${thread.id}, ${thread.workflow_id}, ${thread.version}::int, ${thread.key}, ${thread.title},
            ${JSON.stringify(thread.tags)}::jsonb, ${thread.words}::bigint[], ${createdBy.id}, ${createdBy.name})
    on conflict do nothing`.execute(transaction)
}

export async function findThread(
  database: Database | Transaction,
  accountId: string,
  id: string,
): Promise<Thread | undefined> {
  return toThread(database, accountId, await table.find(database, accountId, { id }))
}

export async function findByKey(
  database: Database | Transaction,
  accountId: string,
  of: { workflow_id: string; key: string },
): Promise<Thread | undefined> {
  return toThread(database, accountId, await table.find(database, accountId, of))
}

/** What `lockThread` reads. */
export type LockedThread = Pick<
  Thread,
  'id' | 'workflow_id' | 'version' | 'title' | 'key' | 'tags' | 'status' | 'turns'
>

/** Locks a thread until the transaction ends. It is locked before its messages. */
export async function lockThread(
  transaction: Transaction,
  accountId: string,
  id: string,
  lock: RowLock = 'for no key update',
): Promise<LockedThread | undefined> {
  const { rows } = await sql<LockedThread>`
    select id, workflow_id, version, title, key, tags, status, turns from threads
    where account_id = ${accountId} and id = ${id} ${sql.raw(lock)}`.execute(transaction)
  return rows[0]
}

export async function updateThread(
  transaction: Transaction,
  accountId: string,
  id: string,
  change: {
    title?: string | null
    tags?: Record<string, string>
    status?: string
    words?: string[]
  },
): Promise<Thread> {
  const { words, ...rest } = change
  const row = { ...rest, ...(words && { words: `{${words.join(',')}}` }) }
  const updated = await table.update(transaction, accountId, id, row as Partial<ThreadRow>)
  return (await toThread(transaction, accountId, updated)) as Thread
}

/** Counts a message that was written. */
export async function countMessage(
  transaction: Transaction,
  accountId: string,
  id: string,
  { turn, title, words }: { turn: number; title: string | null; words: string[] | null },
): Promise<void> {
  await sql`
    update threads
    set turns = ${turn}::int, last_message_at = now(), updated_at = now(),
        title = ${title}, words = coalesce(${words}::bigint[], words)
    where account_id = ${accountId} and id = ${id}`.execute(transaction)
}

export interface Spent {
  costUsd: number
  tokensIn: number
  tokensOut: number
}

/** Counts what a turn or a summary cost. Null if the thread was deleted. */
export async function countSpent(
  transaction: Transaction,
  accountId: string,
  id: string,
  { costUsd, tokensIn, tokensOut }: Spent,
): Promise<Thread | undefined> {
  const { rows } = await sql<ThreadRow>`
    update threads
    set cost_usd = cost_usd + ${costUsd}::numeric, tokens_in = tokens_in + ${tokensIn}::bigint,
        tokens_out = tokens_out + ${tokensOut}::bigint, updated_at = now()
    where account_id = ${accountId} and id = ${id} returning ${table.fields}, ${openRun(accountId)}`.execute(
    transaction,
  )
  return toThread(transaction, accountId, rows[0])
}

export interface ThreadFilter {
  workflow_id?: string | undefined
  key?: string | undefined
  status?: Thread['status'] | undefined
  /** Hashes of words and tags that all have to occur. */
  words?: string[] | undefined
}

/** Most recently changed first. */
export async function listThreads(
  database: Database,
  accountId: string,
  { limit, after }: { limit: number; after: Cursor | undefined },
  { words, status, ...filter }: ThreadFilter,
): Promise<Page<Thread>> {
  const conditions: RawBuilder<unknown>[] = [
    sql`account_id = ${accountId}`,
    ...(filter.workflow_id === undefined ? [] : [sql`workflow_id = ${filter.workflow_id}`]),
    ...(filter.key === undefined ? [] : [sql`key = ${filter.key}`]),
    ...(words === undefined ? [] : [sql`words @> ${words}::bigint[]`]),
    behind('updated_at', after),
  ]
  const order = sql`updated_at desc, id desc`
  const page = pageOf({
    table: 'threads',
    where: sql.join(conditions, sql` and `),
    each: eachOf('status', status, threadStatuses),
    order,
    limit: limit + 1,
  })
  const { rows } = await sql<ThreadRow>`
    select ${table.fields}, ${openRun(accountId)} from ${page} as threads order by ${order}`.execute(
    database,
  )
  const { items, next } = toPage(rows, limit, (row) => row.updated_at)
  return { items: await toThreads(database, accountId, items), next }
}

/** Deletes a thread with its messages and summaries. Its runs are `engine/journal`'s. */
export async function deleteThread(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<void> {
  await sql`delete from threads where account_id = ${accountId} and id = ${id}`.execute(transaction)
}

export interface NewSummary extends Omit<ThreadSummary, 'created_at'> {
  thread_id: string
}

/** False if there is one of these turns already. */
export async function insertSummary(
  transaction: Transaction,
  accountId: string,
  one: NewSummary,
): Promise<boolean> {
  const { rows } = await sql`
    insert into thread_summaries (account_id, id, thread_id, through_turn, text, tokens_before, tokens_after, model,
                                  cost_usd)
    values (${accountId}, ${one.id}, ${one.thread_id}, ${one.through_turn}, ${one.text}, ${one.tokens_before},
            ${one.tokens_after}, ${one.model}, ${one.cost_usd})
    on conflict do nothing returning 1`.execute(transaction)
  return rows.length > 0
}

const summaryFields = sql`
  id, through_turn, text, tokens_before, tokens_after, model, cost_usd::float8 as cost_usd, created_at`

/** The newest summary of turns before one. */
export async function findSummary(
  database: Database,
  accountId: string,
  threadId: string,
  beforeTurn: number,
): Promise<ThreadSummary | undefined> {
  const { rows } = await sql<ThreadSummary>`
    select ${summaryFields} from thread_summaries
    where account_id = ${accountId} and thread_id = ${threadId} and through_turn < ${beforeTurn}::int
    order by through_turn desc limit 1`.execute(database)
  return rows[0]
}

/** Newest first; `before` is the turn of the last one of the page before. */
export async function listSummaries(
  database: Database,
  accountId: string,
  threadId: string,
  { limit, before }: { limit: number; before: number },
): Promise<ThreadSummary[]> {
  const { rows } = await sql<ThreadSummary>`
    select ${summaryFields} from thread_summaries
    where account_id = ${accountId} and thread_id = ${threadId} and through_turn < ${before}::int
    order by through_turn desc limit ${limit}::int`.execute(database)
  return rows
}

/** Text of the first message; empty if there is none. */
export async function readFirstText(
  transaction: Transaction,
  accountId: string,
  threadId: string,
): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    select text from thread_messages
    where account_id = ${accountId} and thread_id = ${threadId} and turn = 1 and role = 'user'`.execute(
    transaction,
  )
  return rows[0]?.text ?? ''
}
