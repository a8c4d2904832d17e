import { sql } from 'kysely'
import { notice, withNotices } from '../../db/fragments.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { execute, run, runEach } from '../../db/run.ts'
import { threadChannel } from '../../engine/journal/record.ts'
import { actorType, type Person } from '../../engine/run/fields.ts'
import { readRunStates } from '../../engine/reads/run-figures.ts'
import { newId } from '../../ids.ts'
import type { WorkTable } from '../../work/table.ts'
import type { FinalStatus, ThreadMessage } from './schema.ts'

/** SQL of messages. */

/** The first open message of a thread, whose turn is to begin or has ended. */
export interface DueMessage {
  accountId: string
  id: string
  threadId: string
  turn: number
  text: string
  data: Record<string, unknown> | null
  files: { id: string; name: string }[]
  runId: string
  status: 'queued' | 'running'
  tries: number
  ageSeconds: number
  author: Person
  stoppedBy: Person | null
  workflowId: string
  version: number | null
  tags: Record<string, string>
}

/** Messages as work. A message is due to begin its turn, and again once its run has ended. */
export const dueMessages: WorkTable<DueMessage> = {
  name: 'thread_messages',
  isOpen: sql`item.due_at is not null`,
  dueAt: 'due_at',
  claimedUntil: 'claimed_until',
  leaseSeconds: 15,
  columns: sql`
    claimed.thread_id as "threadId", claimed.turn, claimed.text, claimed.data, claimed.files,
    claimed.run_id as "runId", claimed.status, claimed.tries,
    extract(epoch from now() - claimed.created_at)::float8 as "ageSeconds",
    json_build_object('id', claimed.author_id, 'name', claimed.author_name) as author,
    claimed.stopped_by as "stoppedBy", threads.workflow_id as "workflowId", threads.version, threads.tags`,
  joins: sql`join threads on threads.account_id = claimed.account_id and threads.id = claimed.thread_id`,
  settled: { columns: {} },
}

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

const ofThread = (accountId: string, threadId: string) =>
  sql`account_id = ${accountId} and thread_id = ${threadId}`
const isOpen = sql`status in ('queued', 'running')`

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

interface MessageRow extends Omit<ThreadMessage, 'author' | 'run_id'> {
  run_id: string
  author_id: string | null
  author_name: string | null
}

const fields = sql`
  id, thread_id, turn, role, text, data, files, run_id, status, why, author_id, author_name, created_at`

async function toMessages(
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

/** Marks a turn as begun; false if its message was cancelled meanwhile. */
export async function beginTurn(
  database: Database,
  { accountId, id }: Pick<DueMessage, 'accountId' | 'id'>,
): Promise<boolean> {
  const query = sql<{ id: string }>`
    update thread_messages set status = 'running', why = null
    where account_id = ${accountId} and id = ${id} and ${isOpen} returning id`
  return (await run(database, accountId, query)).length > 0
}

export interface Waiting {
  accountId: string
  id: string
  waitSeconds: number
  why: string | null
  tries: number
  /** No run was begun, so it waits for its turn again. */
  isUnstarted: boolean
}

/**
 * Records that messages wait: for the end of their run, or for the next try to begin it. One whose run has ended meanwhile
 * is due at once. Returns those that a person has stopped.
 */
export async function settleWaiting(
  database: Database,
  waiting: Waiting[],
): Promise<{ accountId: string; id: string; runId: string; stoppedBy: Person }[]> {
  const sorted = waiting.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return runEach(database, sorted, (part) => {
    const input = part.map(({ accountId, waitSeconds, isUnstarted, ...one }, number) => ({
      number,
      account_id: accountId,
      wait_seconds: waitSeconds,
      is_unstarted: isUnstarted,
      ...one,
    }))
    const query = sql<{ accountId: string; id: string; runId: string; stoppedBy: Person | null }>`
      update thread_messages as message
      set status = case when input.is_unstarted then 'queued' else message.status end,
          why = input.why, tries = input.tries, claimed_until = null,
          due_at = case when message.run_ended then now() else now() + input.wait_seconds * interval '1 second' end
      from json_to_recordset(${JSON.stringify(input)}::json) as input
        (number int, account_id text, id text, wait_seconds float8, why text, tries int, is_unstarted boolean)
      where message.account_id = input.account_id and message.id = input.id and message.status in ('queued', 'running')
      returning message.account_id as "accountId", message.id, message.run_id as "runId",
                message.stopped_by as "stoppedBy"`
    return run(database, part, query)
  }).then((rows) =>
    rows.flatMap(({ stoppedBy, ...row }) => (stoppedBy === null ? [] : [{ ...row, stoppedBy }])),
  )
}

/**
 * Ends an open message, and makes the next one of its thread due. False if it has ended. The thread must be locked.
 */
export async function endMessage(
  transaction: Transaction,
  { accountId, id, threadId }: Pick<DueMessage, 'accountId' | 'id' | 'threadId'>,
  { status, why }: { status: FinalStatus; why: string | null },
): Promise<boolean> {
  const ended = sql<{ id: string }>`
    update thread_messages
    set status = ${status}, why = ${why}, due_at = null, claimed_until = null, ended_at = now()
    where account_id = ${accountId} and id = ${id} and ${isOpen} returning id`
  if ((await run(transaction, accountId, ended)).length === 0) return false
  const next = sql`
    with next as (
      update thread_messages set due_at = now()
      where account_id = ${accountId} and thread_id = ${threadId} and status = 'queued' and turn = (
        select min(turn) from thread_messages where ${ofThread(accountId, threadId)} and ${isOpen})
      returning ${notice({ channel: threadChannel, payload: sql`thread_id` })})
    ${withNotices(sql`select 1 as one from next`, 'next')}`
  await execute(transaction, accountId, next)
  return true
}

export interface Answer {
  text: string
  data: Record<string, unknown> | null
  files: { id: string; name: string }[]
}

/** Stores the answer of a turn. */
export async function insertAnswer(
  transaction: Transaction,
  {
    accountId,
    threadId,
    turn,
    runId,
  }: Pick<DueMessage, 'accountId' | 'threadId' | 'turn' | 'runId'>,
  { text, data, files }: Answer,
): Promise<ThreadMessage> {
  const { rows } = await sql<MessageRow>`
    insert into thread_messages (account_id, id, thread_id, turn, role, text, data, files, run_id, status, ended_at)
    values (${accountId}, ${newId('msg')}, ${threadId}, ${turn}, 'assistant', ${text},
            ${data && JSON.stringify(data)}::json, ${JSON.stringify(files)}::jsonb, ${runId}, 'answered', now())
    returning ${fields}`.execute(transaction)
  return (await toMessages(transaction, accountId, rows))[0] as ThreadMessage
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
