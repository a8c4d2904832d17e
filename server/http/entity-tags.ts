import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify'

/**
 * Entity tags and the conditions on them, by RFC 9110: `If-Match` compares strongly, `If-None-Match`
 * weakly. The tag of a resource with versions names the live version; that of a read also has a hash
 * of the body, because some fields change without a new version
 * (`docs/decisions/047-a-read-is-tagged-by-its-body.md`).
 */
export interface EntityTag {
  isWeak: boolean
  /** Without its quotes. */
  value: string
}

/** The tags of a condition; `*` stands for any. A tag may lack its quotes, as in `If-Match: 3`. */
export function readTags(header: string): EntityTag[] | '*' {
  if (header.trim() === '*') return '*'
  const tags = header.matchAll(/(?<![^\s,])(W\/)?(?:"([^"]*)"|([^\s,"]+))(?![^\s,])/g)
  return [...tags].map(([, weak, quoted, bare = '']) => ({
    isWeak: weak !== undefined,
    value: quoted ?? bare,
  }))
}

/** Whether the client has this response already, so that 304 without a body is enough. */
export function isCached({ headers }: FastifyRequest, etag: string): boolean {
  const condition = headers['if-none-match']
  if (condition === undefined) return false
  const tags = readTags(condition)
  return tags === '*' || tags.some(({ value }) => `"${value}"` === etag)
}

export function versionTag({ version }: { version: number }): string {
  return `"${version}"`
}

/** The version that a tag of a resource with versions names. */
export function versionOf({ value }: EntityTag): string {
  return value.split('-', 1)[0] as string
}

export function hashOf(body: Buffer | string): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 22)
}

/** For reads of a resource with versions: completes the tag, and answers 304 where it is known. */
export const tagBody: onSendAsyncHookHandler = async (request, reply, payload) => {
  const version = reply.getHeader('etag')
  if (typeof version !== 'string' || typeof payload !== 'string') return payload
  const etag = `${version.slice(0, -1)}-${hashOf(payload)}"`
  reply.header('etag', etag)
  return isCached(request, etag) ? notModified(reply) : payload
}

/** 304 without a body: an empty stream, because Fastify would give an empty text to `HEAD` a `Content-Length` of 0. */
export function notModified(reply: FastifyReply): Readable {
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  return Readable.from([])
}
