import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Cursor } from '../db/keyset.ts'
import { DomainError } from '../errors.ts'

/** Keyset pages: a cursor is the sort key of the last item, a time and an id. */
export interface PageRequest {
  limit: number | undefined
  after: Cursor | undefined
}

export interface Page<T> {
  items: T[]
  /** Cursor of the next page; undefined on the last. */
  next: Cursor | undefined
}

/** Reads `limit` and `after`. */
export function toPageRequest(
  query: { limit?: number; after?: string },
  action: string,
): PageRequest {
  return {
    limit: query.limit,
    after: query.after === undefined ? undefined : decodeCursor(query.after, action),
  }
}

/** Makes a page of rows that were read with one more than the limit; `timeOf` is what sorts them. */
export function toPage<Row extends { id: string }>(
  rows: Row[],
  limit: number,
  timeOf: (row: Row) => Date,
): Page<Row> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const isCut = rows.length > limit && last !== undefined
  return { items, next: isCut ? { at: timeOf(last), id: last.id } : undefined }
}

/** Sets the `Link` header to the next page and returns the items. */
export function sendPage<T>(request: FastifyRequest, reply: FastifyReply, page: Page<T>): T[] {
  if (page.next !== undefined) {
    const url = new URL(request.url, 'http://localhost')
    url.searchParams.set('after', encodeCursor(page.next))
    reply.header('link', `<${url.pathname}${url.search}>; rel="next"`)
  }
  return page.items
}

function encodeCursor(cursor: Cursor): string {
  return Buffer.from(`${cursor.at.getTime()} ${cursor.id}`).toString('base64url')
}

function decodeCursor(text: string, action: string): Cursor {
  const match = /^(\d{1,15}) ([a-z]+_[0-9a-z]{26})$/.exec(
    Buffer.from(text, 'base64url').toString('latin1'),
  )
  if (match === null) {
    throw new DomainError(
      'invalid_cursor',
      `Cannot ${action}: after is not a cursor of this list, take it from the Link header`,
      { param: 'after' },
    )
  }
  return { at: new Date(Number(match[1])), id: match[2] as string }
}
