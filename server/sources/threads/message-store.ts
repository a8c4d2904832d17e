import { sql, type RawBuilder } from 'kysely'
import { notice, withNotices } from '../../db/fragments.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { execute, run } from '../../db/run.ts'
import { threadChannel } from '../../engine/journal/record.ts'
import { actorType, type Person } from '../../engine/run/fields.ts'
import { readRunStates } from '../../engine/reads/run-figures.ts'
import type { ThreadMessage } from './schema.ts'

/** SQL of messages. */

export interface NewMessage {
  id: string
  threadId: string
  turn: number
  text: string
  data: object | null
  files: { id: string; name: string }[]
  author: Person
  /** Reserved for the run of its turn. */
  runId: string
}

/** Stores a message. It is due at once if it is the only open one of its thread, which must be locked. */
export async function insertMessage(
  transaction: Transaction,
  accountId: string,
  { data, author, ...message }: NewMessage,
): Promise<void> {
  const query = sql`
    with stored as (
      insert into thread_messages (account_id, id, thread_id, turn, role, text, data, files, run_id, status, author_id,
                                   author_name, due_at)
      select ${accountId}, ${message.id}, ${message.threadId}, ${message.turn}::int, 'user', ${message.text},
             ${data && JSON.stringify(data)}::json, ${JSON.stringify(message.files)}::jsonb, ${message.runId}, 'queued',
             ${author.id}, ${author.name},
             case when not exists (
               select from thread_messages where ${ofThread(accountId, message.threadId)} and ${isOpen}) then now() end
      returning ${notice({ channel: threadChannel, payload: sql`thread_id` })})
    ${withNotices(sql`select 1 as one from stored`, 'stored')}`
  await execute(transaction, accountId, query)
}

export const ofThread = (accountId: string, threadId: string): RawBuilder<unknown> =>
  sql`account_id = ${accountId} and thread_id = ${threadId}`
export const isOpen: RawBuilder<unknown> = sql`status in ('queued', 'running')`

/** How many messages of a thread are open. */
export async function countOpen(
  database: Database | Transaction,
  accountId: string,
  threadId: string,
): Promise<{ open: number; running: number }> {
  const { rows } = await sql<{ open: number; running: number }>`
    select count(*)::int as open, count(*) filter (where status = 'running')::int as running
    from thread_messages where ${ofThread(accountId, threadId)} and ${isOpen}`.execute(database)
  return rows[0] ?? { open: 0, running: 0 }
}

export interface MessageRow extends Omit<ThreadMessage, 'author' | 'run_id'> {
  run_id: string
  author_id: string | null
  author_name: string | null
}

export const fields: RawBuilder<unknown> = sql`
  id, thread_id, turn, role, text, data, files, run_id, status, why, author_id, author_name, created_at`

export async function toMessages(
  database: Database | Transaction,
  accountId: string,
  rows: MessageRow[],
): Promise<ThreadMessage[]> {
  const running = rows.flatMap(({ status, run_id: id }) => (status === 'running' ? [id] : []))
  const states = await readRunStates(database, accountId, running)
  return rows.map(({ author_id: id, author_name: name, ...row }) => {
    const state = row.status === 'running' ? states.get(row.run_id)?.status : undefined
    const hasRun = row.status === 'running' ? state !== undefined : hasRunAt(row)
    return {
      ...row,
      run_id: hasRun ? row.run_id : null,
      status: state === 'waiting_input' ? state : row.status,
      author: id === null ? null : { type: actorType(id), id, name: name ?? id },
    }
  })
}

/** A message that was refused or cancelled in time has no run. */
function hasRunAt({ status, why }: Pick<MessageRow, 'status' | 'why'>): boolean {
  if (status === 'queued' || status === 'refused') return false
  return status !== 'cancelled' || why !== cancelledEarly
}

/** Why a message has no run, if it was cancelled before its turn. */
export const cancelledEarly = 'Cancelled before its turn'

export async function findMessage(
  database: Database | Transaction,
  accountId: string,
  id: string,
): Promise<ThreadMessage | undefined> {
  const { rows } = await sql<MessageRow>`
    select ${fields} from thread_messages where account_id = ${accountId} and id = ${id}`.execute(
    database,
  )
  return (await toMessages(database, accountId, rows))[0]
}

export interface MessagesQuery {
  limit: number
  /** Position of the last message of the page before. */
  after: { turn: number; role: 'user' | 'assistant' } | undefined
  order: 'asc' | 'desc'
}

/** By turn, the user's message before the answer; or all in the opposite order. */
export async function listMessages(
  database: Database,
  accountId: string,
  threadId: string,
  { limit, after, order }: MessagesQuery,
): Promise<ThreadMessage[]> {
  const isUp = order === 'asc'
  // 'user' comes after 'assistant' in the index.
  const rest = isUp ? sql`turn > ${after?.turn}::int` : sql`turn < ${after?.turn}::int`
  const other = isUp ? 'assistant' : 'user'
  const isFirst = after?.role === (isUp ? 'user' : 'assistant')
  const behind =
    after === undefined
      ? sql`true`
      : isFirst
        ? sql`(${rest} or turn = ${after.turn}::int and role = ${sql.lit(other)})`
        : rest
  const sorted = isUp ? sql`turn, role desc` : sql`turn desc, role`
  const { rows } = await sql<MessageRow>`
    select ${fields} from thread_messages
    where ${ofThread(accountId, threadId)} and ${behind}
    order by ${sorted} limit ${limit}::int`.execute(database)
  return toMessages(database, accountId, rows)
}

/** Messages of the turns from one on, by turn, the user's first. */
export async function readTurns(
  database: Database,
  accountId: string,
  threadId: string,
  { from, to = 2_147_483_647, limit }: { from: number; to?: number; limit: number },
): Promise<ThreadMessage[]> {
  const { rows } = await sql<MessageRow>`
    select ${fields} from thread_messages
    where ${ofThread(accountId, threadId)} and turn >= ${from}::int and turn < ${to}::int
    order by turn, role desc limit ${limit}::int`.execute(database)
  return toMessages(database, accountId, rows)
}

/** The newest answer before a turn. */
export async function readLastAnswer(
  database: Database,
  accountId: string,
  threadId: string,
  beforeTurn: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ text: string }>`
    select text from thread_messages
    where ${ofThread(accountId, threadId)} and turn < ${beforeTurn}::int and role = 'assistant'
    order by turn desc limit 1`.execute(database)
  return rows[0]?.text
}

/** Ids of the messages that wait for their turn; the thread must be locked. */
export async function findQueued(
  transaction: Transaction,
  accountId: string,
  threadId: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from thread_messages where ${ofThread(accountId, threadId)} and status = 'queued'
    order by turn`.execute(transaction)
  return rows.map(({ id }) => id)
}

/** Notes who stops the turn in progress. Returns its run; undefined if there is none. */
export async function noteStop(
  transaction: Transaction,
  accountId: string,
  threadId: string,
  by: Person,
): Promise<string | undefined> {
  const query = sql<{ runId: string }>`
    update thread_messages set stopped_by = ${JSON.stringify(by)}::jsonb, due_at = now()
    where ${ofThread(accountId, threadId)} and status = 'running' returning run_id as "runId"`
  return (await run(transaction, accountId, query))[0]?.runId
}

/** Ids of the runs of a thread. */
export async function readRunIds(
  transaction: Transaction,
  accountId: string,
  threadId: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select run_id as id from thread_messages
    where ${ofThread(accountId, threadId)} and role = 'user'`.execute(transaction)
  return rows.map(({ id }) => id)
}

/** The run that is reserved for a message's turn. */
export async function findRunId(
  database: Database,
  accountId: string,
  id: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ runId: string }>`
    select run_id as "runId" from thread_messages
    where account_id = ${accountId} and id = ${id}`.execute(database)
  return rows[0]?.runId
}
