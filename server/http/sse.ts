import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Server-sent events: a frame for each event, a comment as a keepalive. */
export interface SseEvent {
  /** Position after which the stream can be resumed. */
  id?: string
  type: string
  data: unknown
}

/** Answers with the events of a source. */
export function sendEvents(reply: FastifyReply, source: AsyncGenerator<SseEvent[]>): void {
  reply.header('content-type', 'text/event-stream; charset=utf-8')
  reply.header('cache-control', 'no-store')
  // Not with `connection: close`: fetch in Node 20 takes a connection that broke for the end of such
  // a response.
  // Tells nginx not to buffer the stream.
  reply.header('x-accel-buffering', 'no')
  // Ends with the source, and stops the source when the client disconnects.
  void reply.send(Readable.from(frames(source), { objectMode: false, highWaterMark: 64 * 1024 }))
}

async function* frames(source: AsyncGenerator<SseEvent[]>): AsyncGenerator<string> {
  // Sends the headers at once.
  yield ': open\n\n'
  for await (const events of source)
    yield events.length === 0 ? ': wait\n\n' : events.map(frame).join('')
}

function frame({ id, type, data }: SseEvent): string {
  const place = id === undefined ? '' : `id: ${id}\n`
  return `${place}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}
