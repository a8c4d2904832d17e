import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toPage, type Cursor, type Page } from '../db/keyset.ts'
import { DomainError } from '../errors.ts'
import { actionOf } from './request.ts'

export { toPage, type Page }

/**
 * Keyset pagination: a cursor has the list's name and the last item's sort key, a time and an id.
 */
export interface PageRequest {
  limit: number | undefined
  after: Cursor | undefined
}

/** The same for a list that is sorted by a text, which is its cursor. */
export interface TextPageRequest {
  limit: number | undefined
  after: string | undefined
}

interface Paging {
  limit?: number | undefined
  after?: string | undefined
}

/** Separates the paging of a list's query from its filters, which are all other parameters. */
export function splitQuery({ query }: FastifyRequest): { paging: Paging; filters: object } {
  const { limit, after, ...filters } = query as Paging
  return { paging: { limit, after }, filters }
}

/** The requested page of a list that is sorted by time. */
export function toPageRequest(request: FastifyRequest): PageRequest {
  const { limit, after } = splitQuery(request).paging
  return { limit, after: after === undefined ? undefined : decodeCursor(after, request) }
}

/** Sets the `Link` header to the next page and returns the items. */
export function sendPage<T>(request: FastifyRequest, reply: FastifyReply, page: Page<T>): T[] {
  if (page.next !== undefined) linkNext(request, reply, encodeCursor(page.next, request))
  return page.items
}

/** A page of a list that is in memory; the whole list if no limit is given. */
export function sendPart<T extends { id: string }>(
  request: FastifyRequest,
  reply: FastifyReply,
  all: T[],
): T[] {
  const { limit = all.length, after } = splitQuery(request).paging
  const cursorOf = ({ id }: T) => Buffer.from(id).toString('base64url')
  const before = after === undefined ? -1 : all.findIndex((item) => cursorOf(item) === after)
  if (after !== undefined && before === -1) throw wrongCursor(actionOf(request))
  const end = before + 1 + limit
  const items = all.slice(before + 1, end)
  const last = items.at(-1)
  if (last !== undefined && end < all.length) linkNext(request, reply, cursorOf(last))
  return items
}

/** A page of a list that is sorted by a text, with the cursor of the next one. */
export interface TextPage<T> {
  items: T[]
  next: string | undefined
}

export function sendTextPage<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { items, next }: TextPage<T>,
): T[] {
  if (next !== undefined) {
    linkNext(
      request,
      reply,
      Buffer.from(`${hashOfPath(request.url)} ${next}`).toString('base64url'),
    )
  }
  return items
}

/** The requested page of such a list. */
export function toTextPageRequest(request: FastifyRequest): TextPageRequest {
  const { limit, after } = splitQuery(request).paging
  if (after === undefined) return { limit, after }
  const text = Buffer.from(after, 'base64url').toString()
  const name = `${hashOfPath(request.url)} `
  if (!text.startsWith(name) || text.includes('\0')) throw wrongCursor(actionOf(request))
  return { limit, after: text.slice(name.length) }
}

function linkNext(request: FastifyRequest, reply: FastifyReply, after: string): void {
  const url = new URL(request.url, 'http://localhost')
  url.searchParams.set('after', after)
  reply.header('link', `<${url.pathname}${url.search}>; rel="next"`)
}

function encodeCursor(cursor: Cursor, request: FastifyRequest): string {
  return cursorText(request.url, cursor)
}

/** The cursor of the list at this address. */
export function cursorText(url: string, { at, id }: Cursor): string {
  return Buffer.from(`${hashOfPath(url)} ${at.getTime()} ${id}`).toString('base64url')
}

function decodeCursor(text: string, request: FastifyRequest): Cursor {
  const [name, ms = '', id = '', ...rest] = Buffer.from(text, 'base64url')
    .toString('latin1')
    .split(' ')
  const isOfList = name === hashOfPath(request.url) && rest.length === 0
  if (!isOfList || !/^\d{1,15}$/.test(ms) || !/^[a-z]+_[0-9a-z]{26}$/.test(id)) {
    throw wrongCursor(actionOf(request))
  }
  return { at: new Date(Number(ms)), id }
}

/** A short hash that identifies a path, including its ids. */
function hashOfPath(url: string): string {
  const path = url.split('?', 1)[0] as string
  return createHash('sha256').update(path).digest('base64url').slice(0, 8)
}

export function wrongCursor(action: string): DomainError {
  return new DomainError(
    'invalid_cursor',
    `Cannot ${action}: after is not a cursor of this list, take it from the Link header`,
    { param: 'after' },
  )
}
