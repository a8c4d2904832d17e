import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/client.ts'
import { intersect, type OrderedFilter } from '../../db/intersect.ts'
import type { Cursor } from '../../db/keyset.ts'
import { costTerm, wordTerm } from '../journal/search-terms.ts'
import { isTerminal, runStatuses } from '../run/run.ts'
import type { ListedStatus } from '../wire/runs-query.ts'
import { findInTexts, ofTexts } from './find-in-texts.ts'
import type { RunFilter } from './search.ts'

/**
 * The keys of a page of runs that have search terms: each term, and each status, is an index in the
 * order of the list, so they are intersected (`db/intersect.ts`). Words are searched for twice: in
 * the search terms, which every run has at once, and in the texts of ended runs.
 */
export async function findRuns(
  database: Database,
  accountId: string,
  filter: RunFilter,
): Promise<Cursor[]> {
  const { words, marks = [], limit, after, createdAfter: later, createdBefore: earlier } = filter
  const range = { after, later, earlier, limit }
  const terms = words === undefined ? marks : [...marks, ...words.map(wordTerm)]
  let found: Cursor[] = []
  for (const search of searchesOf(accountId, { ...filter, marks: terms })) {
    const { keys } = await intersect(database, { ...range, ...search })
    found = merge(found, keys, limit)
  }
  if (words === undefined) return found
  const statuses = (filter.statuses ?? ended).filter(isEnded)
  for (const { filters, checks } of searchesOf(accountId, { ...filter, statuses }, true)) {
    // Of a full page, only newer runs are of interest.
    const last = found.length < limit ? undefined : found.at(-1)
    const newer = last === undefined ? {} : { later: last.at }
    const search = { filters, checks, words, ...range, ...newer }
    found = merge(found, await findInTexts(database, accountId, search), limit)
  }
  return found
}

function merge(some: Cursor[], others: Cursor[], limit: number): Cursor[] {
  const byId = new Map([...some, ...others].map((key) => [key.id, key]))
  const newest = [...byId.values()].toSorted(
    (a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1),
  )
  return newest.slice(0, limit)
}

interface Search {
  filters: readonly [OrderedFilter, ...OrderedFilter[]]
  checks: RawBuilder<unknown>[]
}

const ended = runStatuses.filter(isTerminal)

function isEnded(status: ListedStatus): boolean {
  return status === 'cancelled' || isTerminal(status)
}

/** What to intersect, for runs of one kind each. `inTexts`: only runs that have ended. */
function searchesOf(accountId: string, filter: RunFilter, inTexts = false): Search[] {
  const { statuses, workflowId, errorCodes, marks = [], minCostUsd = 0 } = filter
  const terms = marks.map((mark) => ofTerm(accountId, mark))
  const hasAll = inTexts ? ended.every((one) => statuses?.includes(one)) : statuses === undefined
  const isAny = hasAll && workflowId === undefined && errorCodes === undefined
  const search = (
    some: readonly ListedStatus[],
    all: OrderedFilter[],
    checks: RawBuilder<unknown>[],
    needsStatus: boolean,
  ): Search[] => {
    // Only failed runs have an error code.
    if (errorCodes === undefined ? some.length === 0 : !some.some(isEnded)) return []
    const isOf = needsStatus || !isAny ? [ofStatuses(accountId, filter, some)] : []
    const [first = ofTexts(accountId), ...others] = [...isOf, ...all]
    return [{ filters: [first, ...others], checks }]
  }
  const asked = statuses ?? runStatuses
  if (minCostUsd === 0) return search(asked, terms, [], !inTexts && terms.length === 0)
  const checks = [costs(accountId, minCostUsd)]
  const cost = costTerm(minCostUsd)
  // A queued run has cost nothing, and a running one has no term of its cost.
  const [running, priced] = [
    asked.filter((status) => status === 'running'),
    asked.filter((status) => status === 'waiting_input' || isEnded(status)),
  ]
  const costly = cost === undefined ? terms : [...terms, ofTerm(accountId, cost)]
  return [
    ...search(priced, costly, checks, cost === undefined && !inTexts),
    ...search(running, terms, checks, true),
  ]
}

function ofTerm(accountId: string, mark: string): OrderedFilter {
  const where = sql`run_marks.account_id = ${accountId} and run_marks.mark = ${mark}`
  return { table: 'run_marks', at: 'created_at', id: 'run_id', where }
}

/** Runs in one of these statuses, of the workflow, with one of the error codes. */
function ofStatuses(
  accountId: string,
  { workflowId, errorCodes }: RunFilter,
  statuses: readonly ListedStatus[],
): OrderedFilter {
  const ofWorkflow = workflowId === undefined ? sql`true` : sql`workflow_id = ${workflowId}`
  const where = sql`runs.account_id = ${accountId} and ${ofWorkflow}`
  const filter = { table: 'runs', at: 'created_at', id: 'id', where } as const
  if (errorCodes !== undefined) {
    return {
      ...filter,
      each: errorCodes.map((code) => sql`error_code = ${code}`),
    }
  }
  // Cancelled runs are among the failed ones.
  const listed = statuses.filter((one) => one !== 'cancelled' || !statuses.includes('failed'))
  const each = listed.map((status) =>
    status === 'cancelled' ? sql`error_code = 'cancelled'` : sql`status = ${status}`,
  )
  return { ...filter, each }
}

function costs(accountId: string, minCostUsd: number): RawBuilder<unknown> {
  return sql`exists (
    select from runs where runs.account_id = ${accountId} and runs.id = lead.id
      and cost_usd >= ${minCostUsd} offset 0)`
}
