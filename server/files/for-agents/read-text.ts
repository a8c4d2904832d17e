import type { Database } from '../../db/client.ts'
import type { RunFile } from '../../engine/journal/files.ts'
import { wholeEnd } from '../../safe-text.ts'
import type { ToolResult } from '../../tools/contract.ts'
import { maxPageText } from '../documents/document.ts'
import { findFile, type TextFile } from './find-file.ts'
import { readPages } from './text-store.ts'

/** UTF-16 units of one result: as UTF-8 they fit into the ledger's limit. */
const maxLength = 20_000

export interface ReadInput {
  file: string
  page?: number
  offset?: number
}

/** The text of a file from a page on, up to the limit of one result, and where to continue. */
export async function readText(
  database: Database,
  accountId: string,
  files: RunFile[],
  { file: wanted, page = 1, offset = 0 }: ReadInput,
): Promise<ToolResult> {
  const found = findFile(files, wanted)
  if ('problem' in found) return { status: 'failed', output: `${found.problem}.` }
  const { file } = found
  if (page > file.text_pages) {
    const why = `${file.name} has ${unitsOf(file)} 1 to ${file.text_pages}, not ${page}`
    return { status: 'failed', output: `${why}.` }
  }
  const { content_id: contentId } = file
  const range = { from: page, maxChars: Math.min(offset, maxPageText) + maxLength }
  const pages = await readPages(database, { accountId, contentId }, range)
  return { status: 'succeeded', output: writePages(file, pages, offset) }
}

/** Joins pages until the result is full. */
export function writePages(
  file: Pick<TextFile, 'name' | 'text_pages' | 'text_status' | 'pages'>,
  pages: { page: number; text: string }[],
  offset: number,
  length = maxLength,
): string {
  const parts: string[] = []
  let left = length
  let next: string | undefined
  for (const [place, { page, text }] of pages.entries()) {
    const start = place === 0 ? Math.min(offset, text.length) : 0
    if (left <= 0) {
      next = `page ${page}`
      break
    }
    const piece = text.slice(start, wholeEnd(text, start + left))
    left -= piece.length
    parts.push(`--- ${file.name}, ${unitOf(file)} ${page} of ${file.text_pages} ---\n${piece}`)
    const end = start + piece.length
    if (end < text.length) {
      next = `page ${page}, offset ${end}`
      break
    }
    const isLast = place === pages.length - 1
    if (isLast && page < file.text_pages) next = `page ${page + 1}`
  }
  const end =
    next !== undefined
      ? `[goes on at ${next}]`
      : file.text_status === 'cut'
        ? '[the text of the file was kept only up to here; the file itself goes on]'
        : '[end of the file]'
  return [...parts, end].join('\n\n')
}

/** The unit in which the text of a file is numbered; text without pages has parts. */
function unitOf({ pages }: Pick<TextFile, 'pages'>): string {
  return pages === null ? 'part' : 'page'
}

function unitsOf(file: Pick<TextFile, 'pages'>): string {
  return `${unitOf(file)}s`
}
