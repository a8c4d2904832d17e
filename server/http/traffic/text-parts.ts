import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Written at a time; others get their turn in between. */
const pieceMs = 3
const partBytes = 64 * 1024

/** Makes bytes of texts, in pieces, so that nobody waits for all of a large answer, or for a piece of each. */
export async function writeParts(texts: Iterable<string>): Promise<Buffer[]> {
  const parts: Buffer[] = []
  let text = ''
  let pieceBegan = performance.now()
  for (const one of texts) {
    text += one
    if (text.length >= partBytes) {
      parts.push(Buffer.from(text))
      text = ''
    }
    if (performance.now() - pieceBegan < pieceMs) continue
    await nextTurn()
    pieceBegan = performance.now()
  }
  parts.push(Buffer.from(text))
  return parts
}

const waiting: (() => void)[] = []

/** One piece is written in a turn of the event loop, however many answers are being made. */
function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (waiting.push(resolve) === 1) setImmediate(wakeFirst)
  return promise
}

function wakeFirst(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(wakeFirst)
}

/** Sets the length of the answer; what to send is not copied together, which would take as long again. */
export function toPayload(
  reply: FastifyReply,
  parts: readonly Buffer[],
  mayLeave?: MayLeave,
): Buffer | TextParts {
  const [only] = parts
  if (only !== undefined && parts.length === 1 && mayLeave === undefined) return only
  const payload = new TextParts(parts, mayLeave)
  reply.header('content-length', payload.bytes)
  return payload
}

/** What is sent from memory in the same way: a client takes a part at a time, and others get their turn. */
export function toParts(body: Buffer): Buffer[] {
  const count = Math.max(1, Math.ceil(body.length / partBytes))
  return Array.from({ length: count }, (_, place) =>
    body.subarray(place * partBytes, (place + 1) * partBytes),
  )
}

/** Tells when a part may leave; undefined for at once. */
export type MayLeave = (bytes: number, signal: AbortSignal) => Promise<void> | undefined

/** An answer that is whole in memory, part by part; several may send the same parts. */
export class TextParts extends Readable {
  readonly bytes: number
  readonly #parts: Iterator<Buffer>
  readonly #mayLeave: MayLeave | undefined
  readonly #closed = new AbortController()

  constructor(parts: readonly Buffer[], mayLeave?: MayLeave) {
    super({ highWaterMark: partBytes })
    this.bytes = parts.reduce((sum, part) => sum + part.length, 0)
    this.#parts = parts.values()
    this.#mayLeave = mayLeave
  }

  override _read(): void {
    const { value, done } = this.#parts.next()
    if (done === true) return void this.push(null)
    const waiting = this.#mayLeave?.(value.length, this.#closed.signal)
    if (waiting === undefined) return void this.push(value)
    waiting.then(
      () => this.push(value),
      (error: Error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#closed.abort()
    callback(error)
  }
}
