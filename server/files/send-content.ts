import { Readable } from 'node:stream'
import { DomainError } from '../errors.ts'
import { isCached, notModified } from '../http/entity-tags.ts'
import type { Call } from '../http/operation.ts'
import type { ContentKey, Contents } from '../contents/contents.ts'
import { findFile } from './files.ts'
import { asAttachment } from './name.ts'
import { storeOf } from './store.ts'

/** A slower client is disconnected. */
const leastBytesPerSecond = 16 * 1024
const graceMs = 30_000

type Asked = Pick<Call<'id'>, 'ctx' | 'params' | 'request' | 'reply'>

/**
 * Streams the bytes, or one requested range, as fast as the client reads. For HEAD it sends only
 * the headers.
 */
export async function sendContent(asked: Asked, range: string | undefined): Promise<void> {
  const { ctx, params, request, reply } = asked
  const isHead = request.method === 'HEAD'
  const file = await findFile(ctx, params.id)
  const key = { accountId: ctx.accountId, contentId: file.content_id }
  const name = await storeOf(ctx.database, key)
  if (name === undefined) throw new DomainError('not_found', `Cannot ${ctx.action}: it is deleted`)
  const etag = `"${file.sha256}"`
  if (isCached(request, etag)) return void reply.header('etag', etag).send(notModified(reply))
  const isRanged = !isHead && (request.headers['if-range'] ?? etag) === etag
  const { start, end, isPart } = rangeOf(isRanged ? range : undefined, file.bytes)
  const store = ctx.contents.named(name)
  // Before the headers, so that an unavailable store gives an error response.
  const parts = isHead ? [] : await openParts(asked, store, { key, start, end })
  const text = /^text\/|json$/.test(file.media_type) ? '; charset=utf-8' : ''
  void reply
    .status(isPart ? 206 : 200)
    .headers({
      'content-type': `${file.media_type}${text}`,
      'content-length': end - start,
      'content-disposition': asAttachment(file.name),
      'accept-ranges': 'bytes',
      etag,
      // If a browser opens it as a page anyway, nothing in it runs.
      'content-security-policy': "default-src 'none'; sandbox",
      ...(isPart ? { 'content-range': `bytes ${start}-${end - 1}/${file.bytes}` } : {}),
    })
    .send(Readable.from(parts, { objectMode: false, highWaterMark: 64 * 1024 }))
}

/** The bytes; the first part is already read. */
async function openParts(
  { ctx, request, reply }: Asked,
  store: Contents,
  { key, start, end }: { key: ContentKey; start: number; end: number },
): Promise<AsyncIterable<Uint8Array>> {
  const slot = await ctx.limits.fileDownloads.take(ctx.accountId, ctx.action)
  const timer = setTimeout(
    () => reply.raw.destroy(),
    graceMs + (1_000 * (end - start)) / leastBytesPerSecond,
  ).unref()
  const release = (): void => {
    clearTimeout(timer)
    slot[Symbol.dispose]()
  }
  if (reply.raw.destroyed) release()
  else reply.raw.once('close', release)
  const { large } = request.server
  const parts = store.read(key, start, end)[Symbol.asyncIterator]()
  // Reads of the database take turns; a slow store does not delay anyone else.
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    store.isDatabase ? large.read(request, () => parts.next()) : parts.next()
  const first = await next()
  return (async function* () {
    for (let part = first; part.done !== true; part = await next()) yield part.value
  })()
}

/** For several ranges, or an invalid one, the whole file is sent, as RFC 9110 allows. */
function rangeOf(
  header: string | undefined,
  bytes: number,
): { start: number; end: number; isPart: boolean } {
  const whole = { start: 0, end: bytes, isPart: false }
  const [, first = '', last = ''] = /^bytes=(\d{0,10})-(\d{0,10})$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return whole
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  return start < end ? { start, end, isPart: true } : whole
}
