import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../db/client.ts'
import {
  entriesOf,
  hasKey,
  inRange,
  intersect,
  type Intersection,
  type OrderedFilter,
} from '../../db/intersect.ts'
import type { Cursor } from '../../db/keyset.ts'
import { replanned } from '../../db/preparing-client.ts'
import { hashWords } from '../journal/run-words.ts'

/**
 * Ended runs that have words in their texts. The full-text index finds all of them at once and in no
 * order. So a word that most runs have is looked up in the newest runs, by time; how many of these
 * have it says how far back to search in the index for a page; and a word that few have is searched
 * for in all of it.
 */
export async function findInTexts(
  database: Database,
  accountId: string,
  asked: Intersection & { words: readonly string[] },
): Promise<Cursor[]> {
  const { checks = [], words, limit, earlier } = asked
  const hashes = sql`${hashWords(accountId, words)}::bigint[]`
  const hasWords = sql`exists (
    select from run_words where run_words.account_id = ${accountId} and run_words.run_id = lead.id
      and run_words.words @> ${hashes} offset 0)`
  const looked = 2 * limit
  const newest = await intersect(database, {
    ...asked,
    checks: [...checks, hasWords],
    most: looked,
  })
  const { keys, cutSpanMs } = newest
  if (cutSpanMs === undefined) return keys
  const start = (asked.after?.at ?? earlier ?? new Date()).getTime()
  const share = keys.length / looked
  const isFrequent = share > rare
  let found: Cursor[] = []
  // Twice as far as it should take; a rare word is then searched for in all the rest, and one that
  // none of these runs has, at once in all.
  let bound = share === 0 ? 0 : start - (cutSpanMs * 2 * limit) / looked / share
  for (let range: Partial<Intersection> = {}; ; bound = start - 4 * (start - bound)) {
    const isLast =
      bound <= (asked.later?.getTime() ?? 0) || (!isFrequent && range.earlier !== undefined)
    const part = {
      ...asked,
      ...range,
      ...(isLast ? {} : { later: new Date(bound) }),
    }
    const missing = limit - found.length
    found = [
      ...found,
      ...(await searchIndex(database, accountId, {
        ...part,
        limit: missing,
        hashes,
        isFrequent,
      })),
    ]
    if (found.length >= limit || isLast) return found
    // The bound itself belongs to the next part.
    range = { earlier: new Date(bound + 1) }
  }
}

/** The share of the newest runs up to which the full-text index leads. */
const rare = 0.04
/** So many runs are looked up by key; more are intersected with the indexes of the filters. */
const fewHits = 100

interface TextSearch {
  hashes: RawBuilder<unknown>
  /** The runs are read by time, whatever the planner takes the words for. */
  isFrequent: boolean
}

async function searchIndex(
  database: Database,
  accountId: string,
  { filters, checks = [], hashes, isFrequent, ...range }: Intersection & TextSearch,
): Promise<Cursor[]> {
  const others = filters.filter(({ table }) => table !== 'run_words')
  const words = ofTexts(accountId)
  const column = isFrequent ? sql`(words || '{}'::bigint[])` : sql`words`
  const found = sql`${words.where} and ${column} @> ${hashes} and ${inRange(words, range)}`
  const having = (conditions: RawBuilder<unknown>[]) =>
    sql.join([...conditions, sql`true`], sql` and `)
  const isMany = sql`(select is_many from size)`
  const indexes = others.map((filter) => {
    const entries = entriesOf(filter, range, sql`${inRange(filter, range)} and ${isMany}`)
    return sql`intersect select at, id from ${entries} as entry`
  })
  const { rows } = await sql<Cursor>`${replanned}
    with hits as materialized (
      select created_at as at, run_id as id from run_words where ${found}
    ), size as materialized (
      select count(*) > ${sql.lit(fewHits)} as is_many from hits
    )
    select at, id from (
      select at, id from hits as lead where not ${isMany} and ${having(others.map(hasKey))}
      union all (select at, id from hits where ${isMany} ${sql.join(indexes, sql` `)})
    ) as lead
    where ${having([...checks])}
    order by at desc, id desc limit ${range.limit}::int`.execute(database)
  return rows
}

/** All ended runs whose texts are indexed. */
export function ofTexts(accountId: string): OrderedFilter {
  const where = sql`run_words.account_id = ${accountId} and run_words.created_at is not null`
  return { table: 'run_words', at: 'created_at', id: 'run_id', where }
}
