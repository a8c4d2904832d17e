import { isRepeated, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { deleteRuns } from '../../engine/journal/prune.ts'
import { hashWords } from '../../engine/journal/run-words.ts'
import { cannot, notFound } from '../../errors.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { wholeWordsOf } from '../../words.ts'
import type { WorkflowDefinition } from '../../workflows/schema.ts'
import { requireWorkflowVersion } from '../../workflows/versions.ts'
import { checkWorkflow } from '../../workflows/workflows.ts'
import { countOpen, readRunIds } from './message-store.ts'
import type { CreateThread, Thread, ThreadsQuery, UpdateThread } from './schema.ts'
import * as store from './store.ts'

/**
 * A thread is a conversation with a workflow: each message of a person is a turn, and each turn is an ordinary run. This
 * file creates, finds, changes and deletes threads; `messages.ts` takes messages, `definition.ts` begins and ends their
 * turns in the background, `summarize.ts` makes what a turn is sent of the earlier ones, and `stream.ts` streams the
 * events of all turns. A thread and its runs are deleted together.
 */

/** Creates a thread, or returns the one with the same key. */
export async function createThread(
  ctx: Context,
  id: string,
  { workflow_id, version = null, title = null, tags = {}, ...body }: CreateThread,
): Promise<{ item: Thread; isNew: boolean }> {
  const { accountId } = ctx
  const key = body.key ?? null
  const existing = await findExisting(ctx, id, { workflow_id, key })
  if (existing !== undefined) return { item: existing, isNew: existing.id === id }
  const workflow = await checkWorkflow(ctx, workflow_id)
  const pinned =
    version === null ? workflow : await requireWorkflowVersion(ctx, workflow_id, version)
  checkThreads(ctx, pinned)
  return ctx.database.transaction().execute(async (transaction) => {
    const words = wordsOfThread(accountId, { key, title, tags })
    const row = { id, workflow_id, version, key, title, tags, words, createdBy: ctx.actor }
    await store.insertThread(transaction, accountId, row)
    const thread = await findExisting({ ...ctx, database: transaction }, id, { workflow_id, key })
    if (thread === undefined) throw new Error(`Thread ${id} was not stored`)
    const isNew = thread.id === id
    if (isNew) await recordAudit(transaction, ctx, { objectId: id, after: thread })
    return { item: thread, isNew }
  })
}

async function findExisting(
  { database, accountId }: Pick<Context, 'database' | 'accountId'>,
  id: string,
  { workflow_id, key }: { workflow_id: string; key: string | null },
): Promise<Thread | undefined> {
  const byId = await store.findThread(database, accountId, id)
  if (byId !== undefined || key === null) return byId
  return store.findByKey(database, accountId, { workflow_id, key })
}

/** Throws if a workflow, in the version of the thread, takes no threads. */
export function checkThreads(ctx: Context, { thread }: Pick<WorkflowDefinition, 'thread'>): void {
  if (thread === null)
    throw cannot(ctx, 'threads_disabled', 'the workflow takes no threads, set its field thread')
}

/** Most recently changed first, 50 by default. */
export function listThreads(
  ctx: Context,
  { limit = 50, after }: PageRequest,
  { q, tag = [], ...filter }: ThreadsQuery,
): Promise<Page<Thread>> {
  const words = q === undefined ? [] : wordsToFind(ctx, q)
  const wanted = [...tag.map(tagWord), ...words]
  const hashes = wanted.length === 0 ? undefined : hashWords(ctx.accountId, wanted)
  const page = { limit, after }
  return store.listThreads(ctx.reads, ctx.accountId, page, { ...filter, words: hashes })
}

const mostWords = 5

function wordsToFind(ctx: Context, q: string): string[] {
  const words = wholeWordsOf(q, mostWords)
  if (words.length > 0) return words
  throw cannot(ctx, 'invalid_value', `q is ${JSON.stringify(q)}, expected words`, { param: 'q' })
}

const tagWord = (tag: string): string => `tag ${tag}`
const indexedWords = 300

/** Hashes of the words and tags that find a thread. */
export function wordsOfThread(
  accountId: string,
  { key, title, tags, text = '' }: Pick<Thread, 'key' | 'title' | 'tags'> & { text?: string },
): string[] {
  const words = [title ?? '', key ?? '', text].flatMap((one) => wholeWordsOf(one, indexedWords))
  const pairs = Object.entries(tags).map(([name, value]) => tagWord(`${name}:${value}`))
  return hashWords(accountId, [...pairs, ...words])
}

export async function retrieveThread(ctx: Context, id: string): Promise<Thread> {
  const thread = await store.findThread(ctx.database, ctx.accountId, id)
  if (thread === undefined) throw notFound(ctx, 'thread', id)
  return thread
}

export async function updateThread(
  ctx: Context,
  id: string,
  change: UpdateThread,
): Promise<Thread> {
  const { accountId } = ctx
  return ctx.database.transaction().execute(async (transaction) => {
    const locked = await store.lockThread(transaction, accountId, id)
    const before = locked && (await store.findThread(transaction, accountId, id))
    if (locked === undefined || before === undefined) throw notFound(ctx, 'thread', id)
    const text = await store.readFirstText(transaction, accountId, id)
    const words = wordsOfThread(accountId, { ...locked, ...change, text })
    const after = await store.updateThread(transaction, accountId, id, { ...change, words })
    await recordAudit(transaction, ctx, { objectId: id, before, after })
    return after
  })
}

/** Deletes a thread with its messages, its summaries and the runs of its turns. */
export async function deleteThread(ctx: Context, id: string): Promise<void> {
  const { accountId } = ctx
  await ctx.database.transaction().execute(async (transaction) => {
    const locked = await store.lockThread(transaction, accountId, id, 'for update')
    if (locked === undefined && (await isRepeated(transaction, ctx))) return
    if (locked === undefined) throw notFound(ctx, 'thread', id)
    const { running } = await countOpen(transaction, accountId, id)
    if (running > 0) throw cannot(ctx, 'thread_busy', 'a turn is in progress, stop it first')
    const { id: _, ...before } = locked
    await deleteRuns(transaction, accountId, await readRunIds(transaction, accountId, id))
    await store.deleteThread(transaction, accountId, id)
    await recordAudit(transaction, ctx, { objectId: id, before })
  })
}
