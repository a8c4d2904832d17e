import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../../db/client.ts'
import { searchWords, type Tags } from './search-terms.ts'
import * as store from './run-words-store.ts'

/**
 * The index of the words in a run's input, output, error and tag values. Runs that ended arrive in it without
 * words, with the fold of their usage; a loop reads their texts and fills it. Neither takes part in a step
 * boundary, and a crash loses nothing: what has no words yet is found again. Runs from before the index are
 * added by walks, a batch at a time, while little else waits.
 */

/** Different words of a text; the rest of a long one is not found. */
const mostWords = 300

export interface RunTexts {
  input: string
  output: string | null
  error: string | null
  tags: Tags | null
}

/** Hashes of all words that the run is found by. */
export function wordsOfRun(accountId: string, { input, output, error, tags }: RunTexts): string[] {
  const texts = [input, output ?? '', error ?? '', Object.values(tags ?? {}).join(' ')]
  return hashWords(
    accountId,
    texts.flatMap((text) => searchWords(text, mostWords)),
  )
}

/** 64-bit integers, as decimal text: JSON numbers would lose digits. */
export function hashWords(accountId: string, words: readonly string[]): string[] {
  return [...new Set(words)].map((word) =>
    createHash('sha256').update(`${accountId} ${word}`).digest().readBigInt64BE().toString(),
  )
}

/** One batch of runs that ended, or of older ones. True when there is more to do. */
export async function indexRunWords(database: Database): Promise<boolean> {
  const hasMore = await store.fillDue(database, async ({ accountId, ...texts }) => {
    // Long texts take milliseconds each.
    await nextTurn()
    return wordsOfRun(accountId, texts)
  })
  return (await store.walkOldRuns(database)) || hasMore
}
