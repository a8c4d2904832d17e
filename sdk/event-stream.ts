import { createParser } from 'eventsource-parser'
import { connectionError, MusterError } from './errors.ts'
import type { RequestOptions, Transport } from './transport.ts'

/** Server-sent events over one connection. */

/** Longest silence: the service sends something at least every 15 seconds. */
const silenceMs = 45_000

/** Opens a stream; yields its events until the connection ends. `onId` gets the id of an event before it is yielded. */
export async function openStream(
  transport: Transport,
  path: string,
  options: RequestOptions,
  onId?: (id: string) => void,
): Promise<AsyncGenerator<unknown, void, undefined>> {
  const headers = { accept: 'text/event-stream', ...options.headers }
  const request = { method: 'GET', path } as const
  const body = await transport.send(request, { ...options, headers }, async ({ body }) => body)
  if (body === null) throw broken('closed early')
  return readEvents(body, options.signal, onId)
}

/**
 * Ends with the body, or as soon as the signal aborts; closes the connection in any case. Throws if
 * the body ends amid an event.
 */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
  onId?: (id: string) => void,
): AsyncGenerator<unknown, void, undefined> {
  const events: { id: string | undefined; data: unknown }[] = []
  const parser = createParser({
    onEvent: ({ id, data }) => events.push({ id, data: parseEvent(data) }),
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let ending = ''
  const close = () => void reader.cancel().catch(() => {})
  let isSilent = false
  signal?.addEventListener('abort', close, { once: true })
  try {
    for (;;) {
      signal?.throwIfAborted()
      const timer = setTimeout(() => {
        isSilent = true
        close()
      }, silenceMs)
      const chunk = await reader
        .read()
        .catch((error: unknown) => {
          throw broken('cut off', error)
        })
        .finally(() => clearTimeout(timer))
      if (isSilent) throw broken('silent')
      if (chunk.done) {
        // Behind some proxies a broken connection looks like the end of the response.
        if (ending !== '\n\n') throw broken('cut off')
        return
      }
      const text = decoder.decode(chunk.value, { stream: true })
      ending = (ending + text).slice(-2)
      parser.feed(text)
      for (const { id, data } of events.splice(0)) {
        if (id !== undefined) onId?.(id)
        yield data
      }
    }
  } finally {
    signal?.removeEventListener('abort', close)
    close()
  }
}

function parseEvent(data: string): unknown {
  try {
    return JSON.parse(data) as unknown
  } catch (cause) {
    throw new MusterError('The event stream holds something that is not JSON', {
      status: 200,
      type: 'unexpected_answer',
      code: 'malformed_answer',
      cause,
    })
  }
}

export function broken(how: string, cause?: unknown): MusterError {
  return connectionError('stream_broken', `The event stream was ${how}`, cause)
}
