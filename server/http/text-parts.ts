import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

/** Written at a time; others get their turn in between. */
const pieceMs = 3
const partBytes = 64 * 1024

/** Makes bytes of texts, in pieces, so that nobody waits for all of a large answer. */
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
    await turn()
    pieceBegan = performance.now()
  }
  parts.push(Buffer.from(text))
  return parts
}

/** Sets the length of the answer; what to send is not copied together, which would take as long again. */
export function toPayload(reply: FastifyReply, parts: readonly Buffer[]): Buffer | TextParts {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const payload = new TextParts(parts)
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

/** An answer that is whole in memory, part by part; several may send the same parts. */
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
