import { Readable } from 'node:stream'
import { DomainError } from '../errors.ts'
import type { Call } from '../http/operation.ts'
import { findFile } from './files.ts'
import { asAttachment } from './name.ts'
import { sendSlots } from './slots.ts'
import { storeOf } from './store.ts'

/** A client that reads slower is cut off. */
const leastBytesPerSecond = 16 * 1024
const graceMs = 30_000

/** Sends the bytes, or the one range that is asked for, piece by piece as the client reads them. */
export async function sendContent(
  { ctx, params, request, reply }: Pick<Call<'id'>, 'ctx' | 'params' | 'request' | 'reply'>,
  range: string | undefined,
): Promise<void> {
  const file = await findFile(ctx, params.id)
  const key = { accountId: ctx.accountId, contentId: file.content_id }
  const name = await storeOf(ctx.database, key)
  if (name === undefined) throw new DomainError('not_found', `Cannot ${ctx.action}: it is deleted`)
  const { start, end, isPart } = rangeOf(range, file.bytes)
  const slot = await sendSlots.take(ctx.accountId, ctx.action)
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
  const store = ctx.contents.named(name)
  const parts = store.read(key, start, end)[Symbol.asyncIterator]()
  // Reads of the database take turns; a store that is slow holds up nobody else.
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    store.isDatabase ? large.read(request, () => parts.next()) : parts.next()
  // Before the headers: where the store is away, the answer says so.
  const first = await next()
  const inTurn = async function* (): AsyncGenerator<Uint8Array> {
    for (let part = first; part.done !== true; part = await next()) yield part.value
  }
  const text = /^text\/|json$/.test(file.media_type) ? '; charset=utf-8' : ''
  void reply
    .status(isPart ? 206 : 200)
    .headers({
      'content-type': `${file.media_type}${text}`,
      'content-length': end - start,
      'content-disposition': asAttachment(file.name),
      'accept-ranges': 'bytes',
      etag: `"${file.sha256}"`,
      // A page that is opened all the same runs nothing.
      'content-security-policy': "default-src 'none'; sandbox",
      ...(isPart ? { 'content-range': `bytes ${start}-${end - 1}/${file.bytes}` } : {}),
    })
    .send(Readable.from(inTurn(), { objectMode: false, highWaterMark: 64 * 1024 }))
}

/** Of several ranges, or one that cannot be, the whole file is sent, as RFC 9110 allows. */
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
