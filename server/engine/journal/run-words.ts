import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../../db/client.ts'
import { wholeWordsOf } from '../../words.ts'
import type { Tags } from './search-terms.ts'
import { sql, type RawBuilder } from 'kysely'
import { eachPart, run, type SweepScope } from '../../db/run.ts'

/**
 * The full-text index over a run's input, output, error and tag values. An ended run is queued
 * without words when its usage is folded; a loop reads its texts and indexes them. Step boundaries
 * are not involved, and a crash loses nothing: runs without words are found again. Runs from before
 * the index existed are queued in batches while little else waits.
 */

/** Distinct words of a text that are indexed; the rest of a long text is not searchable. */
const mostWords = 300

export interface RunTexts {
  input: string
  output: string | null
  error: string | null
  tags: Tags | null
}

/** Hashes of all words that find the run. */
export function wordsOfRun(accountId: string, { input, output, error, tags }: RunTexts): string[] {
  const texts = [input, output ?? '', error ?? '', Object.values(tags ?? {}).join(' ')]
  return hashWords(
    accountId,
    texts.flatMap((text) => wholeWordsOf(text, mostWords)),
  )
}

/** A number for each distinct word, as decimal text. Not secret: the index is read by account. */
export function hashWords(accountId: string, words: readonly string[]): string[] {
  const seed = Number(BigInt(hashOf(accountId, 0)) & 0xffff_ffffn)
  return [...new Set(words)].map((word) => String(hashOf(word, seed)))
}

/** cyrb53 of bryc (public domain): 53 bits, some 30 times as fast for a word as a cryptographic hash. */
function hashOf(text: string, seed: number): number {
  let high = 0xdeadbeef ^ seed
  let low = 0x41c6ce57 ^ seed
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 4294967296 * (2097151 & low) + (high >>> 0)
}

/** Indexes one batch of ended runs, or of older ones. True if there is more to do. */
export async function indexRunWords(database: Database): Promise<boolean> {
  const hasMore = await fillDue(database, async ({ accountId, ...texts }) => {
    // Long texts take milliseconds each, so other work gets a turn in between.
    await nextTurn()
    return wordsOfRun(accountId, texts)
  })
  return (await walkOldRuns(database)) || hasMore
}

/** SQL that fills the full-text index of runs. */

const batch = 200
const walkBatch = 500
/** Characters of an output that are indexed; an input is never longer. */
const mostCharacters = 16_000

/** Body of a CTE that queues ended runs for indexing. `ended` is a query of account and run id. */
export function noteEnded(ended: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into run_words (account_id, run_id) ${ended}
    on conflict (account_id, run_id) do nothing`
}

interface DueRun extends RunTexts {
  accountId: string
  runId: string
  createdAt: unknown
  /** False if the run was deleted in the meantime. */
  exists: boolean
}

/** Indexes a batch of each shard. True if one batch was full. */
export async function fillDue(
  database: Database,
  wordsOf: (run: DueRun) => Promise<string[]>,
): Promise<boolean> {
  const due = sql`run_words where words is null`
  return (await eachPart(database, due, (scope) => fillAt(database, scope, wordsOf))) > 0
}

function fillAt(
  database: Database,
  scope: SweepScope,
  wordsOf: (run: DueRun) => Promise<string[]>,
): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    // Skips locked rows, so that processes work on different runs.
    const runs = await run(
      transaction,
      scope,
      sql<DueRun>`
        select due.account_id as "accountId", due.run_id as "runId", runs.id is not null as exists,
               coalesce(runs.input, '') as input, left(runs.output, ${mostCharacters}) as output,
               runs.error, runs.tags, runs.created_at as "createdAt"
        from (select account_id, run_id from run_words where words is null
              order by run_id limit ${sql.lit(batch)} for update skip locked) as due
        left join runs on runs.account_id = due.account_id and runs.id = due.run_id`,
    )
    if (runs.length === 0) return 0
    const filled: object[] = []
    for (const one of runs) {
      const words = one.exists ? await wordsOf(one) : null
      filled.push({
        account_id: one.accountId,
        run_id: one.runId,
        created_at: one.createdAt,
        words,
      })
    }
    const input = sql`json_to_recordset(${JSON.stringify(filled)}::json)
      as input (account_id text, run_id text, created_at timestamptz, words json)`
    const isInput = sql`run_words.account_id = input.account_id and run_words.run_id = input.run_id`
    await run(
      transaction,
      scope,
      sql`
        with filled as (
          update run_words
          set created_at = input.created_at,
              words = array(select word::bigint from json_array_elements_text(input.words) as word)
          from ${input} where ${isInput} and input.words is not null
        ), gone as (
          delete from run_words using ${input} where ${isInput} and input.words is null
        )
        select 1 as one`,
    )
    return runs.length === batch ? 1 : 0
  })
}

/**
 * Queues a batch of old runs of an account of each shard, while few wait to be indexed. True if
 * there are more.
 */
async function walkOldRuns(database: Database): Promise<boolean> {
  const due = sql`run_word_walks where due_at <= now()`
  return (await eachPart(database, due, (scope) => walkAt(database, scope))) > 0
}

async function walkAt(database: Database, scope: SweepScope): Promise<number> {
  const rows = await run(
    database,
    scope,
    sql`
      with walk as materialized (
        select account_id, due_at, walked_to from run_word_walks
        where due_at <= now()
          and (select count(*) from (select 1 from run_words where words is null
                                     limit ${sql.lit(walkBatch)}) as waiting) < ${sql.lit(walkBatch)}
        order by due_at, account_id limit 1 for update skip locked
      ), walked as materialized (
        select old.* from walk cross join lateral (
          select account_id, id, finished_at from runs
          where runs.account_id = walk.account_id and id > walk.walked_to
          order by id limit ${sql.lit(walkBatch)}
        ) as old
      ), noted as (${noteEnded(sql`
        select account_id, id from walked where finished_at is not null`)}
      ), moved as (
        update run_word_walks set walked_to = (select max(id) from walked)
        from walk
        where run_word_walks.account_id = walk.account_id and run_word_walks.due_at = walk.due_at
          and (select count(*) from walked) = ${sql.lit(walkBatch)}
      ), ended as (
        delete from run_word_walks using walk
        where run_word_walks.account_id = walk.account_id and run_word_walks.due_at = walk.due_at
          and (select count(*) from walked) < ${sql.lit(walkBatch)}
      )
      select 1 as one from walk`,
  )
  return rows.length
}
