import { DomainError } from '../../errors.ts'
import { within } from '../../within.ts'

const leastBytesPerSecond = 16 * 1024

/**
 * Yields a body in parts; throws if it is too large or its client too slow. Only time spent waiting
 * for the client counts, not time spent processing a part.
 */
export async function* arrivingBody(
  payload: AsyncIterable<Uint8Array>,
  action: string,
  { maxBytes, graceMs = 5_000 }: { maxBytes: number; graceMs?: number },
): AsyncGenerator<Uint8Array> {
  const iterator = payload[Symbol.asyncIterator]()
  let bytes = 0
  let waitedMs = 0
  for (;;) {
    const began = performance.now()
    const mayWaitMs = graceMs + (1_000 * bytes) / leastBytesPerSecond - waitedMs
    const part = await within(mayWaitMs, iterator.next(), () => tooSlow(action))
    waitedMs += performance.now() - began
    if (part.done === true) return
    bytes += part.value.length
    if (bytes > maxBytes) throw tooLarge(action, maxBytes)
    yield part.value
  }
}

export function tooLarge(action: string, maxBytes: number): DomainError {
  const why = `the body has more than ${maxBytes} bytes`
  return new DomainError('body_too_large', `Cannot ${action}: ${why}`)
}

function tooSlow(action: string): DomainError {
  const why = `the body came with less than ${leastBytesPerSecond} bytes a second`
  return new DomainError('invalid_request', `Cannot ${action}: ${why}`)
}
