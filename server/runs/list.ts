import type { Context } from '../context.ts'
import { runErrorCodes, type RunErrorCode } from '../engine/run/run.ts'
import { agentTerm, tagTerm, threadTerm, warningTerm } from '../engine/journal/search-terms.ts'
import { wholeWordsOf } from '../words.ts'
import { cannot } from '../errors.ts'
import { toDate } from '../wire-types.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import { requireWorkflow } from '../workflows/workflows.ts'
import { listedStatuses, type ListedStatus, type RunsQuery } from '../engine/wire/runs-query.ts'
import { type Run } from '../engine/wire/run.ts'
import * as store from '../engine/reads/search.ts'
import type { PendingQuery, WaitingRun } from '../engine/wire/pending.ts'
import { listWaiting } from '../engine/reads/waiting.ts'

/** Lists of runs, newest first; 50 by default. */
const defaultLimit = 50

export async function listRunsOfWorkflow(
  ctx: Context,
  workflowId: string,
  { status, ...page }: PageRequest & { status: ListedStatus | undefined },
): Promise<Page<Run>> {
  await requireWorkflow(ctx, workflowId)
  return listPage(ctx, page, { workflowId, statuses: status && [status] })
}

/** All runs of the account. An index serves every filter and every pair of filters. */
export async function listRuns(
  ctx: Context,
  page: PageRequest,
  query: RunsQuery,
): Promise<Page<Run>> {
  const filter = toFilter(ctx, query)
  return filter === undefined ? none : listPage(ctx, page, filter)
}

/** The same, with only the ids. */
export async function listRunKeys(
  ctx: Context,
  { limit, after }: PageRequest & { limit: number },
  query: RunsQuery,
): Promise<Page<store.RunKey>> {
  const filter = toFilter(ctx, query)
  if (filter === undefined) return none
  const asked = { ...filter, limit: limit + 1, after }
  const keys = await store.listRunKeys(ctx.reads, ctx.accountId, asked)
  return toPage(keys, limit, (key) => key.created_at)
}

const none = { items: [], next: undefined }

type Filter = Omit<store.RunFilter, 'limit' | 'after'>

/** Undefined if no run can match. */
export function toFilter(ctx: Context, query: RunsQuery): Filter | undefined {
  const statuses = wordsOf<ListedStatus>(ctx, 'status', query.status, listedStatuses)
  const codes = wordsOf<RunErrorCode>(ctx, 'error_code', query.error_code, runErrorCodes)
  const idStart = /^run_[0-9a-z]*$/.exec(query.q ?? '')?.[0]
  // Only failed runs have an error code.
  const errorCodes =
    statuses === undefined || statuses.includes('failed')
      ? codes
      : codes?.filter((code) => code === 'cancelled' && statuses.includes(code))
  if (errorCodes?.length === 0) return undefined
  return {
    workflowId: query.workflow_id,
    retryOf: query.retry_of,
    forkedFrom: query.forked_from,
    minCostUsd: query.min_cost_usd,
    marks: [
      ...(query.agent_id === undefined ? [] : [agentTerm(query.agent_id)]),
      ...(query.thread_id === undefined ? [] : [threadTerm(query.thread_id)]),
      ...(query.tag ?? []).map(termOfTag),
      ...(query.has_warnings === true ? [warningTerm] : []),
    ],
    words: idStart === undefined ? wordsToFind(ctx, query.q) : undefined,
    idStart,
    statuses,
    errorCodes,
    createdAfter: toDate(query.created_after),
    createdBefore: toDate(query.created_before),
  }
}

async function listPage(
  ctx: Context,
  { limit = defaultLimit, after }: PageRequest,
  filter: Filter,
): Promise<Page<Run>> {
  const rows = await store.listRuns(ctx.reads, ctx.accountId, {
    ...filter,
    limit: limit + 1,
    after,
  })
  return toPage(rows, limit, (row) => row.created_at)
}

/** `customer:acme`; the value may contain colons. */
function termOfTag(text: string): string {
  const place = text.indexOf(':')
  return tagTerm(text.slice(0, place), text.slice(place + 1))
}

/** Each additional word makes the query slower. */
const mostWords = 5

function wordsToFind(ctx: Context, q: string | undefined): string[] | undefined {
  if (q === undefined) return undefined
  const words = wholeWordsOf(q, mostWords)
  if (words.length > 0) return words
  const why = `q is ${JSON.stringify(q)}, expected words, or the start of a run id`
  throw cannot(ctx, 'invalid_value', why, { param: 'q' })
}

/** A comma-separated list of known words. */
function wordsOf<Word extends string>(
  ctx: Context,
  param: string,
  text: string | undefined,
  known: readonly Word[],
): Word[] | undefined {
  if (text === undefined) return undefined
  const words = [...new Set(text.split(','))]
  const unknown = words.find((word) => !known.some((one) => one === word))
  if (unknown === undefined) return words as Word[]
  const why = `${param} has ${JSON.stringify(unknown)}, expected ${known.join(', ')}, with commas between`
  throw cannot(ctx, 'invalid_value', why, { param })
}

const defaultPendingLimit = 100

/** Pending requests of the account, oldest first. */
export async function listPending(
  ctx: Context,
  page: PageRequest,
  { created_before: before, ...query }: PendingQuery,
): Promise<Page<WaitingRun>> {
  const limit = page.limit ?? defaultPendingLimit
  const rows = await listWaiting(ctx.reads, ctx.accountId, {
    ...query,
    before: toDate(before),
    limit: limit + 1,
    after: page.after,
  })
  const keyed = rows.map((row) => ({ id: row.run_id, row }))
  const { items, next } = toPage(keyed, limit, ({ row }) => row.pending.created_at)
  return { items: items.map(({ row }) => row), next }
}
