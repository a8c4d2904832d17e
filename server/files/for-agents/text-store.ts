import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'

/** SQL of the text of files for agents. */
interface ContentOf {
  accountId: string
  contentId: string
}

/** Texts of pages from one on, up to a number of characters; at least one page. */
export async function readPages(
  database: Database,
  { accountId, contentId }: ContentOf,
  { from, maxChars, maxPages = 1_000 }: { from: number; maxChars: number; maxPages?: number },
): Promise<{ page: number; text: string }[]> {
  const { rows } = await sql<{ page: number; text: string }>`
    select page, text from (
      select page, text, sum(length(text)) over (order by page) - length(text) as before
      from (select page, text from file_pages
            where account_id = ${accountId} and content_id = ${contentId} and page >= ${from}::int
            order by page limit ${maxPages}::int) as next
    ) as counted
    where before < ${maxChars}::int order by page`.execute(database)
  return rows
}

export interface PageMatch {
  page: number
  /** First position of each word, from 1; 0 if the page does not have it. */
  places: number[]
}

/**
 * Pages in a range that contain any of the words, which are in lower case and NFC like stored
 * pages. ICU converts pages to lower case, because a database with the C locale only converts
 * ASCII.
 */
export async function matchPages(
  database: Database,
  { accountId, contentId }: ContentOf,
  words: string[],
  { from, to }: { from: number; to: number },
): Promise<PageMatch[]> {
  const { rows } = await sql<PageMatch>`
    select page, places
    from file_pages
    cross join lateral (
      select lower(text collate "und-x-icu") collate "C" as lowered offset 0
    ) as small
    cross join lateral (
      select array_agg(strpos(lowered, word) order by number) as places
      from unnest(${words}::text[]) with ordinality as given (word, number)
    ) as found
    where account_id = ${accountId} and content_id = ${contentId}
      and page between ${from}::int and ${to}::int and 0 < any(places)`.execute(database)
  return rows
}

/** Excerpts of pages around positions. */
export async function readExcerpts(
  database: Database,
  accountId: string,
  wanted: { contentId: string; page: number; start: number; length: number }[],
): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select coalesce(substr(file_pages.text, wanted.start, wanted.length), '') as text
    from json_to_recordset(${JSON.stringify(wanted.map((one, number) => ({ ...one, number })))}::json)
      as wanted ("contentId" text, page int, start int, length int, number int)
    left join file_pages on file_pages.account_id = ${accountId}
      and file_pages.content_id = wanted."contentId" and file_pages.page = wanted.page
    order by wanted.number`.execute(database)
  return rows.map(({ text }) => text)
}
