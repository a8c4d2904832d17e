import type { Database } from '../../db/client.ts'
import type { RunFile } from '../../engine/journal/files.ts'
import type { ToolResult } from '../../tools/contract.ts'
import { findFile, whyUnreadable, type TextFile } from './find-file.ts'
import { matchPages, readExcerpts, type PageMatch } from './text-store.ts'

/**
 * Finds words in the text of a run's files, without an index: PostgreSQL scans a few hundred pages
 * in milliseconds, and the time limit bounds the rest. The result says what was not searched.
 */
export interface SearchInput {
  query: string
  file?: string
}

const maxWords = 12
const mostResults = 8
/** Characters around a match. */
const excerptLength = 600
const beforeLength = 200
/** Pages per statement. */
const pagesAtOnce = 500
const maxMs = 10_000

export async function searchText(
  database: Database,
  accountId: string,
  files: RunFile[],
  { query, file: wanted }: SearchInput,
  signal: AbortSignal,
): Promise<ToolResult> {
  const words = searchWords(query)
  if (words.length === 0) {
    return { status: 'failed', output: 'The query holds no word to look for.' }
  }
  const found = wanted === undefined ? undefined : findFile(files, wanted)
  if (found !== undefined && 'problem' in found) {
    return { status: 'failed', output: `${found.problem}.` }
  }
  const among =
    found === undefined
      ? files.filter((file): file is TextFile => whyUnreadable(file) === undefined)
      : [found.file]
  const until = performance.now() + maxMs
  const matches: Match[] = []
  const left: string[] = []
  for (const file of among) {
    for (let from = 1; from <= file.text_pages; from += pagesAtOnce) {
      if (signal.aborted || performance.now() > until) {
        left.push(`${file.name} from page ${from}`)
        break
      }
      const range = { from, to: from + pagesAtOnce - 1 }
      const key = { accountId, contentId: file.content_id }
      const pages = await matchPages(database, key, words, range)
      matches.push(...pages.map((page) => ({ ...page, file })))
    }
  }
  const best = bestMatches(matches, words)
  const texts = await readExcerpts(
    database,
    accountId,
    best.map(({ file, page, at }) => ({
      contentId: file.content_id,
      page,
      start: Math.max(1, at - beforeLength),
      length: excerptLength,
    })),
  )
  const results = best.map(
    ({ file, page }, place) =>
      `${file.name}, page ${page}:\n…${(texts[place] ?? '').replaceAll(/\s+/g, ' ').trim()}…`,
  )
  const unread =
    wanted === undefined ? files.filter((file) => whyUnreadable(file) !== undefined) : []
  return { status: 'succeeded', output: report(results, matches.length, words, left, unread) }
}

export interface Match extends PageMatch {
  file: TextFile
}

/**
 * The distinct words of a query, in NFC and lower case; words of one letter count only in scripts
 * that have them.
 */
export function searchWords(query: string): string[] {
  const plain = query.normalize('NFC').toLowerCase()
  const words = plain.match(/[\p{L}\p{M}\p{N}]+(?:[.'’_@-][\p{L}\p{M}\p{N}]+)*/gu) ?? []
  return [...new Set(words)].slice(0, maxWords)
}

/**
 * The best pages: each word counts more if fewer pages have it, and of equal pages the first wins.
 * `at` is the position of the page's rarest word.
 */
export function bestMatches(matches: Match[], words: string[]): (Match & { at: number })[] {
  const pagesWith = words.map(
    (_, number) => matches.filter(({ places }) => (places[number] ?? 0) > 0).length,
  )
  const weights = pagesWith.map((count) =>
    count === 0 ? 0 : 1 + Math.log(matches.length / count) * 2,
  )
  return matches
    .map((match) => {
      const present = match.places.flatMap((at, number) =>
        at > 0 ? [{ at, weight: weights[number] ?? 0 }] : [],
      )
      const score = present.reduce((sum, { weight }) => sum + weight, 0)
      const rarest = present.toSorted((a, b) => b.weight - a.weight)[0]
      return { ...match, score, at: rarest?.at ?? 1 }
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, mostResults)
}

function report(
  results: string[],
  count: number,
  words: string[],
  left: string[],
  unread: RunFile[],
): string {
  const head =
    count === 0
      ? `No page has any of the words ${words.join(', ')}. Try other words, or read the file.`
      : `${count} ${count === 1 ? 'page has' : 'pages have'} some of the words; ${count > results.length ? `the best ${results.length}` : 'best first'}:`
  const notes = [
    ...(left.length === 0
      ? []
      : [`Not looked through for lack of time: ${left.slice(0, 20).join(', ')}.`]),
    ...unread.slice(0, 20).map((file) => `${file.name} ${whyUnreadable(file)}.`),
  ]
  return [head, ...results, ...notes].join('\n\n')
}
