import type { Context } from '../context.ts'
import {
  runErrorCodes,
  runStatuses,
  type RunErrorCode,
  type RunStatus,
} from '../engine/state/run.ts'
import { DomainError } from '../errors.ts'
import { toDate } from '../http/schema.ts'
import { toPage, type Page, type PageRequest } from '../http/pagination.ts'
import { retrieveWorkflow } from '../workflows/workflows.ts'
import type { Run } from './schema.ts'
import * as store from './store.ts'

/** Lists of runs, newest first; the 50 most recent where no limit is given. */
const defaultLimit = 50

export async function listRunsOfWorkflow(
  ctx: Context,
  workflowId: string,
  { status, ...page }: PageRequest & { status: RunStatus | undefined },
): Promise<Page<Run>> {
  await retrieveWorkflow(ctx, workflowId)
  return listPage(ctx, page, { workflowId, statuses: status && [status] })
}

/** What the list of all runs is filtered by, as it stands in the address. */
export interface RunsQuery {
  status?: string
  error_code?: string
  workflow_id?: string
  created_after?: string
  created_before?: string
}

/** All runs of the account; every filter and pair of filters reads an index. */
export function listRuns(ctx: Context, page: PageRequest, query: RunsQuery): Promise<Page<Run>> {
  const statuses = wordsOf<RunStatus>('status', query.status, runStatuses)
  const errorCodes = wordsOf<RunErrorCode>('error_code', query.error_code, runErrorCodes)
  // Only failed runs have a code.
  const isNone = errorCodes !== undefined && statuses?.includes('failed') === false
  if (isNone) return Promise.resolve({ items: [], next: undefined })
  return listPage(ctx, page, {
    workflowId: query.workflow_id,
    statuses,
    errorCodes,
    createdAfter: toDate(query.created_after),
    createdBefore: toDate(query.created_before),
  })
}

async function listPage(
  ctx: Context,
  { limit = defaultLimit, after }: PageRequest,
  filter: Omit<store.RunFilter, 'limit' | 'after'>,
): Promise<Page<Run>> {
  const rows = await store.listRuns(ctx.reads, ctx.accountId, {
    ...filter,
    limit: limit + 1,
    after,
  })
  return toPage(rows, limit, (row) => row.created_at)
}

/** A list with commas between, of known words. */
function wordsOf<Word extends string>(
  param: string,
  text: string | undefined,
  known: readonly Word[],
): Word[] | undefined {
  if (text === undefined) return undefined
  const words = [...new Set(text.split(','))]
  const unknown = words.find((word) => !known.some((one) => one === word))
  if (unknown === undefined) return words as Word[]
  throw new DomainError(
    'invalid_value',
    `Cannot list runs: ${param} has ${JSON.stringify(unknown)}, expected ${known.join(', ')}, with commas between`,
    { param },
  )
}
