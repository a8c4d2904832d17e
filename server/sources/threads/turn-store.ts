import { sql } from 'kysely'
import { notice, withNotices } from '../../db/fragments.ts'
import type { Database, Transaction } from '../../db/client.ts'
import { execute, run, runEach } from '../../db/run.ts'
import { threadChannel } from '../../engine/journal/record.ts'
import type { Person } from '../../engine/run/fields.ts'
import { newId } from '../../ids.ts'
import type { WorkTable } from '../../work/table.ts'
import { fields, isOpen, ofThread, toMessages, type MessageRow } from './message-store.ts'
import type { FinalStatus, ThreadMessage } from './schema.ts'

/** SQL of turns: messages as work, from their beginning to their end. */

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
