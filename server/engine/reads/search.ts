import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/client.ts'
import { replanned } from '../../db/preparing-client.ts'
import { behind, type Cursor } from '../../db/keyset.ts'
import { costTerm, wordTerm } from '../journal/search-terms.ts'
import { hashWords } from '../journal/run-words.ts'
import { isTerminal, runStatuses, type RunErrorCode } from '../run/run.ts'
import { findRuns } from './find-runs.ts'
import { rowOfRun, toRun, type RunRow } from './rows.ts'
import type { ListedStatus } from '../wire/runs-query.ts'
import type { Run } from '../wire/run.ts'

/**
 * Lists of runs, newest first. A list for several statuses or error codes merges a page of each.
 * Each page comes in the order of an index, of `runs` or of the search terms
 * (`engine/journal/search-terms.ts`). Which index is best depends on how many runs match, so the
 * statement is planned for its values each time.
 */
export interface RunFilter {
  workflowId?: string | undefined
  retryOf?: string | undefined
  forkedFrom?: string | undefined
  statuses?: readonly ListedStatus[] | undefined
  /** Failed runs with one of these codes, whatever the statuses. */
  errorCodes?: readonly RunErrorCode[] | undefined
  createdAfter?: Date | undefined
  createdBefore?: Date | undefined
  minCostUsd?: number | undefined
  /** Runs that have all of these search terms. */
  marks?: readonly string[] | undefined
  /** Runs that have all of these words in their error or tags or, once they ended, in any text. */
  words?: readonly string[] | undefined
  /** Prefix of the run id. */
  idStart?: string | undefined
  limit: number
  after: Cursor | undefined
}

/** Position of a run in a list. */
export interface RunKey {
  id: string
  created_at: Date
}

export async function listRuns(
  database: Database,
  accountId: string,
  filter: RunFilter,
): Promise<Run[]> {
  // Whole rows are read only for the runs on the page.
  if (hasTerms(filter)) {
    const keys = await findRuns(database, accountId, filter)
    const ids = keys.map(({ id }) => id)
    return readRuns(database, accountId, ids)
  }
  const { found, order } = findKeys(accountId, filter)
  const { rows } = await sql<RunRow>`${replanned}
    select ${rowOfRun(accountId)}
    from (${found}) as page
    join runs on runs.account_id = ${accountId} and runs.id = page.id
    order by ${order('page')}`.execute(database)
  return rows.map(toRun)
}

export async function listRunKeys(
  database: Database,
  accountId: string,
  filter: RunFilter,
): Promise<RunKey[]> {
  const { found } = findKeys(accountId, filter)
  return (await sql<RunKey>`${replanned} ${found}`.execute(database)).rows
}

/** How many runs match each filter, up to the filter's limit, in one snapshot. */
export async function countRuns(
  database: Database,
  accountId: string,
  filters: readonly RunFilter[],
): Promise<number[]> {
  // A subquery for each in the select list would be shorter, but Citus may not plan it.
  const parts = filters.map(
    (filter, place) =>
      sql`(select ${sql.lit(place)} as place from (${findKeys(accountId, filter).found}) as one)`,
  )
  const { rows } = await sql<{ place: number; count: number }>`${replanned}
    select place, count(*)::int as count from (${sql.join(parts, sql` union all `)}) as found
    group by place`.execute(database)
  const counts = new Map(rows.map(({ place, count }) => [place, count]))
  return filters.map((_, place) => counts.get(place) ?? 0)
}

/** Runs by id, in this order; deleted ones are left out. */
export async function readRuns(
  database: Database,
  accountId: string,
  ids: string[],
): Promise<Run[]> {
  const { rows } = await sql<RunRow>`
    select ${rowOfRun(accountId)} from runs
    where runs.account_id = ${accountId} and runs.id = any(${ids})`.execute(database)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? []).map(toRun)
}

/** Ids with the same prefix, and the retries and forks of a run, are few or have an order of their own. */
function hasTerms({ words, marks = [], minCostUsd = 0, ...filter }: RunFilter): boolean {
  const { idStart, retryOf, forkedFrom } = filter
  const isNarrow = [idStart, retryOf, forkedFrom].some((value) => value !== undefined)
  return !isNarrow && (words !== undefined || marks.length > 0 || minCostUsd > 0)
}

/** The keys of a page in order, and that order. */
function findKeys(
  accountId: string,
  filter: RunFilter,
): {
  found: RawBuilder<unknown>
  order: (table: string) => RawBuilder<unknown>
} {
  const { workflowId, retryOf, forkedFrom, minCostUsd, idStart, limit, after } = filter
  // Ids grow with time, and ids with the same prefix are adjacent.
  const order = (table: string) =>
    idStart === undefined
      ? sql`${sql.ref(`${table}.created_at`)} desc, ${sql.ref(`${table}.id`)} desc`
      : sql`${sql.ref(`${table}.id`)} desc`
  const conditions = [
    sql`runs.account_id = ${accountId}`,
    ...(workflowId === undefined ? [] : [sql`workflow_id = ${workflowId}`]),
    ...(retryOf === undefined ? [] : [sql`retry_of = ${retryOf}`]),
    ...(forkedFrom === undefined ? [] : [sql`forked_from = ${forkedFrom}`]),
    // Nearly all runs with a cost term cost enough. Written as `+ 0`, so that the planner does not
    // use its statistics.
    ...(minCostUsd === undefined ? [] : [sql`cost_usd + 0 >= ${minCostUsd}`]),
    ...(idStart === undefined ? [] : startsWith(idStart, after)),
    ...inTime('runs', 'id', filter),
  ]
  const pages = kindsOf(filter).map(({ condition, marks, words }) => {
    const joins = marks.map((mark, number) => withMark(accountId, mark, `mark_${number}`, filter))
    if (words !== undefined) joins.push(withWords(accountId, words, filter))
    return sql`
      (select runs.created_at, runs.id from runs ${sql.join(joins, sql` `)}
       where ${sql.join([condition, ...conditions], sql` and `)}
       order by ${order('runs')} limit ${limit})`
  })
  const found = sql`
    select * from (${sql.join(pages, filter.words ? sql` union ` : sql` union all `)}) as found
    order by ${order('found')} limit ${limit}`
  return { found, order }
}

/**
 * A part of a list that comes in the order of one index, with the search terms that its runs must
 * have.
 */
interface Kind {
  condition: RawBuilder<unknown>
  marks: readonly string[]
  /** Words to find in the full-text index of ended runs. */
  words?: readonly string[]
}

/**
 * Words are searched for twice: in the search terms, which every run has at once, and in the full
 * texts.
 */
function kindsOf({ words, ...filter }: RunFilter): Kind[] {
  if (words === undefined) return kindsByMarks(filter)
  const { statuses, workflowId, minCostUsd = 0, errorCodes, marks = [] } = filter
  const isAny = statuses === undefined && workflowId === undefined && errorCodes === undefined
  const ended = (statuses ?? (['completed', 'failed'] as const)).filter(
    (status) => status === 'cancelled' || isTerminal(status),
  )
  const cost = costTerm(minCostUsd)
  // The full-text index has only ended runs, in one order over all statuses.
  const inTexts = isAny
    ? [
        {
          condition: sql`true`,
          marks: cost === undefined ? marks : [...marks, cost],
        },
      ]
    : ended.length === 0
      ? []
      : kindsByMarks({ ...filter, statuses: ended })
  return [
    ...kindsByMarks({ ...filter, marks: [...marks, ...words.map(wordTerm)] }),
    ...inTexts.map((kind) => ({ ...kind, words })),
  ]
}

function kindsByMarks(filter: RunFilter): Kind[] {
  const { statuses, errorCodes, workflowId, minCostUsd = 0, marks = [] } = filter
  const { idStart, retryOf, forkedFrom } = filter
  // Ids with the same prefix, and the retries and forks of a run, are adjacent in their index
  // whatever the status.
  if (idStart !== undefined || retryOf !== undefined || forkedFrom !== undefined) {
    const ofStatus = statuses === undefined ? sql`true` : isOneOf(statuses)
    const condition =
      errorCodes === undefined ? ofStatus : sql`${ofStatus} and error_code = any(${errorCodes})`
    return [{ condition, marks }]
  }
  // The cost term is written when a run ends.
  const cost = costTerm(minCostUsd)
  const ended = cost === undefined ? marks : [...marks, cost]
  if (errorCodes !== undefined) {
    return errorCodes.map((code) => ({
      condition: sql`status = 'failed' and error_code = ${code}`,
      marks: ended,
    }))
  }
  const hasTerms = marks.length > 0 && cost === undefined
  if (hasTerms && statuses === undefined && workflowId === undefined) {
    return [{ condition: sql`true`, marks }]
  }
  // Cancelled runs are among the failed ones.
  const listed = statuses?.includes('failed')
    ? statuses.filter((status) => status !== 'cancelled')
    : (statuses ?? runStatuses)
  return listed.map((status) => ({
    condition: status === 'cancelled' ? isCancelled : sql`status = ${status}`,
    marks: status === 'cancelled' || isTerminal(status) ? ended : marks,
  }))
}

const isCancelled = sql`(status = 'failed' and error_code = 'cancelled')`

function isOneOf(statuses: readonly ListedStatus[]): RawBuilder<unknown> {
  const ofStatus = sql`status = any(${statuses})`
  return statuses.includes('cancelled') ? sql`(${ofStatus} or ${isCancelled})` : ofStatus
}

function withMark(
  accountId: string,
  mark: string,
  name: string,
  filter: RunFilter,
): RawBuilder<unknown> {
  const of = (column: string) => sql.ref(`${name}.${column}`)
  const conditions = [
    sql`${of('account_id')} = ${accountId}`,
    sql`${of('mark')} = ${mark}`,
    sql`${of('run_id')} = runs.id`,
    sql`${of('created_at')} = runs.created_at`,
    ...inTime(name, 'run_id', filter),
  ]
  return sql`join run_marks as ${sql.table(name)} on ${sql.join(conditions, sql` and `)}`
}

function withWords(
  accountId: string,
  words: readonly string[],
  filter: RunFilter,
): RawBuilder<unknown> {
  const conditions = [
    sql`run_words.account_id = ${accountId}`,
    sql`run_words.run_id = runs.id`,
    sql`run_words.created_at = runs.created_at`,
    sql`run_words.words @> ${hashWords(accountId, words)}::bigint[]`,
    ...inTime('run_words', 'run_id', filter),
  ]
  return sql`join run_words on ${sql.join(conditions, sql` and `)}`
}

/** Applied to each table, because PostgreSQL derives only equality conditions across a join. */
function inTime(table: string, id: string, filter: RunFilter): RawBuilder<unknown>[] {
  const { createdAfter, createdBefore, idStart, after } = filter
  const at = sql.ref(`${table}.created_at`)
  return [
    ...(createdAfter === undefined ? [] : [sql`${at} > ${createdAfter}`]),
    ...(createdBefore === undefined ? [] : [sql`${at} < ${createdBefore}`]),
    ...(after === undefined || idStart !== undefined
      ? []
      : [behind(`${table}.created_at`, after, `${table}.${id}`)]),
  ]
}

function startsWith(idStart: string, after: Cursor | undefined): RawBuilder<unknown>[] {
  // `{` is the character after `z`.
  const end = `${idStart}{`
  const isBehind = after !== undefined && after.id < end
  return [sql`runs.id >= ${idStart}`, sql`runs.id < ${isBehind ? after.id : end}`]
}
