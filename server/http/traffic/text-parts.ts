import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Time spent serializing before other work gets a turn. */
const pieceMs = 3
const partBytes = 64 * 1024

/**
 * Joins texts into bytes in short steps, so that other requests do not wait for a large response.
 */
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

/** One step runs in each turn of the event loop, however many responses are being serialized. */
function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (waiting.push(resolve) === 1) setImmediate(wakeFirst)
  return promise
}

function wakeFirst(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(wakeFirst)
}

/** Sets the content length. The parts are not concatenated, which would take as long again. */
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

/** Splits a body in memory, so that it is sent part by part like a large response. */
export function toParts(body: Buffer): Buffer[] {
  const count = Math.max(1, Math.ceil(body.length / partBytes))
  return Array.from({ length: count }, (_, place) =>
    body.subarray(place * partBytes, (place + 1) * partBytes),
  )
}

/** Resolves when a part may be sent; undefined if at once. */
export type MayLeave = (bytes: number, signal: AbortSignal) => Promise<void> | undefined

/** A response in memory, sent part by part; several responses may share the parts. */
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
