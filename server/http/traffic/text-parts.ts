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
export function toPayload(reply: FastifyReply, parts: readonly Buffer[]): Buffer | TextParts {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const payload = new TextParts(parts)
  reply.header('content-length', payload.bytes)
  return payload
}

/** A response in memory, sent part by part; several responses may share the parts. */
export class TextParts extends Readable {
  readonly bytes: number
  readonly #parts: Iterator<Buffer>

  constructor(parts: readonly Buffer[]) {
    super({ highWaterMark: partBytes })
    this.bytes = parts.reduce((sum, part) => sum + part.length, 0)
    this.#parts = parts.values()
  }

  override _read(): void {
    const { value, done } = this.#parts.next()
    this.push(done === true ? null : value)
  }
}
