import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../db/client.ts'
import { shareFiles } from '../../engine/journal/files.ts'
import { cannot, notFound } from '../../errors.ts'
import { wrongCursor, type TextPage, type TextPageRequest } from '../../http/pagination.ts'
import { personOf } from '../../accounts/authors.ts'
import { readResult } from '../../engine/reads/run-figures.ts'
import { cancelRun } from '../../runs/cancel.ts'
import { boundedData } from '../../runs/trigger.ts'
import { wholeEnd } from '../../safe-text.ts'
import { checkData, checkDataAgainst } from '../../workflows/check-data.ts'
import { requireWorkflowVersion } from '../../workflows/versions.ts'
import { requireWorkflow } from '../../workflows/workflows.ts'
import * as messages from './message-store.ts'
import * as turns from './turn-store.ts'
import type { CreateMessage, StopThread, Thread, ThreadMessage, ThreadSummary } from './schema.ts'
import * as store from './store.ts'
import { checkThreads, retrieveThread, wordsOfThread } from './threads.ts'
import { publishEvent } from '../../sends/webhooks/deliveries.ts'
import { newId } from '../../ids.ts'

/** Messages of a thread: written, listed and stopped. Their turns begin in `definition.ts`. */

/** Messages that wait for their turn beside the one whose turn is in progress. */
const maxWaiting = 20

export async function sendMessage(
  ctx: Context,
  threadId: string,
  id: string,
  { input, data = null, files = [] }: CreateMessage,
  /** Called with the run of its turn, before that can begin. */
  announce: (runId: string) => Promise<void> = async () => {},
): Promise<ThreadMessage> {
  const { accountId } = ctx
  const existing = await messages.findMessage(ctx.database, accountId, id)
  if (existing !== undefined) return existing
  const thread = await retrieveThread(ctx, threadId)
  if (input === undefined && data === null)
    throw cannot(ctx, 'required', 'input is required where there is no data', { param: 'input' })
  refuseClosed(ctx, thread)
  await checkMessage(ctx, thread, boundedData(ctx, data))
  const runId = newId('run')
  await announce(runId)
  return ctx.database.transaction().execute(async (transaction) => {
    const locked = await store.lockThread(transaction, accountId, threadId)
    if (locked === undefined) throw notFound(ctx, 'thread', threadId)
    const stored = await messages.findMessage(transaction, accountId, id)
    if (stored !== undefined) return stored
    refuseClosed(ctx, locked)
    const { open } = await messages.countOpen(transaction, accountId, threadId)
    if (open > maxWaiting) {
      const why = `${maxWaiting} messages wait for their turn, the maximum`
      throw cannot(ctx, 'thread_full', why)
    }
    const turn = locked.turns + 1
    const text = input ?? ''
    const author = personOf(ctx.actor)
    const named = await nameFiles(ctx, transaction, files)
    const message = { id, threadId, turn, text, data, files: named, author, runId }
    await messages.insertMessage(transaction, accountId, message)
    const title = locked.title ?? (turn === 1 ? titleOf(text) : null)
    const words = turn === 1 ? wordsOfThread(accountId, { ...locked, title, text }) : null
    await store.countMessage(transaction, accountId, threadId, { turn, title, words })
    const after = { message_id: id, turn }
    await recordAudit(transaction, ctx, { objectId: threadId, after })
    return (await messages.findMessage(transaction, accountId, id)) as ThreadMessage
  })
}

/** A message, as it is now. */
export async function retrieveMessage(ctx: Context, id: string): Promise<ThreadMessage> {
  const message = await messages.findMessage(ctx.database, ctx.accountId, id)
  if (message === undefined) throw notFound(ctx, 'message', id)
  return message
}

function refuseClosed(ctx: Context, { status }: Pick<Thread, 'status'>): void {
  if (status === 'closed') throw cannot(ctx, 'thread_closed', 'the thread is closed')
}

/** Throws what a trigger of the workflow would refuse now. */
async function checkMessage(
  ctx: Context,
  { workflow_id: workflowId, version }: Thread,
  data: object | null,
): Promise<void> {
  const workflow = await requireWorkflow(ctx, workflowId)
  if (workflow.status === 'paused') throw cannot(ctx, 'workflow_paused', 'the workflow is paused')
  if (version === null) {
    checkThreads(ctx, workflow)
    await checkData(ctx, workflowId, data)
    return
  }
  const pinned = await requireWorkflowVersion(ctx, workflowId, version)
  checkThreads(ctx, pinned)
  const { input_schema: schema } = pinned
  if (schema !== null) await checkDataAgainst(ctx, JSON.stringify(schema), data)
}

/** The files with their names. They must exist, each once. */
async function nameFiles(
  ctx: Context,
  transaction: Transaction,
  files: string[],
): Promise<{ id: string; name: string }[]> {
  if (files.length === 0) return []
  const found = await shareFiles(transaction, ctx.accountId, files)
  return files.map((id, index) => {
    const name = found.get(id)
    const param = `files[${index}]`
    if (name === undefined) {
      throw cannot(ctx, 'unknown_file', `${param} is ${id}, which is no file of this account`, {
        param,
      })
    }
    if (files.indexOf(id) < index) {
      const why = `${param} names ${id} again, expected each once`
      throw cannot(ctx, 'invalid_value', why, { param })
    }
    return { id, name }
  })
}

const maxTitle = 80

/** The first line of a message. */
function titleOf(text: string): string | null {
  const [line = ''] = text.trim().split('\n', 1)
  const title = line.length <= maxTitle ? line : `${line.slice(0, wholeEnd(line, maxTitle - 1))}…`
  return title.trim() === '' ? null : title.trim()
}

/** By turn, the message before its answer; or with `order` `desc` the newest first. 50 by default. */
export async function listMessages(
  ctx: Context,
  id: string,
  { limit = 50, after }: TextPageRequest,
  order: 'asc' | 'desc' = 'asc',
): Promise<TextPage<ThreadMessage>> {
  await retrieveThread(ctx, id)
  const [, turn, role] = /^(\d{1,9})-(user|assistant)$/.exec(after ?? '') ?? []
  if (after !== undefined && turn === undefined) throw wrongCursor(ctx.action)
  const cursor =
    turn === undefined ? undefined : { turn: Number(turn), role: role as ThreadMessage['role'] }
  const asked = { limit: limit + 1, after: cursor, order }
  const rows = await messages.listMessages(ctx.reads, ctx.accountId, id, asked)
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { items, next: hasMore ? `${last.turn}-${last.role}` : undefined }
}

/** Newest first, 50 by default. */
export async function listSummaries(
  ctx: Context,
  id: string,
  { limit = 50, after }: TextPageRequest,
): Promise<TextPage<ThreadSummary>> {
  await retrieveThread(ctx, id)
  if (after !== undefined && !/^\d{1,9}$/.test(after)) throw wrongCursor(ctx.action)
  const asked = { limit: limit + 1, before: Number(after ?? 2_147_483_647) }
  const rows = await store.listSummaries(ctx.reads, ctx.accountId, id, asked)
  const items = rows.slice(0, limit)
  return { items, next: rows.length > limit ? String(items.at(-1)?.through_turn) : undefined }
}

/** Cancels the turn in progress, and with `cancel` the messages that wait for their turn. */
export async function stopThread(
  ctx: Context,
  id: string,
  { queued = 'keep' }: StopThread,
): Promise<Thread> {
  const { accountId } = ctx
  const runId = await ctx.database.transaction().execute(async (transaction) => {
    const locked = await store.lockThread(transaction, accountId, id)
    if (locked === undefined) throw notFound(ctx, 'thread', id)
    const stopped = await messages.noteStop(transaction, accountId, id, personOf(ctx.actor))
    const waiting = queued === 'keep' ? [] : await messages.findQueued(transaction, accountId, id)
    for (const one of waiting) {
      const end = { status: 'cancelled', why: messages.cancelledEarly } as const
      await turns.endMessage(transaction, { accountId, id: one, threadId: id }, end)
      const thread = await store.findThread(transaction, accountId, id)
      const message = await messages.findMessage(transaction, accountId, one)
      await publishEvent(transaction, accountId, {
        id: newId('evt'),
        type: 'thread.message',
        data: { thread, message, answer: null },
        workflowId: locked.workflow_id,
      })
    }
    await recordAudit(transaction, ctx, {
      objectId: id,
      after: { run_id: stopped ?? null, cancelled: waiting.length },
    })
    return stopped
  })
  // A run that has not been started yet is cancelled by the pass that starts it.
  if (runId !== undefined && (await readResult(ctx.database, accountId, runId)) !== undefined)
    await cancelRun(ctx, runId)
  return retrieveThread(ctx, id)
}
